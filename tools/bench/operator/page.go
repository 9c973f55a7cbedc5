package operator

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Pair has the figures of the operator, and those of a bare controller on another cluster.
type Pair struct{ Operator, Bare Figures }

// goal is how often the time of the bare controller may go into that of the operator.
const goal = 1.2

// Page is the report of both, in Markdown.
func (p Pair) Page() string {
	verdict := "reached"
	if p.ready() > goal {
		verdict = "missed"
	}
	return Page(p.Operator) + fmt.Sprintf(`
## Beside a bare controller

The peer is a controller as a team writes it for one version of an API: with controller-runtime and
typed clients of the [storage version](../guide/glossary.md#storage-version), without a framework.
It makes the same writes, the same calls of the external API and the same events, with as many
goroutines. It calls the external API itself, always in one version, and cannot continue where it
was killed. It has a cluster of its own, whose webhook is the same.

The time is from the first creation until all are ready; the goal is at most %.1f times that of the
peer: %s. Peer and operator share the processors with the API server, etcd and the webhook. So
the ratio of times says what users notice. [ADR 0113](../adr/0113-costs-beside-peers.md) says where
the difference goes.

| | operator | bare controller | times |
|---|---|---|---|
| all ready after | %s | %s | %.2f |
| CPU, with plugins | %s | %s | %.2f |
| memory, without plugins | %d MB | %d MB | %.2f |
| second pass | %s | %s | %.2f |
| writes a resource | %.2f | %.2f | |
| reviews a resource | %.2f | %.2f | |
`, goal, verdict,
		seconds(p.Operator.Ready), seconds(p.Bare.Ready), p.ready(),
		seconds(p.Operator.First.CPU), seconds(p.Bare.First.CPU), times(p.Operator.First.CPU, p.Bare.First.CPU),
		p.Operator.First.Memory>>20, p.Bare.First.Memory>>20, times(p.Operator.First.Memory, p.Bare.First.Memory),
		seconds(p.Operator.Looked), seconds(p.Bare.Looked), times(p.Operator.Looked, p.Bare.Looked),
		p.Operator.each(p.Operator.First.WritesInAll()), p.Bare.each(p.Bare.First.WritesInAll()),
		p.Operator.each(p.Operator.First.Reviews), p.Bare.each(p.Bare.First.Reviews))
}

func (p Pair) ready() float64 { return times(p.Operator.Ready, p.Bare.Ready) }

func times[T ~int64](of, by T) float64 { return float64(of) / float64(by) }

func (f Figures) each(n int) float64 { return float64(n) / float64(f.Resources) }

// Page is the report of figures, in Markdown.
func Page(all ...Figures) string {
	var b strings.Builder
	b.WriteString(`# What the operator costs

Written by ` + "`go tool mage bench:operator -write`" + `. The objects are persons, parties and notes of the
worked example, a third of each. Each kind is created in three versions in turn, and one person owns
all notes. A real API server, etcd, the conversion webhook, the operator with the ARM provider as
its plugin, and the simulator share the machine: trust the counts, not the times. In the second pass
an operator starts when all objects are ready, and looks at each of them. Writes are those to the
resources; events are counted apart. Reviews are conversions that the API server has asked the
webhook for, also for the clients that create the resources; [what a request
costs](reviews.md) tells what causes them. CPU is that of the operator and its plugins; memory is
that of the operator's own process.

![What the operator does for a resource](operator.svg)

| resources | created after | all ready after | reconciles a resource | writes a resource | reviews a resource | events | PUTs | GETs | CPU | memory |
|---|---|---|---|---|---|---|---|---|---|---|
`)
	for _, f := range all {
		row(&b, fmt.Sprint(f.Resources), f.Created, f.Ready, f.Resources, f.First)
		row(&b, "second pass", 0, f.Looked, f.Resources, f.Second)
	}
	b.WriteString("\nWrites by what was written:\n\n| resources | write | first pass | second pass |\n|---|---|---|---|\n")
	for _, f := range all {
		names := map[string]bool{}
		for _, p := range []Pass{f.First, f.Second} {
			for name := range p.Writes {
				names[name] = true
			}
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			fmt.Fprintf(&b, "| %d | %s | %d | %d |\n", f.Resources, name, f.First.Writes[name], f.Second.Writes[name])
		}
	}
	return b.String()
}

func row(b *strings.Builder, name string, created, ready time.Duration, resources int, p Pass) {
	share := func(n int) string { return fmt.Sprintf("%.2f", float64(n)/float64(resources)) }
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %d | %d | %d | %s | %d MB |\n", name, seconds(created), seconds(ready),
		share(p.Reconciles), share(p.WritesInAll()), share(p.Reviews), p.Events, p.ExternalCalls["PUT"], p.ExternalCalls["GET"], seconds(p.CPU), p.Memory>>20)
}

func seconds(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
