package document

import (
	"strconv"
	"strings"
)

// Pointer gives the JSON pointer (RFC 6901), within its document, of the innermost
// value that stands at a byte offset of a file, its name included. Of values that
// stand behind anchors it is that of the last one before the offset.
func Pointer(documents []*Value, offset int) string {
	var at *Value
	for _, d := range documents {
		if d.offset <= offset {
			at = d
		}
	}
	var b strings.Builder
	for at != nil {
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
