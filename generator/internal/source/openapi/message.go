package openapi

import (
	"cmp"
	"fmt"

	"github.com/stratakube/strata/generator/internal/diag"
)

// subject is what is noted once: mostly a keyword, in a file.
type subject struct{ file, name string }

// note takes a note, or an earlier place for one that is taken already.
func (u *unit) note(at place, name, format string, args ...any) {
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
