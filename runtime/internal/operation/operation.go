package operation

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// Operation converts value, which is present on one side of a change, to the other side. Before
// is the present value of the other side, or nil if it is absent: the parts of it that value
// cannot represent stay. An Operation returns nil if the other side cannot represent value.
//
// An Operation and its inverse form a lens: if an operation returns a result, its inverse
// converts the result to value. An operation never changes its arguments, and takes time in
// proportion to their length.
type Operation func(value, before runtime.JSON) runtime.JSON

// Unchanged returns the value. It is its own inverse.
func Unchanged(value, _ runtime.JSON) runtime.JSON { return value }

// Rename gives strings other names, also in lists and maps. Pairs are a name and its later name
// each, and form a permutation, so that the inverse has the pairs exchanged.
func Rename(pairs ...string) Operation {
	names := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		names[pairs[i]] = pairs[i+1]
	}
	return func(value, _ runtime.JSON) runtime.JSON {
		return appendRenamed(make(runtime.JSON, 0, len(value)), &jsontext.Cursor{Data: value}, names)
	}
}

func appendRenamed(out runtime.JSON, c *jsontext.Cursor, names map[string]string) runtime.JSON {
	switch c.Peek() {
	case '[':
		out = append(out, '[')
		for c.Take('['); c.More(']'); {
			out = appendRenamed(jsontext.Separate(out), c, names)
		}
		return append(out, ']')
	case '{':
		out = append(out, '{')
		for c.Take('{'); c.More('}'); {
			out = append(jsontext.AppendText(jsontext.Separate(out), string(c.Name())), ':')
			out = appendRenamed(out, c, names)
		}
		return append(out, '}')
	}
	raw := c.Raw()
	if text, is := textOf(raw); is {
		if name, changes := names[text]; changes {
			return jsontext.AppendText(out, name)
		}
	}
	return append(out, raw...)
}

// Plural converts a value to the first element of a list. The other elements of before stay. Its
// inverse is [Singular].
func Plural(value, before runtime.JSON) runtime.JSON {
	out := append(make(runtime.JSON, 0, len(value)+len(before)+2), '[')
	out = append(out, value...)
	c := jsontext.Cursor{Data: before}
	for i, ok := 0, c.Take('['); ok && c.More(']'); i++ {
		if element := c.Raw(); i > 0 {
			out = append(append(out, ','), element...)
		}
	}
	return append(out, ']')
}

// Singular returns the first element of a list, and nil for an empty list.
func Singular(value, _ runtime.JSON) runtime.JSON {
	c := jsontext.Cursor{Data: value}
	if !c.Take('[') || !c.More(']') {
		return nil
	}
	return jsontext.Present(c.Raw())
}

// Wrap converts a value to a member of an object. The other members of before stay. Its inverse
// is [Unwrap].
func Wrap(member string) Operation {
	return func(value, before runtime.JSON) runtime.JSON {
		out := append(make(runtime.JSON, 0, len(value)+len(before)+len(member)+5), '{')
		out = append(append(jsontext.AppendText(out, member), ':'), value...)
		jsontext.EachMember(before, func(name []byte, other runtime.JSON) {
			if string(name) != member {
				out = append(append(jsontext.AppendText(append(out, ','), string(name)), ':'), other...)
			}
		})
		return append(out, '}')
	}
}

// Unwrap returns a member of an object, and nil if it is absent.
func Unwrap(member string) Operation {
	return func(value, _ runtime.JSON) runtime.JSON {
		var found runtime.JSON
		jsontext.EachMember(value, func(name []byte, of runtime.JSON) {
			if found == nil && string(name) == member {
				found = jsontext.Present(of)
			}
		})
		return found
	}
}

// Split converts a string to the list of its parts between separators. An empty string has no
// parts, and without a separator any other has one. Its inverse is [Join].
func Split(separator string) Operation {
	return func(value, _ runtime.JSON) runtime.JSON {
		text, ok := textOf(value)
		if !ok {
			return nil
		}
		if separator == "" && text != "" {
			return append(jsontext.AppendText(runtime.JSON{'['}, text), ']')
		}
		const around = len(`"",`) // a part
		out := append(make(runtime.JSON, 0, len(value)+around*(strings.Count(text, separator)+1)), '[')
		for rest, more := text, text != ""; more; {
			var part string
			part, rest, more = strings.Cut(rest, separator)
			out = jsontext.AppendText(jsontext.Separate(out), part)
		}
		return append(out, ']')
	}
}

// Join converts a list of strings to one string, with separators between the elements.
func Join(separator string) Operation {
	return func(value, _ runtime.JSON) runtime.JSON {
		c := jsontext.Cursor{Data: value}
		if !c.Take('[') {
			return nil
		}
		text := make([]byte, 0, len(value))
		for i := 0; c.More(']'); i++ {
			part, ok := textOf(c.Raw())
			if !ok {
				return nil
			}
			if i > 0 {
				text = append(text, separator...)
			}
			text = append(text, part...)
		}
		return jsontext.AppendText(nil, jsontext.Borrow(text))
	}
}

// textOf returns the value of a JSON string. It shares the memory of value, which never changes.
func textOf(value runtime.JSON) (string, bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	return jsontext.Borrow(jsontext.Unquoted(value)), true
}

// Scale multiplies a number by by and divides it by over, which are positive. Its inverse has the
// two exchanged.
func Scale(by, over int64) Operation {
	return func(value, _ runtime.JSON) runtime.JSON {
		f, err := strconv.ParseFloat(string(value), 64)
		if scaled := f * float64(by) / float64(over); err == nil && !math.IsInf(scaled, 0) {
			return number(scaled)
		}
		return nil
	}
}

// ScaleWhole is [Scale] for integers. It truncates toward zero.
func ScaleWhole(by, over int64) Operation {
	return func(value, _ runtime.JSON) runtime.JSON {
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil {
			return nil
		}
		high, low := bits.Mul64(magnitude(n), uint64(by))
		if high >= uint64(over) {
			return nil
		}
		size, _ := bits.Div64(high, low, uint64(over))
		switch {
		case n >= 0 && size <= math.MaxInt64:
			return strconv.AppendUint(nil, size, 10)
		case n < 0 && size <= 1<<63:
			return strconv.AppendInt(nil, -int64(size), 10)
		}
		return nil
	}
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// number returns a number in the spelling of Go's JSON encoder.
func number(f float64) runtime.JSON { return jsontext.Encode(&f) }
