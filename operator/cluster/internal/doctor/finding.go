package doctor

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stratakube/strata/operator/cluster/internal/terminal"
)

// Finding is something that is wrong. The command strata doctor reads these members.
type Finding struct {
	ID          string `json:"id"`
	Subject     string `json:"subject"` // the object that it is about
	Explanation string `json:"explanation"`
	// Command mends it, or shows how far what mends it is. Hint says what a command cannot do.
	Command string `json:"command,omitempty"`
	Hint    string `json:"hint,omitempty"`
	// Severity is one of those below.
	Severity string `json:"severity"`
}

// The severities of findings, the worst first. A note does not count.
const (
	failure = "error"
	warning = "warning"
	note    = "note"
)

// Report has the findings of a cluster.
type Report struct {
	Findings []Finding `json:"findings"`
}

// Failed reports whether any finding is more than a note.
func (r *Report) Failed() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity != note })
}

// Table prints the findings as text.
func (r *Report) Table(w io.Writer) {
	if len(r.Findings) == 0 {
		fmt.Fprintln(w, "nothing is wrong")
	}
	for _, f := range r.Findings {
		fmt.Fprintf(w, "%s %s: %s\n  %s\n", f.Severity, f.ID, terminal.Line(f.Subject), indented(f.Explanation))
		if f.Hint != "" {
			fmt.Fprintf(w, "  hint: %s\n", indented(f.Hint))
		}
		if f.Command != "" {
			fmt.Fprintf(w, "  $ %s\n", terminal.Line(f.Command))
		}
	}
}

func indented(text string) string {
	return strings.ReplaceAll(terminal.Lines(text), "\n", "\n  ")
}
