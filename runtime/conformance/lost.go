package conformance

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// separator separates the steps of a path.
const separator = "\x00"

// lostPaths are paths in the JSON of a hub's spec.
type lostPaths []string

func (l lostPaths) String() string {
	return strings.ReplaceAll(strings.Join(l, ", "), separator, ".")
}

// lost returns the paths of a hub's spec that are lost if a version loses its property bags,
// except for its own raw values.
func (c *chain) lost(l *link, h unsafe.Pointer) (lostPaths, error) {
	s, err := l.descend(h)
	if err != nil {
		return nil, err
	}
	s = l.programs.store.copy(s)
	spec, err := l.programs.store.find("Spec")
	if err != nil {
		return nil, err
	}
	eachBag(spec.node, unsafe.Add(s, spec.offset), func(bag *map[string][]byte) {
		maps.DeleteFunc(*bag, func(key string, _ []byte) bool { return !isRawKey(key, l.label) })
		if len(*bag) == 0 {
			*bag = nil
		}
	})
	again, err := l.climb(s)
	if err != nil {
		return nil, err
	}
	before, err := c.specOf(h)
	after, err2 := c.specOf(again)
	inHub, err3 := c.hub.programs.store.find("Spec")
	if err := errors.Join(err, err2, err3); err != nil {
		return nil, err
	}
	var out lostPaths
	out.compare(before, after, looked{view: viewOf(inHub.node.(*pointer).slab.of)})
	return out, nil
}

// isRawKey reports whether a key of a bag has a raw value of a version. The name of a property may
// read as such a key. The key of that property ends with @.
func isRawKey(key, version string) bool {
	at := strings.LastIndexByte(key, '@')
	return at >= 0 && strings.HasPrefix(key[at+1:], version+"!")
}

func (c *chain) specOf(h unsafe.Pointer) (any, error) {
	data, err := c.encode(at(c.hub.store, h))
	if err != nil {
		return nil, err
	}
	root, _ := readValue(data).(map[string]any)
	remove(root["spec"], "originalVersion")
	return root["spec"], nil
}

// looked is a position in the JSON of a spec.
type looked struct {
	at   string
	view *view
	// isBag means that the position is a property bag, and isInBag that it is within one.
	isBag, isInBag bool
}

// member returns the position of a member. Free JSON has no property bags, unless a property bag
// stores it: then its type is not known here. No conversion stores an empty bag there, so that an
// empty one is free JSON.
func (p looked) member(name string) looked {
	out := looked{at: p.at + separator + name, isInBag: p.isBag || p.isInBag}
	if out.isInBag {
		out.isBag = name == bagName && !p.isBag
		return out
	}
	m := p.view.member(name)
	out.view, out.isBag = m.view, m.bag
	return out
}

func (p looked) element(i int) looked {
	return looked{at: p.at + separator + strconv.Itoa(i), view: p.view.within(), isInBag: p.isInBag}
}

func (l *lostPaths) compare(before, after any, p looked) {
	switch before := before.(type) {
	case map[string]any:
		after, same := after.(map[string]any)
		if !same {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(before)) {
			value, has := after[name]
			if covers, ok := before[name].(map[string]any); ok && name == coveredName && p.isBag {
				l.covers(covers, value, p.at+separator+name)
				continue
			}
			inner := p.member(name)
			if !has && inner.isBag && !(inner.isInBag && isEmptyObject(before[name])) {
				value, has = map[string]any{}, true
			}
			l.member(before[name], value, has, inner)
		}
		return
	case []any:
		after, same := after.([]any)
		if !same {
			break
		}
		for i, element := range before {
			if i < len(after) {
				l.compare(element, after[i], p.element(i))
			} else {
				*l = append(*l, p.element(i).at)
			}
		}
		return
	default:
		if sameValue(before, after) {
			return
		}
	}
	*l = append(*l, p.at)
}

func isEmptyObject(value any) bool {
	members, ok := value.(map[string]any)
	return ok && len(members) == 0
}

func (l *lostPaths) member(before, after any, has bool, p looked) {
	if has {
		l.compare(before, after, p)
	} else {
		*l = append(*l, p.at)
	}
}

// covers adds the covers of additional members that are lost, unless a cover stores nothing but
// what its member shows. Such a cover only records under which key other versions have the value.
func (l *lostPaths) covers(before map[string]any, after any, at string) {
	kept, _ := after.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if hides(before[name]) && !sameValue(before[name], kept[name]) {
			*l = append(*l, at+separator+name)
		}
	}
}

// hides reports whether a cover stores more than its member shows.
func hides(cover any) bool {
	of, _ := cover.(map[string]any)
	c := coverOf(cover)
	if len(c.stored) != 1 || !hasKey(c.stored, c.key) {
		return true
	}
	stored, visible := c.stored[c.key], of["shown"]
	if isSameJSON(stored, visible) {
		return false
	}
	seen, all := asSeen(stored)
	typed, same := asSeen(visible)
	return !all || !isSameJSON(seen, visible) && !(same && isSameJSON(seen, typed))
}

func hasKey(members map[string]any, key string) bool {
	_, found := members[key]
	return found
}

// asSeen returns a stored value with the names of the API, and with the members of property bags
// beside the others. It returns false if the value has entries that belong to other versions.
func asSeen(value any) (seen any, all bool) {
	all = true
	inner := func(value any) any {
		seen, complete := asSeen(value)
		all = all && complete
		return seen
	}
	switch v := value.(type) {
	case []any:
		elements := make([]any, len(v))
		for i := range v {
			elements[i] = inner(v[i])
		}
		return elements, all
	case map[string]any:
		members := map[string]any{}
		for name, member := range v {
			if name != bagName {
				members[seenName(name)] = inner(member)
			}
		}
		bag, _ := v[bagName].(map[string]any)
		for key, entry := range bag {
			name := seenName(memberName(key))
			if !isMemberKey(key) || ofFurthers[key] || hasKey(members, name) {
				return nil, false
			}
			members[name] = inner(entry)
		}
		return members, all
	}
	return value, true
}

// seenName returns the name that a stored member has in the API.
func seenName(name string) string {
	if rest := strings.TrimPrefix(name, "$"); rest != name && storedName(rest) == name {
		return rest
	}
	return name
}

// within reports whether each position is one of others, or below one of these.
func (l lostPaths) within(others lostPaths) bool {
	for _, path := range l {
		found := false
		for _, other := range others {
			found = found || path == other || strings.HasPrefix(path, other+separator)
		}
		if !found {
			return false
		}
	}
	return true
}

// without removes the entries of bags that have the names of some members.
func (l lostPaths) without(names map[string]bool) lostPaths {
	return slices.DeleteFunc(slices.Clone(l), func(path string) bool {
		_, entry, within := strings.Cut(path, separator+bagName+separator)
		key, _, _ := strings.Cut(entry, separator)
		return within && names[keyName(key)]
	})
}
