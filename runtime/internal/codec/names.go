package codec

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// InStorage converts a value of a shape from the form of the API to that of storage. It renames
// members whose names are like that of a property bag. All other text keeps its spelling.
func InStorage(s *shape.Shape, value runtime.JSON) runtime.JSON {
	return respelled(s, value, bag.StoredName)
}

// InAPI is InStorage in the other direction. It also removes property bags.
func InAPI(s *shape.Shape, value runtime.JSON) runtime.JSON { return respelled(s, value, bag.APIName) }

func respelled(s *shape.Shape, value runtime.JSON, rename func(string) string) runtime.JSON {
	if s.Kind == shape.JSON || !bag.HasNameLikeIn(value) {
		return value
	}
	r := respeller{jsontext.Cursor{Data: value}, rename}
	return r.value(make(runtime.JSON, 0, len(value)+len(bag.Name)), s)
}

// respeller writes JSON of a shape with other names.
type respeller struct {
	jsontext.Cursor
	rename func(string) string
}

func (r *respeller) value(out []byte, s *shape.Shape) []byte {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	switch first := r.Peek(); {
	case (s.Kind == shape.Object || s.Kind == shape.Map) && first == '{':
		out = append(out, '{')
		for r.Take('{'); r.More('}'); {
			out = r.member(out, s)
		}
		return append(out, '}')
	case s.Kind == shape.List && first == '[':
		out = append(out, '[')
		for r.Take('['); r.More(']'); {
			out = r.value(jsontext.Separate(out), s.Elem)
		}
		return append(out, ']')
	}
	return append(out, r.Raw()...)
}

// member writes a member of an object or a map. It omits property bags.
func (r *respeller) member(out []byte, s *shape.Shape) []byte {
	name := string(r.Name())
	stored, to := name, r.rename(name)
	if len(to) > len(name) {
		stored = to
	}
	if stored == bag.Name && s.HasBag {
		r.Raw()
		return out
	}
	out = append(jsontext.AppendText(jsontext.Separate(out), to), ':')
	switch f := s.Member(stored); {
	case s.Kind == shape.Map:
		return r.value(out, s.Elem)
	case f != nil:
		return r.value(out, f.Shape)
	case s.Additional != nil:
		return r.value(out, s.Additional.Shape.Elem)
	default:
		return append(out, r.Raw()...)
	}
}
