package conformance

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// bagEntry is free JSON that is compared by value: an entry of a property bag, which conversions
// may read and write again. What an object within has in a bag of its own counts as a member of it.
type bagEntry struct{ free }

func (n *bagEntry) equal(c *comparison, a, b unsafe.Pointer) bool {
	x, y := *(*[]byte)(a), *(*[]byte)(b)
	if sameEntry(x, y) || c.soft && sameValue(withoutNothing(readValue(x)), withoutNothing(readValue(y))) {
		return true
	}
	return c.differ(n.of, a, b)
}

// furtherEntry is free JSON that is compared by value: an additional member, which another version
// may have under a type.
type furtherEntry struct{ free }

// draw draws a null now and then: such a member is no absent one.
func (n *furtherEntry) draw(d *drawer, p unsafe.Pointer, must bool) bool {
	if d.next()&15 == 0 {
		d.budget--
		*(*[]byte)(p) = nil
		return true
	}
	return n.free.draw(d, p, must)
}

func (n *furtherEntry) equal(c *comparison, a, b unsafe.Pointer) bool {
	x, y := *(*[]byte)(a), *(*[]byte)(b)
	if (x == nil) == (y == nil) && (bytes.Equal(x, y) || isSameJSON(readValue(x), readValue(y))) {
		return true
	}
	return n.free.equal(c, a, b)
}

// byValue returns the node of additional members, or of what lists and maps of them hold, that
// compares free JSON by value.
func byValue(n node) node {
	switch n := n.(type) {
	case *free:
		return &furtherEntry{*n}
	case *plainDict[[]byte]:
		own := *n
		own.elem = byValue(n.elem)
		return &own
	case *dict:
		own := *n
		own.elem = byValue(n.elem)
		return &own
	case *list:
		own := *n
		own.elem = byValue(n.elem)
		return &own
	default:
		return n
	}
}

// isSameJSON reports whether two values are the same, numbers by value.
func isSameJSON(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, value := range a {
			if other, found := b[name]; !found || !isSameJSON(value, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, isSameJSON)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && numberText(a) == numberText(b)
	default:
		return a == b
	}
}

// sameEntry reports whether two entries of property bags are the same value.
func sameEntry(a, b []byte) bool {
	if (a == nil) != (b == nil) {
		return false
	}
	return bytes.Equal(a, b) || sameValue(readValue(a), readValue(b))
}

// readValue reads JSON without losing digits. What is no JSON is itself.
func readValue(data []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return string(data)
	}
	return value
}

func sameValue(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && sameMembers(flat(a), flat(b))
	case []any:
		b, ok := b.([]any)
		return ok && sameElements(a, b)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && numberText(a) == numberText(b)
	default:
		return a == b
	}
}

func sameMembers(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for name, value := range a {
		other, found := b[name]
		if !found || !sameValue(value, other) {
			return false
		}
	}
	return true
}

func sameElements(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !sameValue(a[i], b[i]) {
			return false
		}
	}
	return true
}

const bagName = "$propertyBag"

// flat returns the members of an object, those in its bag too. A null is no member.
func flat(object map[string]any) map[string]any {
	members := make(map[string]any, len(object))
	for name, value := range object {
		if value != nil && name != bagName {
			members[name] = value
		}
	}
	bag, ok := object[bagName].(map[string]any)
	if !ok && object[bagName] != nil {
		members[bagName] = object[bagName]
	}
	for key, value := range bag {
		name := memberName(key)
		if _, found := members[name]; !found && value != nil {
			members[name] = value
		}
	}
	return members
}

// memberName is the member that a key of a bag is of, where it is of one: the runtime escapes names
// that would read as other keys.
func memberName(key string) string {
	if rest := strings.TrimRight(key, "@"); len(rest) < len(key) && (rest == "" || markedKey.MatchString(rest)) {
		return key[:len(key)-1]
	}
	if ownKey.MatchString(key) {
		return key[1:]
	}
	return key
}

var (
	markedKey = regexp.MustCompile(`@v[0-9][^@]*$`)
	ownKey    = regexp.MustCompile(`^\$\$+(additional|covered|foreign|named)Properties$`)
)

// numberText is equal for equal numbers: integers exactly, others as float64.
func numberText(n json.Number) string {
	if !strings.ContainsAny(string(n), ".eE") {
		if n == "-0" {
			return "0"
		}
		return string(n)
	}
	f, err := n.Float64()
	if err != nil {
		return string(n)
	}
	if f == float64(int64(f)) && f > -1e18 && f < 1e18 {
		return strconv.FormatInt(int64(f), 10)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
