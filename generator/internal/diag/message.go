package diag

import (
	"cmp"
	"fmt"
	"strings"
)

// Severity is how bad a message is.
type Severity int

// The severities, worst first.
const (
	Error Severity = iota
	Warning
	Note
)

// String returns the word that is printed before the text.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	}
	return "note"
}

// MarshalText writes a severity as a word in JSON too.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Severity) UnmarshalText(text []byte) error {
	for _, known := range []Severity{Error, Warning, Note} {
		if known.String() == string(text) {
			*s = known
			return nil
		}
	}
	return fmt.Errorf("%q is not a severity", text)
}

// Message is one diagnostic. It is an error, so that functions that find a single problem can
// return it. List.AddError recovers the message.
type Message struct {
	Severity Severity
	// Text is lower case, without a full stop, and does not contain its position.
	Text string
	// Hint describes what to do, in the same style; may be empty.
	Hint string
	// Paste has the lines that the hint refers to, to be pasted unchanged; may be empty.
	Paste string
	Pos   Pos
}

// Errorf returns an error.
func Errorf(pos Pos, format string, args ...any) Message {
	return Message{Severity: Error, Text: fmt.Sprintf(format, args...), Pos: pos}
}

// Warnf returns a warning.
func Warnf(pos Pos, format string, args ...any) Message {
	return Message{Severity: Warning, Text: fmt.Sprintf(format, args...), Pos: pos}
}

// Notef returns a note.
func Notef(pos Pos, format string, args ...any) Message {
	return Message{Severity: Note, Text: fmt.Sprintf(format, args...), Pos: pos}
}

// WithHint returns the message with a hint.
func (m Message) WithHint(format string, args ...any) Message {
	m.Hint = fmt.Sprintf(format, args...)
	return m
}

// WithPaste returns the message with lines to paste.
func (m Message) WithPaste(lines string) Message {
	m.Paste = lines
	return m
}

// Error returns the position and the text on one line, without line and column.
func (m Message) Error() string {
	return strings.Join(nonEmpty(m.Pos.String(), m.Text), ": ")
}

// compare orders messages by file, offset and text, and then by all other fields, so that only
// identical messages are equal.
func (m Message) compare(n Message) int {
	return cmp.Or(
		cmp.Compare(m.Pos.File, n.Pos.File),
		cmp.Compare(m.Pos.Offset, n.Pos.Offset),
		cmp.Compare(m.Text, n.Text),
		cmp.Compare(m.Pos.Path, n.Pos.Path),
		cmp.Compare(m.Severity, n.Severity),
		cmp.Compare(m.Hint, n.Hint),
		cmp.Compare(m.Paste, n.Paste),
	)
}
