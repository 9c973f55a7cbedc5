package express

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

// Missing lists the places in a spec that a version cannot express. It stops at the first where one
// is enough.
func (e Expressions) Missing(of *Expression, s *shape.Shape, p unsafe.Pointer, all bool) []*Path {
	v := inspector{version: of.Version, all: all}
	v.value(s, p, e.Lists.At(of.Lacks), nil)
	return v.found
}

// inspector collects the paths that a version cannot represent.
type inspector struct {
	version string
	all     bool
	found   []*Path
}

// add adds a path.
func (v *inspector) add(at *Path) { v.found = append(v.found, at) }

func (v *inspector) done() bool { return !v.all && len(v.found) > 0 }

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
		v.entries(s, p, at, func(q unsafe.Pointer, at *Path) { v.value(s.Elem, q, t, at) })
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
		case listed && (i.Inner == nil || !isTaken(f.Shape, q, i.Inner)):
			v.add(at.to(member(f.Name)))
		default:
			v.value(f.Shape, q, i.Inner, at.to(member(f.Name)))
		}
	}
	if s.Additional != nil {
		v.more(s.Additional.Shape, unsafe.Add(p, s.Additional.Offset), t, at)
	}
}

func (v *inspector) more(s *shape.Shape, p unsafe.Pointer, t *notation.List, at *Path) {
	v.entries(s, p, at, func(q unsafe.Pointer, at *Path) {
		if inner, listed := t.Rest(at.name); listed && (inner == nil || !isTaken(s.Elem, q, inner)) {
			v.add(at)
		} else {
			v.value(s.Elem, q, inner, at)
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
		members := key == bag.AdditionalKey || key == bag.NamedKey
		if !allowed || !members && !i.Inner.Takes(b[key]) {
			v.add(at)
		} else if members && i.Inner.HasOnlyNames() {
			v.further(b[key], i.Inner, at)
		} else if members && i.Maps == 0 && i.Inner.IsEmpty() {
			continue // free JSON may have a member that is called like a bag
		} else if value, err := jsontext.Parse(b[key]); err == nil && (!i.Inner.IsEmpty() || bytes.Contains(b[key], []byte(bag.Name))) {
			v.entry(value, i, at)
		}
	}
}

// further adds additional members whose names a version has for other properties. Their values
// are free JSON, or scalars.
func (v *inspector) further(members runtime.JSON, t *notation.List, at *Path) {
	jsontext.EachMember(members, func(name []byte, value runtime.JSON) {
		if _, listed := t.Item(bag.StoredName(string(name))); listed || !t.Takes(value) {
			v.add(at.to(member(string(name))))
		}
	})
}

// isTaken reports whether the value at p has a kind that the list accepts.
func isTaken(s *shape.Shape, p unsafe.Pointer, t *notation.List) bool {
	if t.Kind == "" {
		return true
	}
	value, err := jsontext.Marshal(reflect.NewAt(s.Type, p).Elem().Interface())
	return err == nil && t.Takes(value)
}

// entry looks into what lies in a property bag, which has no Go type here.
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
			if i, allowed := t.Key(key); allowed {
				v.entry(entries[key], i, at)
			} else {
				v.add(at)
			}
		}
		return
	}
	i, listed := t.MemberOfEntry(name)
	if value != nil && (listed && (i.Inner == nil || !i.Inner.TakesValue(value)) || t.IsUnknown(name)) {
		v.add(at)
		return
	}
	v.entry(value, i, at)
}

func (v *inspector) entries(s *shape.Shape, p unsafe.Pointer, at *Path, visit func(q unsafe.Pointer, at *Path)) {
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
		visit(value.UnsafePointer(), at.to(member(key.String())))
	}
}
