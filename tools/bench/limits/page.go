package limits

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/bench/webhook"
	"github.com/stratakube/strata/tools/build/chart"
	"github.com/stratakube/strata/tools/build/ratios"
)

// Cluster is the cluster that is calculated.
type Cluster struct {
	Objects, Kinds int
	KB             float64 // of an object
	Versions       int     // of a kind that generated code registers
	Served         []int   // numbers of served versions that are compared
}

// Large is the cluster of the report.
var Large = Cluster{Objects: 1_000_000, Kinds: 500, KB: 6, Versions: 6, Served: []int{1, 2, 4, 8}}

// Report has what was measured, and what other benchmarks have recorded.
type Report struct {
	Curves []Curve
	Record ratios.Record
}

// line returns the line of a curve, the dearer of both directions.
func (r Report) line(quantity string) (out Line, err error) {
	found := false
	for _, c := range r.Curves {
		if strings.HasSuffix(c.Name, ", "+quantity) {
			if l, _ := c.Fit(); !found || l.Each > out.Each {
				out, found = l, true
			}
		}
	}
	if !found {
		return out, fmt.Errorf("the curve of %s was not measured", quantity)
	}
	return out, nil
}

// Page is the report in Markdown.
func (r Report) Page() (string, error) {
	var out strings.Builder
	out.WriteString(`# How costs grow

Written by ` + "`go tool mage bench:limits -write`" + `. It needs the real schemas, beside the repository or
where ` + "`STRATA_CORPORA`" + ` says.

![Processor time of a review by what it has](limits.svg)

A review has pools of Batch accounts. One quantity changes, and the others stay: one object of 6 KB,
three steps from the hub, nothing hidden. Times are processor time of the webhook with plans, in
process; over TLS they include the client. Points are medians, and points of one curve take turns.
The line is the one with the least relative errors. The last column is how far the worst point is
from it: where it is small, the cost is linear. Plans refuse objects with more than 64 hidden values
in one [property bag](../guide/glossary.md#property-bag), which convert through Go types.

| | unit | least | most | constant | each unit more | worst point |
|---|---|---|---|---|---|---|
`)
	for _, c := range r.Curves {
		l, worst := c.Fit()
		first, last := c.Points[0], c.Points[len(c.Points)-1]
		fmt.Fprintf(&out, "| %s | %.0f: %s | %.0f: %s | %s | %s | %.0f %% |\n", c.cells(),
			first.N, micro(first.CPU), last.N, micro(last.CPU), micro(l.Constant), micro(l.Each), 100*worst)
	}
	out.WriteString("\nAll points, in microseconds:\n\n| | unit | points |\n|---|---|---|\n")
	for _, c := range r.Curves {
		var all []string
		for _, p := range c.Points {
			all = append(all, fmt.Sprintf("%.0f: %.4g", p.N, p.CPU/1e3))
		}
		fmt.Fprintf(&out, "| %s | %s |\n", c.cells(), strings.Join(all, ", "))
	}
	cluster, err := r.cluster(Large)
	out.WriteString(cluster)
	return out.String(), err
}

// cells returns the direction and the quantity of a curve, as two cells of a table.
func (c Curve) cells() string { return strings.Replace(c.Name, ", ", " | ", 1) }

func micro(nanoseconds float64) string { return fmt.Sprintf("%.3g us", nanoseconds/1e3) }

// quantities are those that the chart shows, each as what is on its axis.
var quantities = []string{"KB over TLS", "KB", "objects", "hidden values"}

// Chart draws the curves to the hub, on logarithmic scales, in SVG.
func (r Report) Chart() string {
	c := chart.Lines{
		Title:       "Processor time of a review (logarithmic)",
		Description: "Processor time of a review to the hub, by the size of one object in KB, over TLS and in process, by the number of objects, and by the number of hidden values. On logarithmic scales a straight line upwards is linear growth. The page has the numbers.",
		X:           chart.Axis{Name: "KB, objects or hidden values", Scale: chart.Log(1, 3)},
		Y:           chart.Axis{Scale: chart.Log(1e4, 4)},
	}
	for i := range 4 {
		c.X.Ticks = append(c.X.Ticks, chart.Value{Number: math.Pow10(i), Text: fmt.Sprint(math.Pow10(i))})
	}
	for i, text := range []string{"10 us", "100 us", "1 ms", "10 ms", "100 ms"} {
		c.Y.Ticks = append(c.Y.Ticks, chart.Value{Number: 1e4 * math.Pow10(i), Text: text})
	}
	for _, quantity := range quantities {
		i := slices.IndexFunc(r.Curves, func(c Curve) bool { return c.Name == "to the hub, "+quantity })
		if i < 0 {
			continue
		}
		line := chart.Line{Name: quantity}
		for _, p := range r.Curves[i].Points {
			if p.N > 0 { // a logarithmic scale has no zero
				line.Points = append(line.Points, chart.Point{X: p.N, Y: p.CPU})
			}
		}
		c.Series = append(c.Series, line)
	}
	return c.SVG()
}

