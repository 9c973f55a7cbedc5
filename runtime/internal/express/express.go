package express

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/additional"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/label"
	"github.com/stratakube/strata/runtime/internal/notation"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// Expressions lists the parts of the hub's spec that the API versions of a kind can represent.
type Expressions struct {
	// Versions are in the order of the chain.
	Versions []Expression
	// Lists has the members of objects that versions lack. A member that a version cannot
	// represent at all has no list; another member has a list of what the version lacks within
	// it. Of a property bag, a version can represent only the listed keys, and its own raw
	// values. It reads the listed keys, or a hand-written step converts them to other properties.
	// For a version with registered conversions, the lists may have more than it lacks.
	Lists notation.Lists
}

// Expression lists the parts of the hub's spec that one API version can represent.
type Expression struct {
	// Version is the label of the API version, as in v20140404preview.
	Version string
	// Lacks is the number of the list of members that the version lacks in the spec; 0 if it
	// lacks none.
	Lacks int
	// Hub marks the hub's API version. Exactly one version is marked.
	Hub bool
}

// Named returns the expression of a version; nil if the version is not in the list.
func (e Expressions) Named(version string) *Expression {
	for i := range e.Versions {
		if e.Versions[i].Version == version {
			return &e.Versions[i]
		}
	}
	return nil
}

// For returns the expression for an original version. An empty version is the hub's. For a
// version that is not in the list, it returns that of the next later one. It returns nil if the
// list is empty.
func (e Expressions) For(original string) *Expression {
	labels := make([]string, len(e.Versions))
	for i := range e.Versions {
		if original == "" && e.Versions[i].Hub {
			return &e.Versions[i]
		}
		labels[i] = e.Versions[i].Version
	}
	return e.Named(label.Kept(original, labels))
}

// Missing lists the places in a spec that a version cannot express, by the lists alone.
func (e Expressions) Missing(of *Expression, s *shape.Shape, p unsafe.Pointer) []*Path {
	v := inspector{version: of.Version}
	v.value(s, p, e.Lists.At(of.Lacks), nil)
	return v.found
}

// IsWhole reports whether the property bags in a version's own storage spec have nothing but the
// version's raw values. Every cover of an additional member counts: without it, the member may be
// another value in other versions.
func IsWhole(version string, s *shape.Shape, p unsafe.Pointer) bool {
	v := inspector{version: version, whole: true}
	v.value(s, p, nil, nil)
	return len(v.found) == 0
}

// inspector collects the paths that a version cannot represent.
type inspector struct {
	version string
	whole   bool // for IsWhole: the first path is enough, and all covers count
	found   []*Path
}

// add adds a path.
func (v *inspector) add(at *Path) { v.found = append(v.found, at) }

func (v *inspector) done() bool { return v.whole && len(v.found) > 0 }

func (v *inspector) value(s *shape.Shape, p unsafe.Pointer, t *notation.List, at *Path) {
	s, p = s.Reach(p)
	if v.done() || p == nil || t.IsEmpty() && !s.CarriesBag {
		return
	}
	switch s.Kind {
	case shape.Object:
		v.object(s, p, t, at)
	case shape.List:
		for i := range s.Length(p) {
			v.value(s.Elem, s.Element(p, i), t, at.to(step{index: i}))
		}
	case shape.Map:
		v.entries(s, p, func(q unsafe.Pointer, key string) { v.value(s.Elem, q, t, at.to(member(key))) })
	}
}

func (v *inspector) object(s *shape.Shape, p unsafe.Pointer, t *notation.List, at *Path) {
	if s.HasBag {
		v.bag(*s.BagAt(p), t, at)
	}
	for i := range s.Fields {
		f, q := &s.Fields[i], unsafe.Add(p, s.Fields[i].Offset)
		i, listed := t.Item(f.Name)
		switch {
		case f.Shape.IsAbsent(q), !listed && !f.Shape.CarriesBag:
		case listed && i.Inner == nil:
			v.add(at.to(member(f.Name)))
		default:
			v.value(f.Shape, q, i.Inner, at.to(member(f.Name)))
		}
	}
	if s.Additional != nil {
		v.more(s.Additional.Shape, unsafe.Add(p, s.Additional.Offset), t, at)
	}
}

