package convert

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// appendAs appends JSON that conforms to a shape in the form in which genruntime.Stash stores it:
// with sorted members and keys, and with strings and numbers spelled as API servers do. If stored
// is not nil, it is the shape of the objects in the value. It refuses open objects, and maps and
// property bags that repeat a key.
func appendAs(out []byte, s, stored *shape.Shape, data []byte) ([]byte, Refusal) {
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
		return appendObjectAs(out, cmp.Or(stored, s), data)
	case shape.List:
		return appendListAs(out, s, stored, data)
	case shape.Map:
		return appendDictAs(out, s, stored, data)
	default:
		return jsontext.AppendCompact(out, data), Converted
	}
}

func appendTextAs(out, data []byte) []byte {
	return jsontext.AppendText(out, jsontext.Borrow(jsontext.Unquoted(data)))
}

func appendListAs(out []byte, s, stored *shape.Shape, data []byte) ([]byte, Refusal) {
	out = append(out, '[')
	c := jsontext.Cursor{Data: data}
	for first := c.Take('['); c.More(']'); first = false {
		if !first {
			out = append(out, ',')
		}
		var why Refusal
		if out, why = appendAs(out, s.Elem, stored, c.Raw()); why != Converted {
			return out, why
		}
	}
	return append(out, ']'), Converted
}

func appendDictAs(out []byte, s, stored *shape.Shape, data []byte) ([]byte, Refusal) {
	all := jsontext.SortedMembers(data)
	out = append(out, '{')
	for i, n := range all {
		if i > 0 {
			if all[i-1].Name == n.Name {
				return out, RepeatedMember
			}
			out = append(out, ',')
		}
		var why Refusal
		if out, why = appendAs(append(jsontext.AppendText(out, n.Name), ':'), s.Elem, stored, n.Value); why != Converted {
			return out, why
		}
	}
	return append(out, '}'), Converted
}

// shapedMember is a member of an object with its shape.
type shapedMember struct {
	name  string
	shape *shape.Shape // nil for the property bag
	value runtime.JSON
}

func appendObjectAs(out []byte, s *shape.Shape, data []byte) ([]byte, Refusal) {
	if s.Additional != nil {
		return out, OpenObject
	}
	var all []shapedMember
	m, c := shape.MemberSet{Of: s}, jsontext.Cursor{Data: data}
	for c.Take('{'); c.More('}'); {
		f, _ := m.Find(c.Name())
		value := c.Raw()
		if f != nil {
			all = append(all, shapedMember{f.Name, f.Shape, value})
		} else {
			all = append(all, shapedMember{bag.Name, nil, value})
		}
	}
	slices.SortFunc(all, func(a, b shapedMember) int { return strings.Compare(a.name, b.name) })
	out = append(out, '{')
	for i, member := range all {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(jsontext.AppendText(out, member.name), ':')
		var why Refusal
		if member.shape == nil {
			out, why = appendDictAs(out, bagShape, nil, member.value)
		} else {
			out, why = appendAs(out, member.shape, nil, member.value)
		}
		if why != Converted {
			return out, why
		}
	}
	return append(out, '}'), Converted
}

// bagShape is the shape of a property bag: a map of free JSON.
var bagShape = &shape.Shape{Kind: shape.Map, Elem: &shape.Shape{Kind: shape.JSON}}
