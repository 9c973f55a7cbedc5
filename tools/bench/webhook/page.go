package webhook

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed testdata/head.md
var head string

// Page is the results in Markdown, for docs/reports/webhook.md.
func (r Results) Page() string {
	var out strings.Builder
	out.WriteString(head)
	r.writeGoals(&out)
	for _, part := range []struct {
		title string
		about func(Row) bool
	}{
		{"One object over TLS", func(row Row) bool { return row.Transport != inProcess && row.Hidden == "" }},
		{"In process", func(row Row) bool { return row.Transport == inProcess && row.Hidden == "" }},
		{"With hidden values", func(row Row) bool { return row.Hidden != "" }},
	} {
		r.writeRows(&out, part.title, r.find(part.about))
	}
	r.writeMemory(&out)
	r.writeWhere(&out)
	return out.String()
}

func (r Results) writeGoals(out *strings.Builder) {
	out.WriteString("\n## Goals\n\nEach by its worst case.\n\n| | goal | measured | |\n|---|---|---|---|\n")
	for _, g := range r.goals() {
		verdict := "missed"
		if g.reached {
			verdict = "reached"
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", g.what, g.want, g.got, verdict)
	}
}

func (r Results) writeRows(out *strings.Builder, title string, rows []Row) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(out, "\n## %s\n\n", title)
	out.WriteString("| | steps | | planned, times an echo | typed, times planned | controller-runtime, times planned | planned, CPU a review | allocations an object |\n")
	out.WriteString("|---|---|---|---|---|---|---|---|\n")
	for _, row := range rows {
		fmt.Fprintf(out, "| %s | %d | %s | %.2f | %.1f | %.1f | %s | %s |\n", row.name(), row.Steps, row.direction(),
			row.overEcho(), row.Ratio[Typed], row.overPeer(), inWords(row.CPU[Planned]), r.allocations(row))
	}
}

// name describes the request and the connection of a row.
func (r Row) name() string {
	what := "one object"
	if r.Objects > 1 {
		what = fmt.Sprintf("%d objects", r.Objects)
	}
	what = fmt.Sprintf("%s, %s of %d KB", r.Transport, what, r.Size/1000)
	if r.Hidden != "" {
		what += "; hidden: " + r.Hidden
	}
	return what
}

// allocations is how many plans make for one object more; nothing where there is only one.
func (r Results) allocations(row Row) string {
	if row.Objects == 1 {
		return ""
	}
	return fmt.Sprintf("%.2f", max(0, r.perObject(row)))
}

func (r Results) writeMemory(out *strings.Builder) {
	if len(r.Memory) == 0 {
		return
	}
	out.WriteString("\n## Memory\n\nThe peak of the heap beyond the review, for 5,000 objects of 6 KB in one review.\n\n| | MB |\n|---|---|\n")
	for _, name := range []string{Planned, Typed, Peer} {
		fmt.Fprintf(out, "| %s | %.1f |\n", name, float64(r.Memory[name])/1e6)
	}
}

// inWords is a time with two digits, which is how exact it is.
func inWords(ns float64) string {
	units := []string{"ns", "us", "ms", "s"}
	for ns >= 1000 && len(units) > 1 {
		ns, units = ns/1000, slices.Delete(units, 0, 1)
	}
	if ns < 10 {
		return fmt.Sprintf("%.1f %s", ns, units[0])
	}
	return fmt.Sprintf("%.0f %s", ns, units[0])
}
