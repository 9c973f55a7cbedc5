package syntax

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// Kind is the kind of a value.
type Kind = jsontree.Kind

// The kinds of values. Absent is that of a nil *Value.
const (
	Absent = jsontree.Absent
	Null   = jsontree.Null
	Bool   = jsontree.Bool
	Number = jsontree.Number
	String = jsontree.String
	List   = jsontree.Array
	Object = jsontree.Object
)

// Value is a value of a document. A nil *Value is a missing value. Its methods return empty
// results, so that look-ups can be chained.
type Value struct {
	kind     Kind
	name     string // of a member
	text     string // of a string; the JSON text of a number or boolean
	offset   int    // in bytes, of the value
	nameAt   int    // in bytes, of a member's name; otherwise the same as offset
	children []*Value
	named    map[string]*Value // the members of an object with many members
	unsorted bool              // children are not in the order of their positions
	behind   bool              // an alias or a merge key stands for the value
}

// many is the number of members from which an index by name is faster.
const many = 16

// index prepares look-ups, once all children exist.
func (v *Value) index() {
	if v.kind == Object && len(v.children) >= many {
		v.named = make(map[string]*Value, len(v.children))
		for _, c := range v.children {
			v.named[c.name] = c
		}
	}
	v.unsorted = !slices.IsSortedFunc(v.children, func(a, b *Value) int { return cmp.Compare(a.nameAt, b.nameAt) })
}

// Kind returns the kind of the value.
func (v *Value) Kind() Kind {
	if v == nil {
		return Absent
	}
	return v.kind
}

// Name returns the name of a member; empty for other values.
func (v *Value) Name() string {
	if v == nil {
		return ""
	}
	return v.name
}

// Offset returns the number of bytes before the value.
func (v *Value) Offset() int {
	if v == nil {
		return 0
	}
	return v.offset
}

// NameOffset returns the number of bytes before a member's name. For other values it is the offset.
func (v *Value) NameOffset() int {
	if v == nil {
		return 0
	}
	return v.nameAt
}

// IsBehind reports whether an alias or a merge key stands for the value. Its offset is then that of
// the anchored value.
func (v *Value) IsBehind() bool { return v != nil && v.behind }

// All returns members or elements in their order.
func (v *Value) All() []*Value {
	if v == nil {
		return nil
	}
	return v.children
}

// Member returns an object's member with a name; nil if there is none.
func (v *Value) Member(name string) *Value {
	if v.Kind() != Object {
		return nil
	}
	if v.named != nil {
		return v.named[name]
	}
	for _, m := range v.children {
		if m.name == name {
			return m
		}
	}
	return nil
}

// Text returns the value of a string; empty for other kinds.
func (v *Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	return v.text
}

// Number returns the JSON text of a number; empty for other kinds.
func (v *Value) Number() string {
	if v.Kind() != Number {
		return ""
	}
	return v.text
}

// IsTrue reports whether the value is the boolean true.
func (v *Value) IsTrue() bool { return v.Kind() == Bool && v.text == "true" }

// JSON returns the value as compact JSON; null for a missing value.
func (v *Value) JSON() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

func (v *Value) write(b *strings.Builder) {
	switch v.Kind() {
	case Absent, Null:
		b.WriteString("null")
	case Bool, Number:
		b.WriteString(v.text)
	case String:
		b.WriteString(Quote(v.text))
	case List:
		v.each(b, '[', ']', func(c *Value) {})
	case Object:
		v.each(b, '{', '}', func(c *Value) { b.WriteString(Quote(c.name) + ":") })
	}
}

func (v *Value) each(b *strings.Builder, open, end byte, before func(*Value)) {
	b.WriteByte(open)
	for i, c := range v.children {
		if i > 0 {
			b.WriteByte(',')
		}
		before(c)
		c.write(b)
	}
	b.WriteByte(end)
}

// Quote returns a string as JSON, without HTML escapes. Characters that are not plain are escaped.
func Quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""`
	}
	return plaintext.JSON(strings.TrimSuffix(b.String(), "\n"))
}
