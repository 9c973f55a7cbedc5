package doctor

import (
	"cmp"
	"slices"
)

// Severity is how bad a finding is.
type Severity string

// The severities. Notes do not count as findings.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Finding is something that is wrong. strata-cluster prints the same members.
type Finding struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	// Subject is the file, module or object that it is about.
	Subject     string `json:"subject"`
	Explanation string `json:"explanation"`
	// Command mends it. Where only the author can, it is empty, and Hint says what to edit.
	Command string `json:"command,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

// Counts reports whether any finding is more than a note.
func Counts(all []Finding) bool {
	return slices.ContainsFunc(all, func(f Finding) bool { return f.Severity != Note })
}

// Sort sorts findings by severity, the worst first. Findings of a severity stay in order.
func Sort(all []Finding) {
	rank := []Severity{Error, Warning, Note}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Compare(slices.Index(rank, a.Severity), slices.Index(rank, b.Severity))
	})
}
