package openapi

import (
	"cmp"
	"fmt"

	"github.com/stratakube/strata/generator/internal/diag"
)

// subject identifies a note that is reported once: usually a keyword in a file.
type subject struct{ file, name string }

// note records a note. If there is one for the subject already, it records the earlier position.
func (u *unit) note(at location, name, format string, args ...any) {
	key := subject{at.file.name, name}
	if before, ok := u.notes[key]; ok && before.Pos.Offset <= at.value.Offset() {
		return
	}
	u.notes[key] = diag.Message{Severity: diag.Note, Text: fmt.Sprintf(format, args...), Pos: at.where()}
}

// byPlace orders messages by file and offset.
func byPlace(a, b diag.Message) int {
	return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Offset, b.Pos.Offset), cmp.Compare(a.Text, b.Text))
}
