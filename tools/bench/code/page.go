package code

import (
	"fmt"
	"strings"
	"time"

	"github.com/stratakube/strata/tools/build/ratios"
)

const (
	// goal is how much of the peer's costs ours may be.
	goal = 0.25
	// azure is how many resource versions all of Azure Resource Manager has, and limit the processor
	// time in which a process registers them.
	azure = 14_326
	limit = 50 * time.Millisecond
)

// Results are the figures of all codes.
type Results struct {
	Peer         string // its version
	Ours, Theirs Figures
	All          []Figures // of Strata, with the engine of a webhook, by size
}

// measures are the costs that both have.
var measures = []struct {
	name, unit string
	of         func(Figures) float64
}{
	{"lines of Go", "", func(f Figures) float64 { return float64(f.Lines) }},
	{"processor time to compile", " ms", func(f Figures) float64 { return milliseconds(f.Compile) }},
	{"size of the program", " KB", func(f Figures) float64 { return float64(f.Binary) / 1e3 }},
	{"processor time to start", " us", func(f Figures) float64 { return 1e3 * milliseconds(f.Start) }},
	{"heap", " KB", func(f Figures) float64 { return float64(f.Heap) / 1e3 }},
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Ratios returns what the results say on any machine.
func (r Results) Ratios() ratios.Set {
	set := ratios.Set{}
	for _, m := range measures {
		set[m.name+", times Azure Service Operator"] = r.ratio(m.of)
	}
	for _, f := range r.All {
		set[f.Name+", KB of heap for each version"] = f.each(float64(f.Heap)) / 1e3
	}
	return set
}

func (r Results) ratio(of func(Figures) float64) float64 {
	return r.Ours.each(of(r.Ours)) / r.Theirs.each(of(r.Theirs))
}

// Page is the report on results, in Markdown.
func (r Results) Page() string {
	var out strings.Builder
	fmt.Fprintf(&out, `# What generated code costs its users

Written by `+"`go tool mage bench:code -write`"+`. It needs the real schemas, beside the repository or
where `+"`STRATA_CORPORA`"+` says, and downloads the peer.

The peer is Azure Service Operator (%s), whose Go types and conversions are generated, too.
Both have code for the same resource types in the same API versions: those groups of the peer for
whose versions there are schemas. Strata has %d resource versions, the peer %d. All costs are
for each of them.

- *Compile*: processor time of `+"`go build`"+` for the generated packages, median of %d runs by turns.
  What they import has been compiled, and the time of a run without work is subtracted.
- *Program*: how much larger it is than one that registers nothing.
- *Start*: processor time until all types are registered in a scheme, and *heap* after that. Those
  of a program that registers nothing are subtracted. Medians of %d starts.

Ratios are the same on any machine. The goal is at most %.2f of the peer's.

![What generated code costs beside Azure Service Operator](code.svg)

| for each resource version | Strata | Azure Service Operator | ratio | |
|---|---|---|---|---|
`, r.Peer, r.Ours.Versions, r.Theirs.Versions, compiles, starts, goal)
	for _, m := range measures {
		verdict := "reached"
		if r.ratio(m.of) > goal {
			verdict = "missed"
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %.2f | %s |\n", m.name, amount(r.Ours.each(m.of(r.Ours)), m.unit), amount(r.Theirs.each(m.of(r.Theirs)), m.unit), r.ratio(m.of), verdict)
	}
	fmt.Fprintf(&out, `
## All types in one process

A process registers types in a scheme, and makes the engine of a conversion webhook for them. Plans
of conversions are made when the first object needs them. The last column calculates the start for
all %d resource versions of Azure. The goal is %d ms.

| schemas | resource versions | start | heap | heap of each | start of all of Azure |
|---|---|---|---|---|---|
`, azure, limit.Milliseconds())
	for _, f := range r.All {
		fmt.Fprintf(&out, "| %s | %d | %.1f ms | %.1f MB | %.1f KB | %.0f ms |\n", f.Name, f.Versions, milliseconds(f.Start), float64(f.Heap)/1e6,
			f.each(float64(f.Heap))/1e3, azure*f.each(milliseconds(f.Start)))
	}
	return out.String()
}

// amount formats a number with two or three digits, and its unit.
func amount(number float64, unit string) string {
	if number >= 100 {
		return fmt.Sprintf("%.0f%s", number, unit)
	}
	return fmt.Sprintf("%.2g%s", number, unit)
}
