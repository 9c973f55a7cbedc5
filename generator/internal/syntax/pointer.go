package syntax

import (
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Pointer returns the JSON pointer (RFC 6901), within its document, of the value that begins at a
// byte offset of a file; the outermost if several do. If none does, it returns that of the
// innermost value around the offset, including its name.
func Pointer(documents []*Value, offset int) string {
	var at *Value
	if n := sort.Search(len(documents), func(i int) bool { return documents[i].offset > offset }); n > 0 {
		at = documents[n-1]
	}
	var b strings.Builder
	for at != nil && at.offset != offset {
		step, child := at.around(offset)
		if child != nil {
			b.WriteString("/" + escaper.Replace(step))
		}
		at = child
	}
	return b.String()
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// around returns the last member or element that begins at an offset or before it.
func (v *Value) around(offset int) (step string, child *Value) {
	n := sort.Search(len(v.children), func(i int) bool { return v.children[i].nameAt > offset })
	if v.unsorted {
		n = slices.IndexFunc(append(slices.Clone(v.children), &Value{nameAt: offset + 1}), func(c *Value) bool { return c.nameAt > offset })
	}
	if n == 0 {
		return "", nil
	}
	if child = v.children[n-1]; v.kind == List {
		return strconv.Itoa(n - 1), child
	}
	return child.name, child
}