// more looks into additional members. Their paths have the names that they have in storage.
func (v *inspector) more(s *shape.Shape, p unsafe.Pointer, t *notation.List, at *Path) {
	i, listed := t.AdditionalItem()
	v.entries(s, p, func(q unsafe.Pointer, key string) {
		at := at.to(member(bag.StoredName(key)))
		if listed && i.Inner == nil {
			v.add(at)
		} else {
			v.value(s.Elem, q, i.Inner, at)
		}
	})
}

func (v *inspector) bag(b runtime.PropertyBag, t *notation.List, at *Path) {
	for _, key := range bag.SortedKeys(b) {
		if v.done() {
			return
		}
		if _, own := bag.ReadMisfit(key, v.version); own {
			continue
		}
		at := at.to(member(bag.Name)).to(member(key))
		i, allowed := t.Key(key)
		if names, covers := hiding(key, b[key]); covers && !v.whole {
			v.covers(names, at)
		} else if !allowed {
			v.add(at)
		} else if value, err := jsontext.Parse(b[key]); err == nil && (!i.Inner.IsEmpty() || bytes.Contains(b[key], []byte(bag.Name))) {
			v.entry(value, i, at)
		}
	}
}

// covers adds the covers of some additional members. Other covers only record under which keys
// other versions store what the member shows.
func (v *inspector) covers(names []string, at *Path) {
	for _, name := range names {
		v.add(at.to(member(name)))
	}
}

// hiding returns the members of an object that have hidden values in covers, if the entry of its
// bag has covers.
func hiding(key string, entry runtime.JSON) (names []string, ok bool) {
	if key != bag.CoveredKey {
		return nil, false
	}
	return additional.Hiding(entry)
}

// hidingIn is hiding for a parsed entry.
func hidingIn(key string, entry any) (names []string, ok bool) {
	if key != bag.CoveredKey {
		return nil, false
	}
	text, err := jsontext.Marshal(entry)
	if err != nil {
		return nil, false
	}
	return hiding(key, text)
}

// entry inspects a value of a property bag, which has no Go type here.
func (v *inspector) entry(value any, i notation.Item, at *Path) {
	switch value := value.(type) {
	case []any:
		for n, element := range value {
			v.entry(element, i, at.to(step{index: n}))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			at := at.to(member(name))
			if i.Maps > 0 {
				v.entry(value[name], i.Value(), at)
			} else {
				v.member(name, value[name], i.Inner, at)
			}
		}
	}
}

func (v *inspector) member(name string, value any, t *notation.List, at *Path) {
	if entries, ok := value.(map[string]any); ok && name == bag.Name {
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			at := at.to(member(key))
			if names, covers := hidingIn(key, entries[key]); covers && !v.whole {
				v.covers(names, at)
			} else if i, allowed := t.Key(key); allowed {
				v.entry(entries[key], i, at)
			} else {
				v.add(at)
			}
		}
		return
	}
	i, listed := t.Item(name)
	if value != nil && listed && i.Inner == nil {
		v.add(at)
		return
	}
	v.entry(value, i, at)
}

func (v *inspector) entries(s *shape.Shape, p unsafe.Pointer, visit func(q unsafe.Pointer, key string)) {
	if s.IsAbsent(p) {
		return
	}
	entries := s.MapAt(p)
	value := reflect.New(s.Type.Elem())
	for _, key := range s.SortedKeys(p) {
		if v.done() {
			return
		}
		value.Elem().Set(entries.MapIndex(key))
		visit(value.UnsafePointer(), key.String())
	}
}
