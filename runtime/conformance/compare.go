package conformance

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// comparison is how two objects are compared, and where they differ first.
type comparison struct {
	// converted leaves out the fields that conversions need not keep.
	converted bool
	// shown leaves out what users do not see: property bags and the original version.
	shown bool
	// soft takes absent, empty and zero values for the same.
	soft bool
	// loose compares free JSON in maps by value. It is set within fields that are retyped.
	loose bool
	// apart checks that the objects share no memory.
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

// within puts a step in front of the path to the difference.
func (c *comparison) within(step string) bool {
	c.path = append(c.path, step)
	return false
}

// String reports where and how the objects differ.
func (c *comparison) String() string {
	steps := slices.Clone(c.path)
	slices.Reverse(steps)
	return strings.TrimPrefix(strings.Join(steps, ""), ".") + ": " + c.reason
}

// describe writes a value for a person, in one line of bounded length.
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
