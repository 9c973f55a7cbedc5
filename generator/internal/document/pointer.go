package document

import (
	"strconv"
	"strings"
)

// Pointer gives the JSON pointer (RFC 6901), within its document, of the value that
// begins at a byte offset of a file, the outermost if several do; else of the innermost
// that is around the offset, its name included.
func Pointer(documents []*Value, offset int) string {
	var at *Value
	for _, d := range documents {
		if d.offset <= offset {
			at = d
		}
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

// around gives the last member or element that begins at an offset or before.
func (v *Value) around(offset int) (step string, child *Value) {
	for i, c := range v.children {
		if c.nameAt > offset {
			break
		}
		if step, child = c.name, c; v.kind == List {
			step = strconv.Itoa(i)
		}
	}
	return step, child
}
