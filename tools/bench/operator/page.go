package operator

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Page is the report of figures, in Markdown.
func Page(all ...Figures) string {
	var b strings.Builder
	b.WriteString(`# What the operator costs

Written by ` + "`go tool mage bench:operator -write`" + `. The objects are persons, parties and notes of the
worked example, a third of each. Each kind is created in three versions in turn, and one person owns
all notes. A real API server, etcd, the conversion webhook, the operator with the ARM provider as
its plugin, and the simulator share the machine: trust the counts, not the times. In the second pass
an operator starts when all objects are ready, and looks at each of them. Writes are those to the
resources; events are counted apart. Reviews are conversions that the API server has asked the webhook
for, also for the clients that create the resources; [what a request costs](reviews.md) tells what
causes them. CPU is that of the operator and its plugins; memory is that of
the operator's own process.

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
