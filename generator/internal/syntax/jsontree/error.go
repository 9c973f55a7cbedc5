package jsontree

import (
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// SyntaxError reports where a text is not a JSON document.
type SyntaxError struct {
	Offset  int
	Pointer string // of the innermost value around the position, except for a value that is too deep
	Reason  string
	Hint    string // what to do; empty where the reason says it
}

func (e *SyntaxError) Error() string { return e.Reason }

// locate converts any error of the decoder to a *SyntaxError.
func (p *parser) locate(err error) *SyntaxError {
	var located *SyntaxError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &located):
	case errors.As(err, &syntactic):
		located = &SyntaxError{Offset: p.skip + int(syntactic.ByteOffset), Reason: syntactic.Err.Error()}
		located.explain(p.tree.text)
	default:
		located = &SyntaxError{Offset: p.offset(), Reason: err.Error()}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		located.Offset, located.Reason = len(p.tree.text), "the document ends before its value does"
	}
	if len(p.tree.records) > 0 && len(p.open) < p.depth {
		located.Pointer = p.tree.Pointer(located.Offset)
	}
	return located
}

// explain replaces the reason of a frequent mistake by one that names the mistake. It moves the
// position to what the author must change.
func (e *SyntaxError) explain(text string) {
	if e.Offset >= len(text) {
		return
	}
	switch c := text[e.Offset]; {
	case c == '}' || c == ']':
		e.trailingComma(text, e.Offset)
	case c == ',':
		if end := afterSpace(text, e.Offset+1); end < len(text) && (text[end] == '}' || text[end] == ']') {
			e.trailingComma(text, end)
		}
	case c == '/' || c == '#':
		e.Reason, e.Hint = "JSON has no comments", "remove the comment"
	case c == '\'':
		e.Reason, e.Hint = "JSON has no strings in single quotes", `write double quotes: "`
	}
}

// trailingComma says that a comma precedes the end of an object or a list, if it does.
func (e *SyntaxError) trailingComma(text string, end int) {
	at := end - 1
	for at >= 0 && isSpace(text[at]) {
		at--
	}
	if at >= 0 && text[at] == ',' {
		what := "object"
		if text[end] == ']' {
			what = "list"
		}
		e.Offset, e.Reason, e.Hint = at, "a comma is followed by the end of the "+what, "remove the comma"
	}
}

func afterSpace(text string, at int) int {
	for at < len(text) && isSpace(text[at]) {
		at++
	}
	return at
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
