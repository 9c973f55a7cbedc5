package convert

import (
	"slices"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/declared"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/operation"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// Outcome is what a conversion does with a value.
type Outcome uint8

const (
	// Copied means that the value, or the objects in it, are at Path in the other version.
	Copied Outcome = iota
	// Changed means that the value is at Path, with another name, unit or type.
	Changed
	// Hid means that the other version cannot represent the value. A property bag stores it.
	Hid
	// Unknown means that the source version has no such property.
	Unknown
)

// Traced is where a value is after a conversion.
type Traced struct {
	Outcome Outcome
	// Path has the names of members, the keys of maps and the indices of lists.
	Path []string
	// Free means that the value is free JSON, or within it, so that a null is a value.
	Free bool
}

// Tracer traces the values of one kind between two versions. It is safe for concurrent use.
type Tracer struct {
	directions []*direction
}

// Trace is as [Converter.Trace].
func (r *Tracer) Trace(path []string) Traced {
	return trace(r.directions, path)
}

// Trace returns where the value at a path of an object is after its conversion. The path begins
// with a member of the object, such as spec. Trace looks at types only, and not at values. A value
// that an operation converts has the path of the property that it becomes, without the path within
// it.
func (c *Converter) Trace(path []string) Traced { return trace(c.directions, path) }

func trace(directions []*direction, path []string) Traced {
	if len(path) > 1 && path[0] == "status" && path[1] == "propertyBag" {
		return Traced{Outcome: Changed, Path: path}
	}
	t := tracer{out: path}
	for _, w := range directions {
		path, t.out = t.out, nil
		if w.trace(&t, path); t.outcome == Unknown {
			return Traced{Outcome: Unknown}
		}
	}
	if slices.Contains(t.out, inBag) {
		return Traced{Outcome: Hid}
	}
	return Traced{Outcome: t.outcome, Path: t.out, Free: t.free}
}

// inBag is, in the path of a tracer, the name of a property bag. No member has it.
const inBag = "\x00" + bag.Name

// tracer follows a path through one conversion.
type tracer struct {
	out     []string
	outcome Outcome
	free    bool
}

// trace follows a path of an object in one direction.
func (w *direction) trace(t *tracer, path []string) {
	if len(path) == 0 {
		return
	}
	if w.up && w.atRoot && !jsontext.Beside[path[0]] {
		path = append([]string{"spec"}, path...)
	}
	switch path[0] {
	case "spec", "status":
		r := w.spec
		if path[0] == "status" {
			r = w.status
		}
		t.out = append(t.out, path[0])
		t.object(r, path[1:])
		if !w.up && w.atRoot && path[0] == "spec" {
			t.out = t.out[1:]
		}
	default:
		t.out = append(t.out, path...)
		t.free = true
	}
}

// object follows a path within an object.
func (t *tracer) object(r *recast, path []string) {
	switch {
	case len(path) == 0:
		return
	case r.parts != nil:
		for _, part := range r.parts {
			in := tracer{outcome: t.outcome, free: t.free}
			in.object(part, path)
			if t.outcome, t.free, path = in.outcome, in.free, in.out; t.outcome == Unknown {
				return
			}
		}
		t.out = append(t.out, path...)
		return
	case path[0] == inBag:
		t.bag(r, path)
		return
	case r.changes != nil && t.change(r.changes, path):
		return
	}
	i := r.of.Index([]byte(path[0]), 0)
	if i < 0 {
		t.further(r.of, path)
		return
	}
	f, m := &r.of.Fields[i], &r.members[i]
	switch m.action {
	case asIs, kept:
		t.out = append(t.out, unquoted(m.name))
		if m.values != nil {
			t.outcome = Changed
		}
		t.value(f.Shape, m.inner, path[1:])
	case stowed:
		t.out = append(t.out, inBag, unquoted(m.stow[0].name))
		t.value(f.Shape, m.stow[0].inner, path[1:])
	default:
		t.outcome = Unknown
	}
}

// unquoted returns a name that is JSON with its colon.
func unquoted(name string) string {
	return string(jsontext.Unquoted([]byte(name[:len(name)-1])))
}

// further follows a path to an additional member of an open object.
func (t *tracer) further(s *shape.Shape, path []string) {
	switch {
	case path[0] == inBag: // the value stays there
		t.out = append(t.out, path...)
		return
	case s.Additional == nil:
		t.outcome = Unknown
		return
	}
	t.out = append(t.out, path[0])
	t.value(s.Additional.Shape.Elem, nil, path[1:])
}

// bag follows a path into the property bag of an object. The conversion takes the value from there
// if the result has a property for it.
func (t *tracer) bag(r *recast, path []string) {
	for _, taken := range r.takings {
		for _, k := range taken.keys {
			if len(path) > 1 && k.key == path[1] && k.shape != nil {
				t.out = append(t.out, unquoted(taken.name))
				t.value(k.shape, k.inner, path[2:])
				return
			}
		}
	}
	t.out = append(t.out, path...)
}

// change follows a path to a property with a declared change. It reports false for other paths.
func (t *tracer) change(c *changing, path []string) bool {
	ends := func(m *declared.Moved) (src, dst declared.MovedEnd) {
		if c.up {
			return m.Far, m.Near
		}
		return m.Near, m.Far
	}
	for _, m := range c.moves {
		if src, dst := ends(m); len(path) >= len(src.Path) && slices.Equal(path[:len(src.Path)], src.Path) {
			t.out = append(t.out, dst.Path...)
			t.operation(&m.To, path[len(src.Path):])
			return true
		}
	}
	for _, x := range c.inner {
		if src, dst := ends(&x.Property); path[0] == src.Path[0] {
			t.out = append(t.out, dst.Path...)
			t.operation(&x.Property.To, path[1:])
			return true
		}
	}
	return false
}

// operation follows a path within a property that an operation converts.
func (t *tracer) operation(o *operation.Operation, rest []string) {
	if !o.IsUnchanged() {
		t.outcome = Changed
		return
	}
	t.out = append(t.out, rest...)
}

// value follows a path within a value.
func (t *tracer) value(s *shape.Shape, r *recast, path []string) {
	for {
		switch {
		case s.Kind == shape.Pointer:
			s = s.Elem
		case s.Kind == shape.JSON || s.Kind == shape.Opaque:
			t.free = true
			t.out = append(t.out, path...)
			return
		case len(path) == 0:
			return
		case s.Kind == shape.List || s.Kind == shape.Map:
			t.out = append(t.out, path[0])
			s, path = s.Elem, path[1:]
		case s.Kind == shape.Object && r != nil:
			t.object(r, path)
			return
		case s.Kind == shape.Object:
			f := s.Member(path[0])
			if f == nil {
				t.further(s, path)
				return
			}
			t.out = append(t.out, path[0])
			s, path = f.Shape, path[1:]
		default:
			t.outcome = Unknown
			return
		}
	}
}
