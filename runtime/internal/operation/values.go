package operation

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// appendRenamed appends a value whose strings have other names, also in lists and maps.
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

// listed returns a list that begins with value, and goes on as before does.
func listed(value, before runtime.JSON) runtime.JSON {
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

func first(value runtime.JSON) runtime.JSON {
	c := jsontext.Cursor{Data: value}
	if !c.Take('[') || !c.More(']') {
		return nil
	}
	return jsontext.Present(c.Raw())
}

// wrapped returns an object with value as a member, and the other members of before.
func wrapped(member string, value, before runtime.JSON) runtime.JSON {
	out := append(make(runtime.JSON, 0, len(value)+len(before)+len(member)+5), '{')
	out = append(append(jsontext.AppendText(out, member), ':'), value...)
	jsontext.EachMember(before, func(name []byte, other runtime.JSON) {
		if string(name) != member {
			out = append(append(jsontext.AppendText(append(out, ','), string(name)), ':'), other...)
		}
	})
	return append(out, '}')
}

func member(name string, value runtime.JSON) runtime.JSON {
	var found runtime.JSON
	jsontext.EachMember(value, func(each []byte, of runtime.JSON) {
		if found == nil && string(each) == name {
			found = jsontext.Present(of)
		}
	})
	return found
}

func parts(separator string, value runtime.JSON) runtime.JSON {
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

func joined(separator string, value runtime.JSON) runtime.JSON {
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

// textOf returns the value of a JSON string. It shares the memory of value, which never changes.
func textOf(value runtime.JSON) (string, bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	return jsontext.Borrow(jsontext.Unquoted(value)), true
}

func scaled(value runtime.JSON, by, over int64) runtime.JSON {
	f, err := strconv.ParseFloat(string(value), 64)
	if scaled := f * float64(by) / float64(over); err == nil && !math.IsInf(scaled, 0) {
		return number(scaled)
	}
	return nil
}

func scaledWhole(value runtime.JSON, by, over int64) runtime.JSON {
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

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// number returns a number in the spelling of Go's JSON encoder.
func number(f float64) runtime.JSON { return jsontext.Encode(&f) }
