package mutation

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
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

// Score is the part of the mutants that tests kill, in percent. Those that are equivalent or do not
// compile do not count.
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
	sections := make([]section, len(all))
	for i, m := range all {
		sections[i] = m.section()
	}
	return pageOf(sections)
}

// Update returns the page with the new results of the measured packages. It preserves the results
// of other targets, and of a package that was interrupted before its first verdict.
func Update(page string, all []Measured, targets []Target) string {
	known := sectionsOf(page)
	for _, m := range all {
		if _, isKnown := known[m.Folder]; !isKnown || len(m.Results) == 0 || m.Count("") < len(m.Results) {
			known[m.Folder] = m.section()
		}
	}
	var sections []section
	for _, t := range targets {
		if s, isKnown := known[t.Folder]; isKnown {
			sections = append(sections, s)
		}
	}
	return pageOf(sections)
}

// section is the part of a page about one package.
type section struct {
	row   string // of the table of results
	lists string // of mutants, with their titles
}

const (
	columns    = "package | mutants | measured | killed | timed out | survived | not reached | equivalent | not compiled | score"
	beginOfRow = "| `"
	titleBegin = "## Mutants of `"
)

func pageOf(sections []section) string {
	var b strings.Builder
	b.WriteString(head)
	fmt.Fprintf(&b, "\n## Results\n\n| %s |\n%s|\n", columns, strings.Repeat("|---", strings.Count(columns, "|")+1))
	for _, s := range sections {
		b.WriteString(s.row)
	}
	for _, s := range sections {
		b.WriteString(s.lists)
	}
	return b.String()
}

// sectionsOf reads the sections of a page that pageOf wrote, by package.
func sectionsOf(page string) map[string]section {
	sections := map[string]section{}
	results, lists, _ := strings.Cut(page, "\n"+titleBegin)
	for line := range strings.Lines(results) {
		if of, isRow := strings.CutPrefix(line, beginOfRow); isRow {
			folder, _, _ := strings.Cut(of, "`")
			sections[folder] = section{row: line}
		}
	}
	if lists == "" {
		return sections
	}
	for _, list := range strings.Split(lists, "\n"+titleBegin) {
		folder, _, _ := strings.Cut(list, "`")
		s := sections[folder]
		s.lists += "\n" + titleBegin + strings.TrimSuffix(list, "\n") + "\n"
		sections[folder] = s
	}
	return sections
}

func (m Measured) section() section {
	row := fmt.Sprintf(beginOfRow+"%s` | %d | %d | %d | %d | %d | %d | %d | %d | %.1f %% |\n", m.Folder, len(m.Results), len(m.Results)-m.Count(""),
		m.Count(Killed), m.Count(TimedOut), m.Count(Survived), m.Count(NotReached), m.Count(Equivalent), m.Count(NotCompiled), m.Score())
	return section{row, m.list("survive", Survived, NotReached) + m.list("are equivalent", Equivalent)}
}

// list is the table of the mutants with one of the verdicts, and its title; empty where there are
// none.
func (m Measured) list(title string, verdicts ...Verdict) string {
	var rows strings.Builder
	for _, r := range m.Results {
		if slices.Contains(verdicts, r.Verdict) {
			fmt.Fprintf(&rows, "| %s | %s | %s | %s | %s |\n", r.File, r.Function, code(r.Source), code(r.Change), strings.TrimSpace(string(r.Verdict)+" "+r.Reason))
		}
	}
	if rows.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("\n%s%s` that %s\n\n| file | function | line | change | |\n|---|---|---|---|---|\n%s", titleBegin, m.Folder, title, rows.String())
}

// code is text between backquotes in a cell of a table.
func code(text string) string {
	text = strings.ReplaceAll(text, "|", `\|`)
	if strings.Contains(text, "`") {
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}
