package operator

import (
	"fmt"
	"strings"
	"time"

	"github.com/stratakube/strata/tools/build/chart"
	"github.com/stratakube/strata/tools/build/ratios"
)

// The goals: for the heap of a resource in bytes, and for the time until an operator is ready.
const (
	goalHeap  = 8 << 10
	goalStart = time.Minute
)

func heapOf(p Point) int64     { return p.Heap }
func liveOf(p Point) int64     { return p.Live }
func residentOf(p Point) int64 { return p.Resident }

// Page is the report in Markdown.
func (s Scale) Page() string {
	var out strings.Builder
	last := s.Points[len(s.Points)-1]
	each, base := s.slope(heapOf)
	live, _ := s.slope(liveOf)
	resident, _ := s.slope(residentOf)
	fmt.Fprintf(&out, `# How an operator starts with %s resources

Written by `+"`go tool mage bench:scale -write`"+`. One operator makes %d resources of the worked example
ready. All others are copies of these, with claims that the operator has reason to believe: the
objects are written to etcd, and the resources to the simulator. They are in %d namespaces, and an
object has %.1f KB in etcd. The CRDs serve their [storage
version](../guide/glossary.md#storage-version) alone, the only one that the operator reads.

For each number of resources a new operator starts, and looks at each of them. A real API server,
etcd, the operator with the ARM provider as its plugin, and the simulator share the machine: trust
the counts and the memory, not the times. The operator may call the simulator 1,000 times a second.

![Memory of the operator by the number of resources](scale.svg)

| resources | ready after | all seen after | CPU | reconciles a resource | writes | PUTs | GETs | most of one resource | heap | memory | most memory |
|---|---|---|---|---|---|---|---|---|---|---|---|
`, thousands(last.Resources), originals, s.Namespaces, float64(s.Bytes)/1e3)
	for _, p := range s.Points {
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %.2f | %d | %d | %d | %d | %d MB | %d MB | %d MB |\n",
			thousands(p.Resources), seconds(p.Started), seconds(p.Looked), seconds(p.CPU), float64(p.Reconciles)/float64(p.Resources),
			p.WritesInAll(), p.ExternalCalls["PUT"], p.ExternalCalls["GET"], p.Reads, p.Heap>>20, p.Resident>>20, p.Most>>20)
	}
	fmt.Fprintf(&out, `
- *Ready* is the time from the start of the process until its probe is good: it has listed all
  objects, and filled its caches.
- *CPU* is that of the operator and its plugin, until its end. Writes are those to the resources in
  the API server; PUTs and GETs are those to the external API.
- *Heap* and *memory* are those of the operator's own process at rest, when Go has collected its
  garbage. The heap is what is in use (`+"`go_memstats_heap_inuse_bytes`"+`), with the free room that
  garbage has left between objects. *Most memory* is the most while it looked at the resources.

A line through these points gives **%.1f KB** of heap for each resource, and %.0f MB without any.
Objects take %.1f KB of these. The memory of the process grows by %.1f KB for each, since Go
collects garbage when the heap has doubled.

| goal | measured | |
|---|---|---|
| at most %d KB of heap a resource | %.1f KB | %s |
| ready within %.0f s | %s | %s |
| no writes to unchanged resources | %d | %s |
| at most one GET of each resource | %d | %s |
`, each/(1<<10), base/(1<<20), live/(1<<10), resident/(1<<10),
		goalHeap>>10, each/(1<<10), verdict(each <= goalHeap),
		goalStart.Seconds(), seconds(last.Started), verdict(last.Started <= goalStart),
		s.writes(), verdict(s.writes() == 0), s.reads(), verdict(s.reads() <= 1))
	return out.String()
}

func verdict(isReached bool) string {
	if isReached {
		return "reached"
	}
	return "missed"
}

// writes is the number of all writes: to the API server and to the external API.
func (s Scale) writes() (n int) {
	for _, p := range s.Points {
		n += p.WritesInAll() + p.ExternalCalls["PUT"]
	}
	return n
}

// reads is how often an operator has read a resource at most.
func (s Scale) reads() (most int) {
	for _, p := range s.Points {
		most = max(most, p.Reads)
	}
	return most
}

// thousands formats a number with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// Chart draws the memory by the number of resources, in SVG.
func (s Scale) Chart() string {
	const ticks = 5
	last := s.Points[len(s.Points)-1]
	c := chart.Lines{
		Title:       "Memory of the operator",
		Description: "Heap and memory of the operator's process at rest, and the most memory while it looks at all resources, by the number of resources. Straight lines mean that each resource takes the same. The page has the numbers.",
		X:           chart.Axis{Name: "resources", Scale: chart.Linear(float64(last.Resources))},
	}
	series := []struct {
		name string
		of   func(Point) int64
	}{
		{"heap", heapOf}, {"memory", residentOf}, {"most memory", func(p Point) int64 { return p.Most }},
	}
	most := 0.0
	for _, one := range series {
		line := chart.Line{Name: one.name}
		for _, p := range s.Points {
			y := float64(one.of(p)) / (1 << 20)
			most = max(most, y)
			line.Points = append(line.Points, chart.Point{X: float64(p.Resources), Y: y})
		}
		c.Series = append(c.Series, line)
	}
	step := 10.0
	for step*ticks < most {
		step += 10
	}
	c.Y = chart.Axis{Name: "MB", Scale: chart.Linear(step * ticks)}
	for i := range ticks + 1 {
		x, y := float64(last.Resources*i)/ticks, step*float64(i)
		c.X.Ticks = append(c.X.Ticks, chart.Value{Number: x, Text: thousands(int(x))})
		c.Y.Ticks = append(c.Y.Ticks, chart.Value{Number: y, Text: fmt.Sprint(y)})
	}
	return c.SVG()
}

// Ratios returns what the figures say on any machine: counts and memory for each resource.
func (s Scale) Ratios() ratios.Set {
	each, _ := s.slope(heapOf)
	live, _ := s.slope(liveOf)
	last := s.Points[len(s.Points)-1]
	of := func(n int) float64 { return float64(n) / float64(last.Resources) }
	return ratios.Set{
		"KB of heap a resource":     each / (1 << 10),
		"KB of objects a resource":  live / (1 << 10),
		"reconciles a resource":     of(last.Reconciles),
		"writes":                    float64(s.writes()),
		"GETs a resource":           of(last.ExternalCalls["GET"]),
		"most GETs of one resource": float64(s.reads()),
	}
}
