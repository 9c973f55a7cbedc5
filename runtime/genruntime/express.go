package genruntime

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/label"
)

// Expressions tells what the API versions of a kind can express of the hub's spec, in the order of the chain. A
// version that is not in the list is not kept, or not known.
type Expressions = expressions

// expressions are sorted as the chain is.
type expressions []Expression

// Expression tells what one API version cannot express of the hub's spec.
type Expression struct {
	// Version is the label of the API version, as in v20140404preview.
	Version string
	// Lacks lists, separated by commas and without blanks, members of the hub's spec by their JSON names:
	//
	//	a        the version cannot express a
	//	c(...)   it can express c, and within c it lacks what the parentheses list. Lists and maps are passed over: the
	//	         list holds for the objects in them
	//	!k       it can express what the property bag of this object holds under the key k, but for property bags in it
	//	!k(...)  as !k, and within that it lacks what the parentheses list. Where maps are between a name and its list,
	//	         a pair of braces for each stands behind the name: c{}(...)
	//	c(^1)    as c(...), with the list in which this very item stands; ^2 is the list around that one, and so on
	//	c(=3)    as c(...), with the list that begins as the third after the whole one, which has begun before
	//	c(!*)    it shows c as JSON: all of it, and of property bags in it the entries that are members
	//	c(?n)    it can express c where its JSON is of a kind, which is spelled as [Further] does; so !k(?n). Beside names,
	//	         ?n is the kind of other additional members
	//	*        the additional members of an open object; *(...) the values of these
	//	~        in bags, objects of this list have no members that it does not name, as a, +a or !a, but for what * lists
	//	+a(...)  as *(...), of the additional member a alone, whatever stands for the others; ?- is the kind of no value
	//
	// What is not listed can be expressed, but for property bags: of them only what is listed with !, because the version
	// reads it or a hand-written step has made other properties of it, and what the version itself left there as a raw value. Names of other than letters, digits, and any of _-.$@/ are quoted as in
	// Go.
	Lacks string
	// Hub marks the hub's API version. One of the list is marked.
	Hub bool
}

// named returns the expression of a version; nil if the version is not in the list.
func (e expressions) named(version string) *Expression {
	for i := range e {
		if e[i].Version == version {
			return &e[i]
		}
	}
	return nil
}

// of returns the expression that stands for an original version: empty is the hub's, one that is not in the list is
// the next later one that is. Nil if the list is empty.
func (e expressions) of(original string) *Expression {
	if original == "" {
		for i := range e {
			if e[i].Hub {
				return &e[i]
			}
		}
	}
	labels := make([]string, len(e))
	for i := range e {
		labels[i] = e[i].Version
	}
	return e.named(label.Kept(original, labels))
}

// lacks lists the places in a spec that a version cannot express. It stops at the first where one is enough.
func (e *Expression) lacks(s *shape, p unsafe.Pointer, all bool) []path {
	v := inspector{version: e.Version, all: all}
	v.value(s, p, parseTrie(e.Lacks), nil)
	return v.found
}

// inspector looks for what a version cannot express.
type inspector struct {
	version string
	all     bool
	found   []path
}

func (v *inspector) add(at path, last string) {
	v.found = append(v.found, append(slices.Clone(at), member(last)))
}

func (v *inspector) done() bool { return !v.all && len(v.found) > 0 }

func (v *inspector) value(s *shape, p unsafe.Pointer, t *trie, at path) {
	s, p = s.reach(p)
	if v.done() || p == nil || t.isEmpty() && !s.carries {
		return
	}
	switch s.kind {
	case objectKind:
		v.object(s, p, t, at)
	case listKind:
		for i := range s.length(p) {
			v.value(s.elem, s.element(p, i), t, append(at, step{index: i}))
		}
	case dictKind:
		v.entries(s, p, at, func(q unsafe.Pointer, at path) { v.value(s.elem, q, t, at) })
	}
}