// cluster calculates what a cluster costs.
func (r Report) cluster(c Cluster) (string, error) {
	var errs []error
	get := func(bench, name string) float64 {
		value, found := r.Record[bench][name]
		if !found {
			errs = append(errs, fmt.Errorf("%q is not recorded; record it with `go tool mage bench:%s -write`", name, bench))
		}
		return value
	}
	line, err := r.line("KB over TLS")
	errs = append(errs, err)
	review := line.At(c.KB)
	registered := get("code", "all schemas, KB of heap for each version") * float64(c.Kinds*c.Versions) / 1e3
	stored := float64(c.Objects) * c.KB / 1e6
	var out strings.Builder
	fmt.Fprintf(&out, `
## A cluster of %s objects of %d kinds

Calculated, not measured: from the curves, and from what the reports on [reviews](reviews.md),
[CRDs](crds.md), [generated code](code.md) and [upgrades](upgrade.md) have. An object has %.0f KB, and
a kind has %d versions, of which the table varies how many are served.

- etcd has **%.0f GB** of objects. Its default quota is 2 GB, and its authors advise against more than
  8 GB. Such a cluster has several etcds, or fewer objects.
- A replica of the webhook has **%.0f MB** of heap for the types of all kinds. Objects add nothing to
  that: it stores none.
- A review of one object takes **%.0f us** over TLS, client included. One processor answers %.0f a
  second; two replicas answer twice as many.

| served versions | heap of CRDs | heap of objects | reviews a status update | updates of the status a second, for one processor of the webhook |
|---|---|---|---|---|
`, thousands(c.Objects), c.Kinds, c.KB, c.Versions, stored, registered, review/1e3, 1e9/review)
	definition := get("crds", "Strata, kinds of all sizes, MB of heap for each")
	for _, served := range c.Served {
		heap := get("crds", fmt.Sprintf("objects in %d versions, times their JSON in heap", served))
		reviews := get("reviews", "update of the status, through another version") + float64(served-1)*get("reviews", "update of the status, a served version more")
		fmt.Fprintf(&out, "| %d | %.1f GB | %.0f GB | %.0f | %.0f |\n", served, definition*float64(c.Kinds)/1e3, heap*stored, reviews, 1e9/(reviews*review))
	}
	writes := get("upgrade", "apply, 2 versions, writes an object")
	conversions := get("upgrade", "apply, 2 versions, conversions a write")
	fmt.Fprintf(&out, `
Heaps are those of one API server. The last two columns are for a client that writes through another
version than the [storage version](../guide/glossary.md#storage-version).

An upgrade writes each object once: %s writes, and %.0f million conversions. The webhook takes
%.1f hours of processor time for these. At 200 objects a second it lasts %.1f hours.
`, thousands(int(float64(c.Objects)*writes)), float64(c.Objects)*conversions/1e6, float64(c.Objects)*conversions*review/3.6e12, float64(c.Objects)/200/3600)
	return out.String(), errors.Join(errs...)
}

// thousands formats a number with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// Ratios returns what the curves say on any machine: how often the times of the lower half of the
// points go into those of the upper half. Only points of one curve are compared, since they take
// turns: the speed of a machine may change from one curve to the next. Halves have less noise than
// single points.
func (r Report) Ratios() ratios.Set {
	set := ratios.Set{}
	for _, c := range r.Curves {
		n := len(c.Points)
		set[c.Name+", upper half of the points, times the lower half"] = sum(c.Points[(n+1)/2:]) / sum(c.Points[:n/2])
	}
	return set
}

func sum(points []webhook.Point) (times float64) {
	for _, p := range points {
		times += p.CPU
	}
	return times
}
