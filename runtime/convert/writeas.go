package convert

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// appendAs appends JSON that conforms to a shape in the form that its type writes: members and
// keys in order, and strings and numbers in their usual spelling. If held is not nil, it is the
// shape of the objects in the value. It refuses open objects, and maps and property bags that
// repeat a key.
func appendAs(out []byte, s, held *shape.Shape, data []byte) ([]byte, Refusal) {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	switch s.Kind {
	case shape.Text:
		return appendTextAs(out, data), Converted
	case shape.Number:
		f, _ := strconv.ParseFloat(string(data), 64)
		text, err := jsontext.Marshal(f)
		if err != nil {
			return out, WrongType
		}
		return append(out, text...), Converted
	case shape.Object:
		return appendObjectAs(out, cmp.Or(held, s), data)
	case shape.List:
		return appendListAs(out, s, held, data)
	case shape.Map:
		return appendDictAs(out, s, held, data)
	default:
		return jsontext.AppendCompact(out, data), Converted
	}
}

func appendTextAs(out, data []byte) []byte {
	if jsontext.IsPlain(data[1 : len(data)-1]) {
		return append(out, data...)
	}
	text, _ := jsontext.Marshal(string(jsontext.Unquoted(data))) // A string always has JSON.
	return append(out, text...)
}

func appendListAs(out []byte, s, held *shape.Shape, data []byte) ([]byte, Refusal) {
	out = append(out, '[')
	c := jsontext.Cursor{Data: data}
	for first := c.Take('['); c.More(']'); first = false {
		if !first {
			out = append(out, ',')
		}
		var why Refusal
		if out, why = appendAs(out, s.Elem, held, c.Raw()); why != Converted {
			return out, why
		}
	}
	return append(out, ']'), Converted
}

func appendDictAs(out []byte, s, held *shape.Shape, data []byte) ([]byte, Refusal) {
	all := jsontext.SortedMembers(data)
	out = append(out, '{')
	for i, n := range all {
		if i > 0 {
			if all[i-1].Name == n.Name {
				return out, RepeatedMember
			}
			out = append(out, ',')
		}
		name, _ := jsontext.Marshal(n.Name)
		var why Refusal
		if out, why = appendAs(append(append(out, name...), ':'), s.Elem, held, n.Value); why != Converted {
			return out, why
		}
	}
	return append(out, '}'), Converted
}

// orderedMember is a member and its position among all members that its type may write.
type orderedMember struct {
	field *shape.Field // nil for the property bag
	order int
	value runtime.JSON
}

func appendObjectAs(out []byte, s *shape.Shape, data []byte) ([]byte, Refusal) {
	if s.Additional != nil {
		return out, OpenObject
	}
	var all []orderedMember
	m, c := shape.MemberSet{Of: s}, jsontext.Cursor{Data: data}
	for c.Take('{'); c.More('}'); {
		f, _ := m.Find(c.Name())
		value := c.Raw()
		if f != nil {
			all = append(all, orderedMember{f, 2 * f.Order, value})
		} else {
			all = append(all, orderedMember{nil, 2*s.BagOrder + 1, value})
		}
	}
	slices.SortFunc(all, func(a, b orderedMember) int { return cmp.Compare(a.order, b.order) })
	out = append(out, '{')
	for i, member := range all {
		if i > 0 {
			out = append(out, ',')
		}
		var why Refusal
		if member.field == nil {
			out, why = appendDictAs(append(append(out, bag.QuotedName...), ':'), bagShape, nil, member.value)
		} else {
			out = append(jsontext.AppendText(out, member.field.Name), ':')
			out, why = appendAs(out, member.field.Shape, nil, member.value)
		}
		if why != Converted {
			return out, why
		}
	}
	return append(out, '}'), Converted
}

// bagShape is the shape of a property bag: a map of free JSON.
var bagShape = &shape.Shape{Kind: shape.Map, Elem: &shape.Shape{Kind: shape.JSON}}
