package cli

import (
	"context"
	stdjson "encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/emit/kubeyaml"
	"github.com/stratakube/strata/generator/internal/plaintext"
)

// The forms of results.
const (
	table    = "table"
	json     = "json"
	yaml     = "yaml"
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

// add adds the flag to a command.
func (f *format) add(c *cobra.Command) {
	c.Flags().VarP(f, "output", "o", f.usage())
	completeFlag(c, "output", fixed(f.of...))
}

// isDocument reports whether the result is one document, which also has the messages, and the
// result of a run that failed.
func (f *format) isDocument() bool { return f.value == json || f.value == yaml }

// print encodes a document in the form.
func (f *format) print(document any) (string, error) {
	body, err := stdjson.MarshalIndent(document, "", "  ")
	if err != nil {
		return "", fmt.Errorf("marshal result: %w", err)
	}
	if f.value != yaml {
		return plaintext.JSON(string(body)) + "\n", nil
	}
	text, err := kubeyaml.FromJSON(context.Background(), []byte(plaintext.JSON(string(body))))
	return string(text), err
}

func (f *format) words() string {
	last := len(f.of) - 1
	return strings.Join(f.of[:last], ", ") + " or " + f.of[last]
}

func (f *format) usage() string { return "how to print the result: " + f.words() }
