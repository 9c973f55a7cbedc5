package diag

import (
	"cmp"
	"fmt"
	"strings"
)

// Severity says how bad a message is.
type Severity int

// The severities, worst first.
const (
	Error Severity = iota
	Warning
	Note
)

// String is the word that stands before the text when printed.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	}
	return "note"
}

// MarshalText makes a severity a word in JSON too.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Severity) UnmarshalText(text []byte) error {
	for _, known := range []Severity{Error, Warning, Note} {
		if known.String() == string(text) {
			*s = known
			return nil
		}
	}
	return fmt.Errorf("%q is no severity", text)
}

// Message is one thing to say. It is an error, so that functions that find a
// single problem can return it; List.AddError takes it back apart.
type Message struct {
	Severity Severity
	// Text is lower case, without a full stop, and without its position.
	Text string
	// Hint says what to do about it, in the same manner; may be empty.
	Hint string
	// Paste has the lines that the hint speaks of, to be pasted as they are; may be empty.
	Paste string
	Pos   Pos
}

// Errorf makes an error.
func Errorf(pos Pos, format string, args ...any) Message {
	return Message{Severity: Error, Text: fmt.Sprintf(format, args...), Pos: pos}
}

// Warnf makes a warning.
func Warnf(pos Pos, format string, args ...any) Message {
	return Message{Severity: Warning, Text: fmt.Sprintf(format, args...), Pos: pos}
}

// Notef makes a note.
func Notef(pos Pos, format string, args ...any) Message {
	return Message{Severity: Note, Text: fmt.Sprintf(format, args...), Pos: pos}
}

// WithHint gives the message with a hint.
func (m Message) WithHint(format string, args ...any) Message {
	m.Hint = fmt.Sprintf(format, args...)
	return m
}

// WithPaste gives the message with lines to paste.
func (m Message) WithPaste(lines string) Message {
	m.Paste = lines
	return m
}

// Error gives position and text on one line, without line and column.
func (m Message) Error() string {
	return strings.Join(nonEmpty(m.Pos.String(), m.Text), ": ")
}

// compare orders messages by file, offset and text, then by all the rest, so
// that only identical messages are equal.
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
