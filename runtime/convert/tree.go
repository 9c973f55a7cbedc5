package convert

import (
	"errors"
	"maps"
	"slices"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// tree is the JSON of an object that conforms to a shape, as a [declared.Object]. Objects in it are
// read only if a path leads through them.
type tree struct {
	edit    *edit
	shape   *shape.Shape
	members []treeMember
	bag     runtime.PropertyBag
}

// treeMember is a member, whose value is not null. If object is set, it has the value.
type treeMember struct {
	field  *shape.Field
	value  runtime.JSON
	object *tree
}

// newTree reads the members of an object.
func newTree(e *edit, s *shape.Shape, text runtime.JSON) *tree {
	t := &tree{edit: e, shape: s}
	jsontext.EachMember(text, func(name []byte, value runtime.JSON) {
		f := s.Member(string(name))
		switch {
		case s.HasBag && string(name) == bag.Name:
			jsontext.EachMember(value, func(key []byte, entry runtime.JSON) { bag.Set(&t.bag, string(key), entry) })
			if len(t.bag) == 0 { // Go types write it again, and count it as a value
				e.refuse(UnclearBag)
			}
		case f == nil && string(name) == "propertyBag": // of a status, which is read apart
		case f == nil:
			e.refuse(UnknownMember)
		case jsontext.Present(value) != nil:
			t.members = append(t.members, treeMember{field: f, value: value})
		}
	})
	return t
}

// append appends the JSON of the object. The bag is last, with sorted keys.
func (t *tree) append(out []byte) []byte {
	out = append(out, '{')
	for _, m := range t.members {
		out = append(jsontext.AppendText(jsontext.Separate(out), m.field.Name), ':')
		out = m.append(out)
	}
	if len(t.bag) > 0 {
		out = append(append(jsontext.Separate(out), bag.QuotedName...), ":{"...)
		for _, key := range slices.Sorted(maps.Keys(t.bag)) {
			out = append(jsontext.AppendText(jsontext.Separate(out), key), ':')
			out = append(out, t.bag[key]...)
		}
		out = append(out, '}')
		t.edit.bagged = true
	}
	return append(out, '}')
}

func (m *treeMember) append(out []byte) []byte {
	if m.object != nil {
		return m.object.append(out)
	}
	return append(out, m.value...)
}

// find returns a member; nil if it is absent.
func (t *tree) find(name string) *treeMember {
	for i := range t.members {
		if t.members[i].field.Name == name {
			return &t.members[i]
		}
	}
	return nil
}

// within returns the object at a path; nil if there is none. With create, it creates those that are
// absent.
func (t *tree) within(path []string, create bool) *tree {
	for _, name := range path {
		m := t.find(name)
		if m == nil {
			f := memberOf(t.shape, name)
			if !create || f == nil {
				return nil
			}
			t.members = append(t.members, treeMember{field: f, value: runtime.JSON("{}")})
			m = &t.members[len(t.members)-1]
		}
		if m.object == nil {
			s := m.field.Shape.Object()
			if s == nil || m.value[0] != '{' {
				return nil
			}
			m.object = newTree(t.edit, s, m.value)
		}
		t = m.object
	}
	return t
}

// around returns the object around the value at a path, and the value's name in it.
func (t *tree) around(path []string, create bool) (in *tree, name string) {
	n := len(path) - 1
	return t.within(path[:n], create), path[n]
}

// Value returns the JSON of the value at a path, in the spelling of its type.
func (t *tree) Value(path []string) runtime.JSON {
	in, name := t.around(path, false)
	if in == nil {
		return nil
	}
	m := in.find(name)
	if m == nil {
		return nil
	}
	out, why := appendAs(nil, m.field.Shape, nil, m.append(nil))
	if why != Converted {
		t.edit.refuse(why)
		return nil
	}
	return out
}

// errMisfit means that a type cannot represent the result of a change.
var errMisfit = errors.New("the type cannot represent the value")

// Set sets the value at a path, and creates the objects around it.
func (t *tree) Set(path []string, value runtime.JSON) error {
	in, name := t.around(path, true)
	f := memberOf(in.shape, name)
	r := reader{Cursor: jsontext.Cursor{Data: value, Watch: t.edit.Watch}, takesBags: true, limit: t.edit.limit, repeats: t.edit.repeats, own: t.edit.own}
	if f == nil || !r.conforms(f.Shape) {
		return errMisfit
	}
	if m := in.find(name); m != nil {
		m.value, m.object = value, nil
		return nil
	}
	in.members = append(in.members, treeMember{field: f, value: value})
	return nil
}

// Remove removes the value at a path.
func (t *tree) Remove(path []string) {
	if in, name := t.around(path, false); in != nil {
		in.members = slices.DeleteFunc(in.members, func(m treeMember) bool { return m.field.Name == name })
	}
}

// Has reports whether there is an object at a path.
func (t *tree) Has(path []string) bool { return t.within(path, false) != nil }

// IsEmpty reports whether there is an object at a path that has no member and no bag.
func (t *tree) IsEmpty(path []string) bool {
	in := t.within(path, false)
	return in != nil && len(in.members)+len(in.bag) == 0
}

// Bag returns the property bag of the object at a path.
func (t *tree) Bag(path []string) *runtime.PropertyBag {
	in := t.within(path, false)
	if in == nil || !in.shape.HasBag {
		return nil
	}
	return &in.bag
}

// member is a member of a tree as a [declared.Property].
type member struct {
	of   *tree
	path []string
}

// JSON returns the JSON of the value.
func (m member) JSON() runtime.JSON { return m.of.Value(m.path) }

// Set sets the value.
func (m member) Set(value runtime.JSON) error {
	if value == nil {
		m.of.Remove(m.path)
		return nil
	}
	return m.of.Set(m.path, value)
}
