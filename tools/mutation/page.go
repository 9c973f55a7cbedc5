package mutation

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
)

// head is the page above the results.
//
//go:embed head.md
var head string

// Count is how many mutants of a target have a verdict.
func (m Measured) Count(v Verdict) int {
	n := 0
	for _, r := range m.Results {
		if r.Verdict == v {
			n++
		}
	}
	return n
}

// Score is the part of the mutants that tests kill, in percent. Those that are equivalent or do not compile do not count.
func (m Measured) Score() float64 {
	killed := m.Count(Killed) + m.Count(TimedOut)
	all := killed + m.Count(Survived) + m.Count(NotReached)
	if all == 0 {
		return 100
	}
	return 100 * float64(killed) / float64(all)
}

// IsComplete reports whether every mutant has a verdict.
func (m Measured) IsComplete() bool { return m.Count("") == 0 }

// Judge returns an error that names the targets whose score is below the floor.
func Judge(all []Measured) error {
	var errs []error
	for _, m := range all {
		if m.IsComplete() && m.Score() < Floor {
			errs = append(errs, fmt.Errorf("tests kill %.1f %% of the mutants of %s, want %d %%", m.Score(), m.Folder, Floor))
		}
	}
	return errors.Join(errs...)
}

// Page is the report as Markdown. It depends on the results only.
func Page(all []Measured) string {
	var b strings.Builder
	b.WriteString(head)
	b.WriteString("\n## Results\n\n| package | mutants | measured | killed | timed out | survived | not reached | equivalent | not compiled | score |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, m := range all {
		fmt.Fprintf(&b, "| `%s` | %d | %d | %d | %d | %d | %d | %d | %d | %.1f %% |\n", m.Folder, len(m.Results), len(m.Results)-m.Count(""),
			m.Count(Killed), m.Count(TimedOut), m.Count(Survived), m.Count(NotReached), m.Count(Equivalent), m.Count(NotCompiled), m.Score())
	}
	for _, m := range all {
		m.list(&b, "survive", Survived, NotReached)
		m.list(&b, "are equivalent", Equivalent)
	}
	return b.String()
}

// list writes the mutants with one of the verdicts.
func (m Measured) list(b *strings.Builder, title string, verdicts ...Verdict) {
	var rows strings.Builder
	for _, r := range m.Results {
		for _, v := range verdicts {
			if r.Verdict == v {
				fmt.Fprintf(&rows, "| %s | %s | %s | %s | %s |\n", r.File, r.Function, code(r.Source), code(r.Change), strings.TrimSpace(string(v)+" "+r.Reason))
			}
		}
	}
	if rows.Len() > 0 {
		fmt.Fprintf(b, "\n## Mutants of `%s` that %s\n\n| file | function | line | change | |\n|---|---|---|---|---|\n%s", m.Folder, title, rows.String())
	}
}

// code is text between backquotes in a cell of a table.
func code(text string) string {
	text = strings.ReplaceAll(text, "|", `\|`)
	if strings.Contains(text, "`") {
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}
