package jsontext

import (
	"bytes"
	"encoding/json"

	"github.com/stratakube/strata/runtime"
)

// IsSame reports whether two values are equal; both may be absent. The order of the members of
// objects does not matter, but that of several members of one name does. IsSame compares numbers
// like IsSameNumber. It uses a few words of memory for each member of objects whose members have
// different orders.
func IsSame(a, b runtime.JSON) bool {
	if bytes.Equal(a, b) {
		return (a == nil) == (b == nil) || len(a) == 0
	}
	if a == nil || b == nil || !IsValid(a) || !IsValid(b) {
		return false
	}
	c := comparison{a: Cursor{Data: a}, b: Cursor{Data: b}}
	return c.value()
}

// comparison reads two valid values at the same time. It compares each inner value once, and
// steps over it at most once for an object around it. So its time is linear.
type comparison struct {
	a, b Cursor
	// isIndexed reports that the cursors have their jumps.
	isIndexed bool
}

func (c *comparison) value() bool {
	first := c.a.Peek()
	switch second := c.b.Peek(); {
	case first == '{':
		return second == '{' && c.object()
	case first == '[':
		return second == '[' && c.list()
	case first == '"':
		return second == '"' && bytes.Equal(Unquoted(c.a.Raw()), Unquoted(c.b.Raw()))
	case first == '-' || '0' <= first && first <= '9':
		return (second == '-' || '0' <= second && second <= '9') && IsSameNumber(string(c.a.Raw()), string(c.b.Raw()))
	}
	return bytes.Equal(c.a.Raw(), c.b.Raw())
}

func (c *comparison) list() bool {
	c.a.Take('[')
	c.b.Take('[')
	for {
		more, another := c.a.More(']'), c.b.More(']')
		if more != another || more && !c.value() {
			return false
		}
		if !more {
			return true
		}
	}
}

// object compares members in their order while their names are equal, and the remaining ones by
// name.
func (c *comparison) object() bool {
	c.a.Take('{')
	c.b.Take('{')
	for {
		more, another := c.a.More('}'), c.b.More('}')
		if more != another {
			return false
		}
		if !more {
			return true
		}
		a, b := c.a.At, c.b.At
		if !bytes.Equal(c.a.Name(), c.b.Name()) {
			c.a.At, c.b.At = a, b
			return c.members()
		}
		if !c.value() {
			return false
		}
	}
}

// members compares the remaining members of an object.
func (c *comparison) members() bool {
	if !c.isIndexed {
		c.isIndexed = true
		c.a.Jumps, c.b.Jumps = FindJumps(c.a.Data), FindJumps(c.b.Data)
	}
	a, b := indexRest(&c.a, nil), indexRest(&c.b, nil)
	if a.Len() != b.Len() {
		return false
	}
	endA, endB := c.a.At, c.b.At
	for i := range a.entries {
		if a.entries[i].hash != b.entries[i].hash || !bytes.Equal(a.nameAt(i), b.nameAt(i)) {
			return false
		}
		c.a.At, c.b.At = int(a.entries[i].value), int(b.entries[i].value)
		if !c.value() {
			return false
		}
	}
	c.a.At, c.b.At = endA, endB
	return true
}

// Matches reports whether got is the same JSON value as want. A member of want that is null may
// be absent in got.
func Matches(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		return ok && matchesMembers(got, want)
	case []any:
		got, ok := got.([]any)
		return ok && matchesElements(got, want)
	case json.Number:
		got, ok := got.(json.Number)
		return ok && IsSameNumber(string(got), string(want))
	default:
		return got == want
	}
}

func matchesMembers(got, want map[string]any) bool {
	for name, value := range want {
		member, found := got[name]
		if !found && value == nil {
			continue
		}
		if !found || !Matches(member, value) {
			return false
		}
	}
	for name := range got {
		if _, found := want[name]; !found {
			return false
		}
	}
	return true
}

func matchesElements(got, want []any) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range want {
		if !Matches(got[i], want[i]) {
			return false
		}
	}
	return true
}
