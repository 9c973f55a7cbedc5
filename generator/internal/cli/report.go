package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/plaintext"
)

// report prints the result of strata generate.
type report struct {
	request engine.GenerateRequest
	failed  bool

	summary engine.Summary
	budget  []engine.CRDSize
	changes *output.Changes // never nil
	drift   []output.Drift
	omitted []output.Omitted
	rows    []output.Resource
}

func newReport(request engine.GenerateRequest, result engine.GenerateResult) report {
	r := report{request: request, summary: result.Summary, budget: result.CRDs, changes: result.Changes, failed: request.Messages.Err() != nil}
	if r.changes == nil {
		r.changes = new(output.Changes)
	}
	if manifest := r.changes.Manifest; manifest != nil {
		r.omitted, r.rows = manifest.Omitted, manifest.Resources
	}
	if request.Check {
		r.drift = r.changes.Drift()
	}
	return r
}

func (r report) code() int {
	switch {
	case r.failed:
		return Failed
	case len(r.drift) > 0:
		return Findings
	}
	return Done
}

// finding says what --check found: what a run would change, and files that no run mends.
func (r report) finding() diag.Message {
	foreign := 0
	for _, d := range r.drift {
		if d.Kind == output.NotOurs {
			foreign++
		}
	}
	const own = "remove the files that no run generated, or their first lines if they are yours"
	not := counted(foreign, "file has", "files have") + " the header of strata, but no run generated " + map[bool]string{true: "it", false: "them"}[foreign == 1]
	ours := counted(len(r.drift)-foreign, "file differs", "files differ") + " from what strata would generate"
	switch foreign {
	case 0:
		return diag.Errorf(diag.Pos{}, "%s", ours).WithHint("run strata generate, and commit what it changes")
	case len(r.drift):
		return diag.Errorf(diag.Pos{}, "%s", not).WithHint(own)
	}
	return diag.Errorf(diag.Pos{}, "%s, and %s", ours, not).WithHint("run strata generate, and commit what it changes; " + own)
}

// document is the form of a report for programs. Its lists are never null.
type document struct {
	Outcome  string           `json:"outcome"`
	Summary  engine.Summary   `json:"summary"`
	CRDs     []engine.CRDSize `json:"crds"`
	Changes  []output.Change  `json:"changes"`
	Drift    []output.Drift   `json:"drift"`
	Omitted  []output.Omitted `json:"omitted"`
	Messages []diag.Record    `json:"messages"`
}

// print prints everything as one document, also of a run that failed.
func (r report) print(w io.Writer, format *format, messages []diag.Record) error {
	text, err := format.print(document{
		Outcome:  outcomes[r.code()],
		Summary:  r.summary,
		CRDs:     append([]engine.CRDSize{}, r.budget...),
		Changes:  append([]output.Change{}, r.changes.List...),
		Drift:    append([]output.Drift{}, r.drift...),
		Omitted:  append([]output.Omitted{}, r.omitted...),
		Messages: messages,
	})
	if err != nil {
		return err
	}
	return emit(w, text)
}

// table prints a result for users; of a run that failed there is none.
func (r report) table(w io.Writer) error {
	if r.failed {
		return nil
	}
	var text strings.Builder
	printGroups(&text, r.rows)
	if !r.request.Check {
		printBudget(&text, r.budget)
	}
	for _, omitted := range r.omitted {
		fmt.Fprintf(&text, "omitted  %s: %s\n", nameOf(omitted.Source), omitted.Reason)
	}
	switch {
	case r.request.Check:
		for _, drift := range r.drift {
			fmt.Fprintf(&text, "%-*s  %s\n", len(output.NotOurs), drift.Kind, drift.Path)
		}
	case r.request.DryRun:
		_ = r.changes.Print(&text) // to memory
	}
	fmt.Fprintln(&text, r.lastLine())
	return emit(w, plaintext.VisibleLines(text.String()))
}

// nameOf returns the name of an omitted source: a resource version, or the file if that is
// unknown.
func nameOf(s output.Source) string {
	return cmp.Or(strings.TrimSpace(s.Type+" "+s.Version), s.File)
}

// lastLine counts everything.
func (r report) lastLine() string {
	counts := fmt.Sprintf("%d created, %d updated, %d removed, %d kept",
		r.changes.Count(output.Create), r.changes.Count(output.Update), r.changes.Count(output.Remove), r.changes.Kept)
	switch {
	case r.summary.UpToDate:
		counts = "up to date"
	case r.request.Check:
		counts = fmt.Sprintf("%d differ", len(r.drift))
	case r.request.DryRun:
		counts += " (dry run)"
	}
	return fmt.Sprintf("resources: %d in %d versions, %d omitted; files: %d: %s",
		r.summary.Resources, r.summary.Versions, r.summary.Omitted, r.summary.Files, counts)
}

// printGroups prints a line a group: its kinds and their versions.
func printGroups(w io.Writer, rows []output.Resource) {
	if len(rows) == 0 {
		return
	}
	kinds, versions := map[string]map[string]bool{}, map[string]int{}
	var groups []string
	for _, row := range rows {
		if kinds[row.Group] == nil {
			kinds[row.Group] = map[string]bool{}
			groups = append(groups, row.Group)
		}
		kinds[row.Group][row.Kind] = true
		versions[row.Group]++
	}
	slices.Sort(groups)
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, "GROUP\tKINDS\tVERSIONS")
	for _, group := range groups {
		fmt.Fprintf(columns, "%s\t%d\t%d\n", group, len(kinds[group]), versions[group])
	}
	_ = columns.Flush() // to memory
}
