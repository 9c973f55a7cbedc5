package additional

import (
	"maps"
	"reflect"
	"slices"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/notation"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// Raise moves the additional members of dst out of its property bag.
func Raise[D any](dst *D, known Furthers, foreign []string) {
	s, p := shape.Of(reflect.TypeFor[D]()), unsafe.Pointer(dst)
	b := s.BagAt(p)
	if len(*b) == 0 {
		return
	}
	r := raising{shape: s, bag: *b, known: known, rest: entriesOf[runtime.JSON](*b, bag.AdditionalKey)}
	r.leaveUnread()
	if s.Additional != nil {
		r.additional(s.Additional.Shape, unsafe.Add(p, s.Additional.Offset), foreign)
	}
	setEntries(r.bag, bag.AdditionalKey, r.rest)
	if len(*b) == 0 {
		*b = nil
	}
}

// raising is a bag from which Raise restores additional members.
type raising struct {
	shape *shape.Shape
	bag   runtime.PropertyBag
	known Furthers
	rest  map[string]runtime.JSON
}

// value returns the value that the bag stores for a property. A property without a key has none.
func (r *raising) value(f Further) (runtime.JSON, bool) {
	if f.Key == "" {
		return nil, false
	}
	value, found := r.bag[f.Key]
	return value, found
}

// leaveUnread moves values to the rest if the object has a property of their name and kind, and
// did not read them.
func (r *raising) leaveUnread() {
	for _, f := range r.known {
		value, found := r.value(f)
		if own := r.shape.Member(bag.StoredName(f.Name)); !found || own == nil || kindOfShape(own.Shape) != f.Kind || !f.takes(value) {
			continue
		}
		delete(r.bag, f.Key)
		r.rest[f.Name], _ = f.flattened(jsontext.OrNull(value))
	}
}

// additional sets the additional members at p.
func (r *raising) additional(s *shape.Shape, p unsafe.Pointer, foreign []string) {
	covers, strangers := entriesOf[cover](r.bag, bag.CoveredKey), entriesOf[runtime.JSON](r.bag, bag.ForeignKey)
	for _, name := range r.names() {
		if r.shape.Member(bag.StoredName(name)) == nil && !slices.Contains(foreign, name) {
			r.member(s, p, name, covers)
		}
	}
	for _, name := range foreign {
		if value, found := strangers[name]; found && r.shape.Member(bag.StoredName(name)) == nil && setEntry(s, p, name, value) {
			delete(strangers, name)
		}
	}
	setEntries(r.bag, bag.CoveredKey, covers)
	setEntries(r.bag, bag.ForeignKey, strangers)
}

// names returns the members that the bag may have, sorted.
func (r *raising) names() []string {
	names := slices.Collect(maps.Keys(r.rest))
	for _, f := range r.known {
		if _, found := r.value(f); found {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// member moves one member out of the bag, with all values that it has there.
func (r *raising) member(s *shape.Shape, p unsafe.Pointer, name string, covers map[string]cover) {
	c := cover{Stored: map[string]runtime.JSON{}}
	visible, whole := false, false
	for _, f := range r.known.named(name) {
		value, found := r.value(f)
		if !found {
			continue
		}
		c.Stored[f.Key] = jsontext.OrNull(value)
		flat, all := f.flattened(jsontext.OrNull(value))
		if visible || s.Elem.Kind != shape.JSON && !notation.IsOfKind(kindOfShape(s.Elem), flat) {
			continue
		}
		if visible = setEntry(s, p, name, flat); visible {
			c.Key, c.Visible, whole = f.Key, flat, all && f.hasNames()
			if s.Elem.Kind != shape.JSON && f.hasFree() { // free JSON keeps its spelling
				c.Visible = entryText(s, p, name)
				whole = whole && f.isSpelledAs(c.Visible, flat)
			}
		}
	}
	if value, found := r.rest[name]; found {
		c.Stored[bag.AdditionalKey] = value
		if !visible {
			if visible = setEntry(s, p, name, value); visible {
				c.Key, c.Visible = bag.AdditionalKey, value
			}
		}
	}
	if !visible {
		return
	}
	delete(r.rest, name)
	for key := range c.Stored {
		delete(r.bag, key)
	}
	if !r.follows(name, c, whole) {
		covers[name] = c
	}
}

// follows reports whether the stored values of a member follow from the member alone, so that it
// needs no cover. Whole means that the member shows all values of an object. Then the type that
// reads the object separates its members from the entries of its property bag.
func (r *raising) follows(name string, c cover, whole bool) bool {
	if len(c.Stored) > 1 || !whole && string(c.Stored[c.Key]) != string(c.Visible) {
		return false
	}
	key := r.known.keyOf(name, c.Visible)
	return key == c.Key || key == "" && c.Key == bag.AdditionalKey
}

// kindOfShape returns the kind of a shape as [Further] spells it, and an empty string for other
// shapes.
func kindOfShape(s *shape.Shape) string {
	switch s.Kind {
	case shape.Pointer:
		return kindOfShape(s.Elem)
	case shape.List:
		return "l" + kindOfShape(s.Elem)
	case shape.Map:
		return "m" + kindOfShape(s.Elem)
	case shape.Text:
		return "s"
	case shape.Integer:
		return "i"
	case shape.Number:
		return "n"
	case shape.Bool:
		return "b"
	case shape.JSON:
		return "a"
	case shape.Object:
		return "o"
	}
	return ""
}
