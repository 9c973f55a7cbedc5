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
