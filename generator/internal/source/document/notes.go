package document

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/stratakube/strata/generator/internal/diag"
)

// Notes records notes about a file and those that it refers to. The zero value is ready.
type Notes struct{ first map[subject]note }

// subject identifies a note that is reported once: usually a keyword in a file.
type subject struct{ file, name string }

type note struct {
	at   Location
	text string
}

// RecordedNote is a note without a reference to its document.
type RecordedNote struct {
	subject subject
	message diag.Message
}

// Add records a note about a subject in a file. If there is one already, the earlier position
// counts.
func (n *Notes) Add(at Location, name, format string, args ...any) {
	key := subject{at.doc.Name, name}
	if before, ok := n.first[key]; ok && before.at.Offset() <= at.Offset() {
		return
	}
	if n.first == nil {
		n.first = map[subject]note{}
	}
	n.first[key] = note{at, fmt.Sprintf(format, args...)}
}

// Recorded returns the notes, in any order, without references to documents.
func (n *Notes) Recorded() []RecordedNote {
	var all []RecordedNote
	for key, note := range n.first {
		all = append(all, RecordedNote{key, diag.Message{Severity: diag.Note, Text: note.text, Pos: note.at.Where()}})
	}
	return all
}

// gatherNotes returns each note once, since several units may have read one file.
func gatherNotes(units []*Unit) []diag.Message {
	first := map[subject]diag.Message{}
	for _, u := range units {
		for _, n := range u.Notes {
			if before, ok := first[n.subject]; !ok || ByPosition(n.message, before) < 0 {
				first[n.subject] = n.message
			}
		}
	}
	return slices.SortedFunc(maps.Values(first), ByPosition)
}

// ByPosition orders messages by file and offset.
func ByPosition(a, b diag.Message) int {
	return cmp.Or(
		cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Offset, b.Pos.Offset),
		cmp.Compare(a.Text, b.Text), cmp.Compare(a.Hint, b.Hint),
	)
}
