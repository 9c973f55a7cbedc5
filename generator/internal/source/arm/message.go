package arm

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/stratakube/strata/generator/internal/diag"
)

// subject identifies a note that is reported once: usually a keyword in a file.
type subject struct{ file, name string }

type note struct {
	at   location
	text string
}

// noted is a note without a reference to its document.
type noted struct {
	subject subject
	message diag.Message
}

// note records a note. If there is one for the subject already, it records the earlier position.
func (u *unit) note(at location, name, format string, args ...any) {
	key := subject{at.doc.name, name}
	if before, ok := u.notes[key]; ok && before.at.node.Offset() <= at.node.Offset() {
		return
	}
	u.notes[key] = note{at, fmt.Sprintf(format, args...)}
}

func (c *compiler) note(at location, name, format string, args ...any) {
	c.unit.note(at, name, format, args...)
}

func (u *unit) notesTaken() []noted {
	var all []noted
	for key, n := range u.notes {
		all = append(all, noted{key, diag.Message{Severity: diag.Note, Text: n.text, Pos: n.at.where()}})
	}
	return all
}

// gatherNotes returns each note once, since several units may have read one file.
func gatherNotes(units []*unit) []diag.Message {
	first := map[subject]diag.Message{}
	for _, u := range units {
		for _, n := range u.noted {
			if before, ok := first[n.subject]; !ok || n.message.Pos.Offset < before.Pos.Offset {
				first[n.subject] = n.message
			}
		}
	}
	notes := slices.Collect(maps.Values(first))
	slices.SortFunc(notes, byPlace)
	return notes
}

// byPlace orders messages by file and offset.
func byPlace(a, b diag.Message) int {
	return cmp.Or(
		cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Offset, b.Pos.Offset),
		cmp.Compare(a.Text, b.Text), cmp.Compare(a.Hint, b.Hint),
	)
}
