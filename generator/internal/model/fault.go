package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// SyntaxError is an error in a text of the notation. Line and Column begin at 1; columns count
// bytes.
type SyntaxError struct {
	File         string
	Line, Column int
	Message      string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// maxFaults is the maximum number of errors that are reported for one text.
const maxFaults = 20

// faults collects the errors in a text.
type faults struct {
	file, text string
	reported   []fault
}

type fault struct {
	at      int
	message string
}

func (f *faults) full() bool { return len(f.reported) == maxFaults }

func (f *faults) report(at int, format string, args ...any) {
	if !f.full() {
		f.reported = append(f.reported, fault{at, fmt.Sprintf(format, args...)})
	}
}

// err joins the errors, each a *SyntaxError, in the order of their positions.
func (f *faults) err() error {
	slices.SortStableFunc(f.reported, func(a, b fault) int { return cmp.Compare(a.at, b.at) })
	var all []error
	for _, x := range f.reported {
		before := f.text[:x.at]
		all = append(all, &SyntaxError{
			File:    f.file,
			Line:    strings.Count(before, "\n") + 1,
			Column:  x.at - strings.LastIndexByte(before, '\n'),
			Message: x.message,
		})
	}
	return errors.Join(all...)
}
