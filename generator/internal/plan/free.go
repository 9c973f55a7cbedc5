package plan

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// furtherFree computes the element of [Further].Free for one property.
func furtherFree(f chain.Further) Lists {
	if f.Child == nil {
		return nil
	}
	w := freeWalk{
		lists: map[freePlace]*lackList{}, kinds: map[freeKind]*lackList{},
		has: map[freePlace]bool{}, mixed: map[freePlace]map[ListEntry]string{},
	}
	at := freePlace{f.Child, f.Holder}
	w.find(at)
	if !w.has[at] {
		return nil
	}
	list := w.list(at)
	for of, l := range w.kinds {
		l.items = append(l.items, w.lists[of.freePlace].items...)
	}
	return listsFrom(list)
}

// freePlace is an object in one version.
type freePlace struct {
	place   *chain.Place
	version int
}

// freeWalk finds the free JSON and the maps in objects.
type freeWalk struct {
	lists map[freePlace]*lackList
	// kinds are the lists that also state the kind of their values. The items of the object's
	// list are added to them at the end, because types may be recursive.
	kinds map[freeKind]*lackList
	has   map[freePlace]bool // false, too, for those that have nothing free
	// mixed are the kinds of members and of bag keys with the same name whose values have several
	// kinds, and the kinds of other members' keys.
	mixed map[freePlace]map[ListEntry]string
}

// freeKind is an object together with the kind of a value that contains it.
type freeKind struct {
	freePlace
	kind string
}

// freeMember is a member of an object, or an entry of its bag.
type freeMember struct {
	item    ListEntry
	lineage *chain.Lineage
	version int
}

// members returns the members of an object and the entries of its bag.
func (at freePlace) members() []freeMember {
	var out []freeMember
	seen := map[string]bool{} // keys
	for _, l := range at.place.Lineages {
		if q := l.Live[at.version]; q != nil && q.Name != chain.AdditionalName {
			out = append(out, freeMember{ListEntry{Name: chain.StoredName(q.Name)}, l, at.version})
		} else if q != nil {
			out = append(out, freeMember{ListEntry{Rest: true}, l, at.version})
		}
		for i, q := range l.Live {
			if q == nil || l.Key(i) == nil {
				continue
			}
			for _, e := range l.Key(i).Entries {
				if !seen[e.Name] {
					seen[e.Name] = true
					out = append(out, freeMember{ListEntry{Key: e.Name}, l, e.Holder.Index})
				}
			}
		}
	}
	return out
}

// mixed returns the kinds of members whose bag key has values of another kind, and the kinds of
// these keys. The bag stores the values of other versions that this version's type cannot
// represent. Members of free JSON represent every value. If a key has free JSON, the result has
// the kind of the member alone, even if it is unknown: the bag stores what the member cannot
// represent. If the object has no further members, the result has the kinds of all plain keys.
func (at freePlace) mixed() map[ListEntry]string {
	out, members := map[ListEntry]string{}, at.members()
	for _, m := range members {
		q := m.lineage.Live[m.version]
		if m.item.Key != "" || m.item.Rest || m.isAny() {
			continue
		}
		key := ListEntry{Key: chain.MemberKey(q.Name)}
		i := slices.IndexFunc(members, func(k freeMember) bool { return k.item == key })
		if i < 0 {
			continue
		}
		switch kind := members[i].kind(); {
		case members[i].isAny():
			out[m.item] = m.kind()
		case kind != "" && kind != m.kind():
			out[key] = kind
			if m.kind() != "" {
				out[m.item] = m.kind()
			}
		}
	}
	if !slices.ContainsFunc(members, func(m freeMember) bool { return m.item.Rest }) {
		at.addKeys(out, members)
	}
	return out
}

// addKeys adds the kinds of plain keys of members that the object does not have, or has with the
// same kind of value: values of another kind are damaged.
func (at freePlace) addKeys(kinds map[ListEntry]string, members []freeMember) {
	for _, m := range members {
		q := m.lineage.Live[m.version]
		if q == nil || q.Name == chain.AdditionalName || m.item.Key != chain.MemberKey(q.Name) || m.kind() == "" {
			continue
		}
		own := slices.IndexFunc(members, func(o freeMember) bool { return o.item.Name == chain.StoredName(q.Name) })
		if own < 0 || members[own].kind() == m.kind() {
			kinds[m.item] = m.kind()
		}
	}
}

// kind returns the kind of a member's values if these are scalars, objects, or lists or maps of
// such; else it is empty.
func (m freeMember) kind() string {
	q := m.lineage.Live[m.version]
	if q == nil {
		return ""
	}
	wrap, inner := chain.Unwrap(q.Type)
	if strings.Contains(wrap, "lm") || strings.Contains(wrap, "ml") || m.isAny() {
		return ""
	}
	return FurtherKind(chain.Further{Wrap: wrap, Type: inner})
}

