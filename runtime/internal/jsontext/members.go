package jsontext

import (
	"bytes"
	"encoding/json"

	"github.com/stratakube/strata/runtime"
)

// MemberOf returns the first member of a JSON object with a name, and nil if there is none.
func MemberOf(object runtime.JSON, name string) runtime.JSON {
	value, _ := MemberAt(object, name)
	return value
}

// MemberAt is MemberOf, but also returns the offset of the value.
func MemberAt(object runtime.JSON, name string) (value runtime.JSON, at int) {
	c := Cursor{Data: object}
	if !c.Find(name) {
		return nil, 0
	}
	value = c.Raw()
	return value, c.At - len(value)
}

// Find steps to the value of the first member of the current object with a name. The name must be
// spelled without escapes. Find returns false if there is none.
func (c *Cursor) Find(name string) bool {
	for ok := c.Take('{'); ok && c.More('}'); {
		key := c.Raw()
		c.Take(':')
		if len(key) >= 2 && string(key[1:len(key)-1]) == name {
			return true
		}
		c.Raw()
	}
	return false
}

// EachMember calls visit for the members of a JSON object, and reports whether data is one.
func EachMember(data []byte, visit func(name []byte, value runtime.JSON)) bool {
	return (&Cursor{Data: data}).EachMember(visit)
}

// EachMember is the function [EachMember] for the rest of the cursor's data.
func (c *Cursor) EachMember(visit func(name []byte, value runtime.JSON)) bool {
	if !c.Take('{') {
		return false
	}
	for first := true; !c.Take('}'); first = false {
		if !first && !c.Take(',') || c.Peek() != '"' {
			return false
		}
		name := Unquoted(c.Raw())
		if !c.Take(':') {
			return false
		}
		value := c.Raw()
		if value == nil {
			return false
		}
		visit(name, value)
	}
	return c.Peek() == 0 && c.At == len(c.Data)
}

// AppendCompact appends JSON without white space.
func AppendCompact(out []byte, value runtime.JSON) []byte {
	c := Cursor{Data: value}
	if c.Skip(MaxDepth); !c.Spaced {
		return append(out, value...)
	}
	compact := bytes.NewBuffer(out)
	_ = json.Compact(compact, value) // the JSON is valid
	return compact.Bytes()
}

// Span locates a member in an object: the offsets of its name and its value, and its end, which
// is zero if there is no such member.
type Span struct {
	Start, Value, End int
	Alone             bool // the object has no other member
}

// MembersNamed finds the member with a name in a valid JSON value. It returns false for an object
// that has two.
func MembersNamed(object []byte, name string) (found Span, ok bool) {
	c := Cursor{Data: object}
	others := 0
	for more := c.Take('{'); more && c.More('}'); {
		at := Span{Start: c.At}
		is := string(c.Name()) == name
		c.Peek()
		at.Value = c.At
		c.Raw()
		switch at.End = c.At; {
		case !is:
			others++
		case found.End != 0:
			return found, false
		default:
			found = at
		}
	}
	found.Alone = others == 0
	return found, true
}

// WithComma extends the range of a member in an object by the adjacent comma, if there is one.
func WithComma(object []byte, from, to int) (int, int) {
	for i := to; i < len(object); i++ {
		if object[i] == ',' {
			return from, i + 1
		}
	}
	if before, found := bytes.CutSuffix(bytes.TrimRight(object[:from], " \t\r\n"), []byte{','}); found {
		from = len(before)
	}
	return from, to
}

// Begin steps into an object or a list. It steps over any other value, and returns false.
func (c *Cursor) Begin(bracket byte) bool {
	if c.Take(bracket) {
		return true
	}
	c.Raw()
	return false
}

// Begins steps into an object or a list, and reports whether it has a member or an element. It
// steps over an empty one.
func (c *Cursor) Begins(bracket byte) bool {
	return c.Take(bracket) && !c.Take(bracket+2) // the closing bracket, in ASCII
}
