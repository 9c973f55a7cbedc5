package cli

import (
	"fmt"
	"slices"
	"strings"
)

// The forms of results.
const (
	table    = "table"
	json     = "json"
	markdown = "markdown"
	sarifs   = "sarif"
)

// format is how a result is printed, one of a few; it is the value of a flag.
type format struct {
	value string
	of    []string
}

// newFormat has the first form as its default.
func newFormat(of ...string) *format { return &format{of[0], of} }

// String gives the flag's value.
func (f *format) String() string { return f.value }

// Type names the values in the help text.
func (f *format) Type() string { return strings.Join(f.of, "|") }

// Set takes the flag's value.
func (f *format) Set(text string) error {
	if !slices.Contains(f.of, text) {
		return fmt.Errorf("want %s", f.words())
	}
	f.value = text
	return nil
}

func (f *format) words() string {
	last := len(f.of) - 1
	return strings.Join(f.of[:last], ", ") + " or " + f.of[last]
}

func (f *format) usage() string { return "how to print the result: " + f.words() }
