package upgrade

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/terminal"
)

// Table prints a plan as text: a line for each kind, and one for each finding.
func (p *Plan) Table(w io.Writer) { p.sheet().table(w) }

// Markdown prints a plan as [Plan.Table] does, with tables of Markdown.
func (p *Plan) Markdown(w io.Writer) { p.sheet().markdown(w) }

// sheet is what is printed, in any form. Each table has a header.
type sheet struct {
	kinds     [][]string
	originals []string
	tables    [][][]string // that are printed if they have a row
	clean     bool         // there are no findings
}

func (p *Plan) sheet() *sheet {
	return &sheet{kinds: p.kinds(), originals: p.originals(), tables: [][][]string{p.findings(), p.notChecked()}, clean: !p.Failed()}
}

func (s *sheet) table(w io.Writer) {
	print := func(rows [][]string) {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, row := range rows {
			fmt.Fprintln(t, strings.Join(row, "\t"))
		}
		_ = t.Flush() // the writer's own error is returned to the caller
	}
	print(s.kinds)
	for _, line := range s.originals {
		fmt.Fprintln(w, line)
	}
	for _, rows := range s.tables {
		if len(rows) > 1 {
			print(rows)
		}
	}
	if s.clean {
		fmt.Fprintln(w, noFindings)
	}
}

func (s *sheet) markdown(w io.Writer) {
	print := func(rows [][]string) {
		for i, row := range rows {
			for j := range row {
				row[j] = markdown.Replace(row[j])
			}
			fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
			if i == 0 {
				fmt.Fprintf(w, "|%s\n", strings.Repeat("---|", len(row)))
			}
		}
	}
	print(s.kinds)
	if len(s.originals) > 0 {
		fmt.Fprintln(w)
	}
	for _, line := range s.originals {
		fmt.Fprintf(w, "- %s\n", markdown.Replace(line))
	}
	if s.clean {
		fmt.Fprintf(w, "\n%s\n", noFindings)
	}
	for _, rows := range s.tables {
		if len(rows) > 1 {
			fmt.Fprintln(w)
			print(rows)
		}
	}
}

// markdown escapes what has a meaning in Markdown. Names and messages come from users and
// converters.
var markdown = strings.NewReplacer(`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `\<`, `>`, `\>`, `|`, `\|`, `&`, `\&`, `~`, `\~`, "\n", " ")

const noFindings = "no findings"

// kinds returns the table of kinds, with its header.
func (p *Plan) kinds() [][]string {
	out := [][]string{{"CRD", "OBJECTS", "HUB", "CHANGES", "WRITES", "A SECOND", "TIME", "LARGEST"}}
	for i := range p.Kinds {
		k := &p.Kinds[i]
		out = append(out, []string{k.CRD, strconv.Itoa(k.Objects), k.hubs(), k.changes(), strconv.Itoa(k.Writes), k.rate(), k.time(), strconv.Itoa(k.Largest)})
	}
	return out
}

// rate returns the writes a second, and whether they are the maximum of the user.
func (k *Kind) rate() string {
	switch {
	case k.Rate == 0:
		return "-"
	case !k.Measured:
		return fmt.Sprintf("at most %.0f", k.Rate)
	}
	return fmt.Sprintf("%.0f", k.Rate)
}

func (k *Kind) time() string {
	if k.Rate == 0 {
		return "-"
	}
	return time.Duration(k.Seconds * float64(time.Second)).Round(time.Second).String()
}

// originals returns lines for each kind with objects: in which versions they may be stored, and
// their original versions.
func (p *Plan) originals() (out []string) {
	for i := range p.Kinds {
		k := &p.Kinds[i]
		if len(k.StoredVersions) > 0 && k.Objects > 0 {
			out = append(out, fmt.Sprintf("%s: stored in: %s", k.CRD, strings.Join(k.StoredVersions, ", ")))
		}
		if len(k.Originals) > 0 {
			var counts []string
			for _, version := range slices.Sorted(maps.Keys(k.Originals)) {
				counts = append(counts, fmt.Sprintf("%s %d", crd.Plain(version), k.Originals[version]))
			}
			out = append(out, fmt.Sprintf("%s: original versions: %s", k.CRD, strings.Join(counts, ", ")))
		}
	}
	return out
}

// findings returns the table of findings, with its header.
func (p *Plan) findings() [][]string {
	out := [][]string{{"FINDING", "CRD", "VERSION", "OBJECTS", "EXAMPLE", "PATH", "MESSAGE"}}
	for i := range p.Kinds {
		for _, f := range p.Kinds[i].Findings {
			reason := f.Reason
			if f.Note {
				reason += " (note)"
			}
			out = append(out, []string{reason, p.Kinds[i].CRD, crd.Plain(f.Version), strconv.Itoa(f.Objects), terminal.Line(f.Example), terminal.Line(f.Path), terminal.Line(f.Message)})
		}
	}
	return out
}

// notChecked returns the table of what was not read, with its header.
func (p *Plan) notChecked() [][]string {
	out := [][]string{{"NOT CHECKED", "REASON"}}
	for _, u := range p.NotChecked {
		out = append(out, []string{terminal.Line(u.What), terminal.Line(u.Reason)})
	}
	return out
}

func (k *Kind) hubs() string {
	switch k.From {
	case "", k.To:
		return k.To
	}
	return k.From + " -> " + k.To
}

func (k *Kind) changes() string {
	if k.New {
		return "new"
	}
	var out []string
	for _, c := range []struct {
		what     string
		versions []string
	}{{"added", k.Added}, {"gone", k.Gone}, {"unserved", k.Unserved}} {
		if len(c.versions) > 0 {
			out = append(out, c.what+" "+strings.Join(c.versions, " "))
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, "; ")
}

func objects(n int) string {
	if n == 1 {
		return "1 object"
	}
	return fmt.Sprintf("%d objects", n)
}
