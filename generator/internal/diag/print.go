package diag

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/stratakube/strata/generator/internal/plaintext"
)

// DefaultLimit is how many messages of each severity are printed.
const DefaultLimit = 20

// Printer prints messages as text or as JSON.
type Printer struct {
	// Sources provides lines and excerpts; if it is nil, they are omitted.
	Sources *Sources
	// Limit is the number of messages of each severity that Text prints. 0 means DefaultLimit, and
	// a negative number all.
	Limit int
	// Colour prints severities in terminal colours.
	Colour bool
}

// Text writes messages in the given order:
//
//	strata: error: strata.yaml:9:3: output: unknown key "dirr"
//	    9 |   dirr: api
//	      |   ^
//	strata: hint: did you mean "dir"?
//
// Further lines of a text or hint are indented. Lines to paste are unchanged. Escape sequences of
// terminals are escaped, so that text from files cannot imitate a message. A last line counts the
// messages above the limit.
func (p Printer) Text(w io.Writer, messages []Message) error {
	var text strings.Builder
	var printed, hidden [Note + 1]int
	for _, m := range messages {
		if limit := p.limit(); limit >= 0 && printed[m.Severity] >= limit {
			hidden[m.Severity]++
			continue
		}
		printed[m.Severity]++
		p.message(&text, m)
	}
	if more := counted(hidden); more != "" {
		fmt.Fprintf(&text, "strata: %s: and %s\n", p.word(Note.String(), Note), more)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func (p Printer) limit() int {
	if p.Limit == 0 {
		return DefaultLimit
	}
	return p.Limit
}

func (p Printer) message(w io.Writer, m Message) {
	location, isLocated := p.Sources.Locate(m.Pos)
	where := m.Pos.File
	if isLocated {
		where = fmt.Sprintf("%s:%d:%d", m.Pos.File, location.Line, location.Column)
	}
	line := strings.Join(nonEmpty(plaintext.Visible(where), plaintext.Visible(m.Pos.Path), below(m.Text)), ": ")
	fmt.Fprintf(w, "strata: %s: %s\n", p.word(m.Severity.String(), m.Severity), line)
	if isLocated {
		number := fmt.Sprintf("%5d", location.Line)
		gutter := strings.Repeat(" ", len(number))
		fmt.Fprintf(w, "%s | %s\n%s | %s^\n", number, location.Excerpt, gutter, strings.Repeat(" ", location.Caret))
	}
	if m.Hint != "" {
		fmt.Fprintf(w, "strata: %s: %s\n", p.word("hint", Note), below(m.Hint))
	}
	if m.Paste != "" {
		fmt.Fprintf(w, "%s\n", plaintext.VisibleLines(strings.TrimSuffix(m.Paste, "\n")))
	}
}

// indent precedes further lines of a message.
const indent = "    "

// below returns text for a terminal, with its further lines indented.
func below(text string) string {
	return strings.ReplaceAll(plaintext.VisibleLines(text), "\n", "\n"+indent)
}

func (p Printer) word(word string, severity Severity) string {
	if !p.Colour {
		return word
	}
	colour := [...]string{Error: "\x1b[31m", Warning: "\x1b[33m", Note: "\x1b[36m"}[severity]
	return colour + word + "\x1b[0m"
}

func counted(hidden [Note + 1]int) string {
	var parts []string
	for severity, n := range hidden {
		switch {
		case n == 1:
			parts = append(parts, fmt.Sprintf("1 more %s", Severity(severity)))
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d more %ss", n, Severity(severity)))
		}
	}
	return strings.Join(parts, ", ")
}

// Record is the JSON form of a message. Line and Column are 0 if unknown.
type Record struct {
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
	Hint     string   `json:"hint,omitzero"`
	Paste    string   `json:"paste,omitzero"`
	File     string   `json:"file,omitzero"`
	Line     int      `json:"line,omitzero"`
	Column   int      `json:"column,omitzero"`
	Path     string   `json:"path,omitzero"`
	Excerpt  string   `json:"excerpt,omitzero"`
}

// Records returns the JSON form of all messages, without a limit.
func (p Printer) Records(messages []Message) []Record {
	records := make([]Record, len(messages))
	for i, m := range messages {
		location, _ := p.Sources.Locate(m.Pos)
		records[i] = Record{
			Severity: m.Severity, Text: m.Text, Hint: m.Hint, Paste: m.Paste, File: m.Pos.File, Path: m.Pos.Path,
			Line: location.Line, Column: location.Column, Excerpt: location.Excerpt,
		}
	}
	return records
}

// JSON writes all messages as one indented JSON list.
func (p Printer) JSON(w io.Writer, messages []Message) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(p.Records(messages))
}