// within is the object that a member leads to.
func (m freeMember) within() (at freePlace, ok bool) {
	child := m.lineage.Child(m.version)
	return freePlace{child, m.version}, child != nil
}

// wraps returns the lists and maps around a member's values. free means that the values are free
// JSON, or that map keys are chosen by the client.
func (m freeMember) wraps() (wrap string, free bool) {
	q := m.lineage.Live[m.version]
	if q == nil {
		return "", false
	}
	wrap, _ = chain.Unwrap(q.Type)
	if m.item.Rest {
		wrap = wrap[1:]
	}
	return wrap, m.isAny() || strings.Contains(wrap, "m")
}

// isAny reports whether a member's values, or those in its lists and maps, are free JSON.
func (m freeMember) isAny() bool {
	q := m.lineage.Live[m.version]
	if q == nil {
		return false
	}
	_, inner := chain.Unwrap(q.Type)
	_, isAny := inner.(*model.Any)
	return isAny
}

// find records which objects contain free JSON or maps, beginning at root.
func (w *freeWalk) find(root freePlace) {
	all := []freePlace{root}
	w.has[root] = false
	for i := 0; i < len(all); i++ {
		w.mixed[all[i]] = all[i].mixed()
		for _, m := range all[i].members() {
			if at, ok := m.within(); ok {
				if _, known := w.has[at]; !known {
					w.has[at] = false
					all = append(all, at)
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, at := range all {
			if !w.has[at] && (len(w.mixed[at]) > 0 || slices.ContainsFunc(at.members(), w.isListed)) {
				w.has[at], changed = true, true
			}
		}
	}
}

// isListed reports whether an object with the member needs a list. It does if the member contains
// free JSON or a map, or is that of additional members: the list distinguishes these from the
// others.
func (w *freeWalk) isListed(m freeMember) bool { return m.item.Rest || w.isFree(m) }

func (w *freeWalk) isFree(m freeMember) bool {
	_, free := m.wraps()
	at, ok := m.within()
	return free || ok && w.has[at]
}

// list returns the list of the free members of an object. If the object has further members, all
// other members are listed too.
func (w *freeWalk) list(at freePlace) *lackList {
	l := w.lists[at]
	if l != nil {
		return l
	}
	l = &lackList{done: true}
	w.lists[at] = l
	members := at.members()
	star := slices.IndexFunc(members, func(m freeMember) bool { return m.item.Rest })
	isOpen, isTyped := star >= 0, star >= 0 && !members[star].isAny()
	for _, m := range members {
		kind, isMixed := w.mixed[at][m.item]
		switch wrap, _ := m.wraps(); {
		case isMixed && kind != "":
			l.add(m.behindMaps(wrap), w.ofKind(m, strings.TrimLeft(kind, "m")))
		case w.isFree(m):
			w.add(l, m, wrap)
		case isMixed:
			l.add(m.behindMaps(wrap), &lackList{done: true})
		case m.item.Rest && m.additionalKind() != "":
			l.add(m.item, kindList(m.additionalKind()))
		case isOpen && m.item.Key == "" || isTyped:
			l.add(m.item, &lackList{done: true})
		}
	}
	return l
}

// ofKind returns the list with the kind of a member's values and with their free members.
func (w *freeWalk) ofKind(m freeMember, kind string) *lackList {
	at, ok := m.within()
	if !ok || !w.has[at] {
		return kindList(kind)
	}
	of := freeKind{at, kind}
	if w.kinds[of] == nil {
		w.kinds[of] = kindList(kind)
		w.list(at)
	}
	return w.kinds[of]
}

func (w *freeWalk) add(l *lackList, m freeMember, wrap string) {
	at, ok := m.within()
	item := m.behindMaps(wrap)
	switch {
	case ok && w.has[at]:
		l.add(item, w.list(at))
	case item.Maps > 0 && m.isAny():
		l.add(item, freeList)
	default:
		l.add(item, nil)
	}
}

// behindMaps returns the item of a member with the number of maps in wrap.
func (m freeMember) behindMaps(wrap string) ListEntry {
	item := m.item
	item.Maps = strings.Count(wrap, "m")
	return item
}

// kindList returns a list that states only the kind of values.
func kindList(kind string) *lackList {
	return &lackList{items: []lack{{item: ListEntry{Kind: kind}}}, done: true}
}

// additionalKind returns the kind of additional members if they are scalars or lists of scalars;
// else it is empty.
func (m freeMember) additionalKind() string {
	wrap, inner := chain.Unwrap(m.lineage.Live[m.version].Type)
	if model.ScalarText(inner) == "" || strings.Contains(wrap[1:], "m") {
		return ""
	}
	return FurtherKind(chain.Further{Wrap: wrap[1:], Type: inner})
}

// freeList is the list of values that are free JSON.
var freeList = kindList("a")