func (v *inspector) object(s *shape, p unsafe.Pointer, t *trie, at path) {
	if s.hasBag {
		v.bag(*s.bagAt(p), t, at)
	}
	for i := range s.fields {
		f, q := &s.fields[i], unsafe.Add(p, s.fields[i].offset)
		i, listed := t.item(f.name)
		switch {
		case f.shape.isAbsent(q):
		case listed && (i.inner == nil || !f.shape.isTaken(q, i.inner)):
			v.add(at, f.name)
		default:
			v.value(f.shape, q, i.inner, append(at, member(f.name)))
		}
	}
	if s.more != nil {
		v.more(s.more.shape, unsafe.Add(p, s.more.offset), t, at)
	}
}

func (v *inspector) more(s *shape, p unsafe.Pointer, t *trie, at path) {
	v.entries(s, p, at, func(q unsafe.Pointer, at path) {
		if inner, listed := t.rest(at[len(at)-1].name); listed && (inner == nil || !s.elem.isTaken(q, inner)) {
			v.found = append(v.found, slices.Clone(at))
		} else {
			v.value(s.elem, q, inner, at)
		}
	})
}

func (v *inspector) bag(b runtime.PropertyBag, t *trie, at path) {
	for _, key := range bag.SortedKeys(b) {
		if _, own := bag.ReadMisfit(key, v.version); own {
			continue
		}
		at := append(slices.Clone(at), member(bag.Name), member(key))
		i, allowed := t.key(key)
		members := key == bag.AdditionalKey || key == bag.NamedKey
		if !allowed || !members && !i.inner.takes(b[key]) {
			v.found = append(v.found, at)
		} else if members && i.inner.isNames() {
			v.further(b[key], i.inner, at)
		} else if value, err := jsontext.Parse(b[key]); err == nil && (!i.inner.isEmpty() || bytes.Contains(b[key], []byte(bag.Name))) {
			v.entry(value, i, at)
		}
	}
}

// further looks for additional members whose names a version has for something else. Their values are free JSON, or scalars.
func (v *inspector) further(members runtime.JSON, t *trie, at path) {
	jsontext.EachMember(members, func(name []byte, value runtime.JSON) {
		if _, listed := t.item(bag.StoredName(string(name))); listed || !t.takes(value) {
			v.found = append(v.found, append(slices.Clone(at), member(string(name))))
		}
	})
}

// isTaken reports whether the value at p is of the kind that a list takes.
func (s *shape) isTaken(p unsafe.Pointer, t *trie) bool {
	if t.kind == "" {
		return true
	}
	value, err := jsontext.Marshal(reflect.NewAt(s.of, p).Elem().Interface())
	return err == nil && t.takes(value)
}

// entry looks into what lies in a property bag, which has no Go type here.
func (v *inspector) entry(value any, i item, at path) {
	switch value := value.(type) {
	case []any:
		for n, element := range value {
			v.entry(element, i, append(at, step{index: n}))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			at := append(slices.Clone(at), member(name))
			if i.maps > 0 {
				v.entry(value[name], item{i.inner, i.maps - 1}, at)
			} else {
				v.member(name, value[name], i.inner, at)
			}
		}
	}
}

func (v *inspector) member(name string, value any, t *trie, at path) {
	if entries, ok := value.(map[string]any); ok && name == bag.Name {
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			at := append(slices.Clone(at), member(key))
			if i, allowed := t.key(key); allowed {
				v.entry(entries[key], i, at)
			} else {
				v.found = append(v.found, at)
			}
		}
		return
	}
	i, listed := t.memberOfEntry(name)
	if value != nil && (listed && (i.inner == nil || !i.inner.takesValue(value)) || t.isUnknown(name)) {
		v.found = append(v.found, at)
		return
	}
	v.entry(value, i, at)
}

func (v *inspector) entries(s *shape, p unsafe.Pointer, at path, visit func(q unsafe.Pointer, at path)) {
	if s.isAbsent(p) {
		return
	}
	entries := s.dict(p)
	value := reflect.New(s.of.Elem())
	for _, key := range s.keysOf(p) {
		value.Elem().Set(entries.MapIndex(key))
		visit(value.UnsafePointer(), append(at, member(key.String())))
	}
}
