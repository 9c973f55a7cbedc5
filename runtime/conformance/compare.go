package conformance

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// comparison has the options for comparing two objects, and their first difference.
type comparison struct {
	// converted ignores the fields that conversions need not preserve.
	converted bool
	// onlyVisible ignores hidden values: property bags and the original version.
	onlyVisible bool
	// soft treats absent, empty and zero values as equal.
	soft bool
	// loose compares free JSON in maps by value. It is set within retyped fields.
	loose bool
	// apart also requires that the objects share no memory.
	apart bool

	path   []string // innermost first
	reason string
}

func (c *comparison) differ(of reflect.Type, a, b unsafe.Pointer) bool {
	c.reason = fmt.Sprintf("got %s, want %s", describe(of, a), describe(of, b))
	return false
}

func (c *comparison) shared() bool {
	c.reason = "both share its memory"
	return false
}

// within adds a step at the front of the path to the difference.
func (c *comparison) within(step string) bool {
	c.path = append(c.path, step)
	return false
}

// String returns the path of the difference and its reason.
func (c *comparison) String() string {
	steps := slices.Clone(c.path)
	slices.Reverse(steps)
	return strings.TrimPrefix(strings.Join(steps, ""), ".") + ": " + c.reason
}

// describe formats a value as one line of bounded length.
func describe(of reflect.Type, p unsafe.Pointer) string { return describeUpTo(of, p, 300) }

func describeUpTo(of reflect.Type, p unsafe.Pointer, most int) string {
	value := reflect.NewAt(of, p)
	switch v := value.Elem(); v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if v.IsNil() {
			return "absent"
		}
	}
	data, err := newEncoder().encode(value.Interface())
	if err != nil {
		data = fmt.Appendf(nil, "%+v", value.Elem())
	}
	return shorten(string(data), most)
}

func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

func isShared(x, y []byte) bool {
	return len(x) > 0 && len(y) > 0 && unsafe.SliceData(x) == unsafe.SliceData(y)
}

// isNothingAt reports whether both values are absent, empty or zero.
func isNothingAt(of reflect.Type, a, b unsafe.Pointer) bool {
	for _, p := range []unsafe.Pointer{a, b} {
		data, err := json.Marshal(reflect.NewAt(of, p).Interface())
		if err != nil || withoutNothing(readValue(data)) != nil {
			return false
		}
	}
	return true
}
