package limits

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/bench/webhook"
	"github.com/stratakube/strata/tools/build/ratios"
)

// linear returns the points of a curve that costs a constant, and the same for each unit more.
func linear(name string, constant, each float64, values ...float64) (points []webhook.Point) {
	for _, n := range values {
		points = append(points, webhook.Point{Curve: name, N: n, CPU: constant + each*n})
	}
	return points
}

// TestFit finds the line of exact points. A curve that grows by squares is far from any line.
func TestFit(t *testing.T) {
	c := Curves(linear("to the hub, objects", 5000, 700, 1, 10, 100, 1000))[0]
	l, worst := c.Fit()
	if math.Abs(l.Constant-5000) > 1 || math.Abs(l.Each-700) > 0.1 || worst > 0.001 {
		t.Errorf("the line is %+v, the worst point %g from it", l, worst)
	}
	for i := range c.Points {
		c.Points[i].CPU = c.Points[i].N * c.Points[i].N
	}
	if l, worst := c.Fit(); worst < 0.5 {
		t.Errorf("squares are a line: %+v, the worst point %g from it", l, worst)
	}
}

// report returns a report with all curves, and a record of other benchmarks.
func report() Report {
	var points []webhook.Point
	for _, direction := range []string{"to the hub, ", "from the hub, "} {
		points = append(points, linear(direction+"KB over TLS", 94_000, 1000, 6, 12, 384)...)
		points = append(points, linear(direction+"KB", 4_000, 500, 6, 12, 384)...)
		points = append(points, linear(direction+"objects", 3_000, 6_000, 1, 10, 1000)...)
		points = append(points, linear(direction+"hidden values", 8_000, 300, 0, 5, 320)...)
	}
	return Report{Curves(points), ratios.Record{
		"code": {"all schemas, KB of heap for each version": 5},
		"crds": {
			"Strata, kinds of all sizes, MB of heap for each": 2,
			"objects in 1 versions, times their JSON in heap": 3, "objects in 2 versions, times their JSON in heap": 5,
			"objects in 4 versions, times their JSON in heap": 9, "objects in 8 versions, times their JSON in heap": 17,
		},
		"reviews": {"update of the status, through another version": 6, "update of the status, a served version more": 1},
		"upgrade": {"apply, 2 versions, writes an object": 1, "apply, 2 versions, conversions a write": 15},
	}}
}

// TestPage prints curves with their lines, and calculates the cluster from lines and record.
func TestPage(t *testing.T) {
	page, err := report().Page()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| to the hub | objects | 1: 9 us | 1000: 6e+03 us | 3 us | 6 us | 0 % |\n",
		"| from the hub | hidden values | 0: 8, 5: 9.5, 320: 104 |\n",
		"## A cluster of 1,000,000 objects of 500 kinds\n",
		"etcd has **6 GB** of objects", "has **15 MB** of heap", "takes **100 us** over TLS", "answers 10000 a\n",
		"| 1 | 1.0 GB | 18 GB | 6 | 1667 |\n", "| 8 | 1.0 GB | 102 GB | 13 | 769 |\n",
		"1,000,000 writes, and 15 million conversions. The webhook takes\n0.4 hours of processor time for these. At 200 objects a second it lasts 1.4 hours.\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page:\n%s", want, page)
		}
	}
}

// TestRecordIsNeeded names what is not recorded, and the command that records it.
func TestRecordIsNeeded(t *testing.T) {
	r := report()
	delete(r.Record, "crds")
	if _, err := r.Page(); err == nil || !strings.Contains(err.Error(), "record it with `go tool mage bench:crds -write`") {
		t.Errorf("the error is %v", err)
	}
}

// TestChart draws all lines but points that a logarithmic scale lacks.
func TestChart(t *testing.T) {
	svg := report().Chart()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v:\n%s", err, svg)
		}
	}
	if lines, points := strings.Count(svg, "<polyline "), strings.Count(svg, "<circle "); lines != 4 || points != 11 {
		t.Errorf("%d lines and %d points:\n%s", lines, points, svg)
	}
}

// TestRatios compares the halves of each curve, without the point between them. A curve that grows
// by squares has a much larger ratio.
func TestRatios(t *testing.T) {
	set := report().Ratios()
	if len(set) != 8 {
		t.Errorf("%d results of 8 curves: %v", len(set), set)
	}
	const name = "from the hub, hidden values, upper half of the points, times the lower half"
	was := set[name]
	if want := (8_000 + 300*320) / 8_000.0; math.Abs(was-want) > 1e-9 {
		t.Errorf("%s is %g, want %g", name, was, want)
	}
	r := report()
	for _, c := range r.Curves {
		for i, p := range c.Points {
			c.Points[i].CPU = 8_000 + 300*p.N*p.N
		}
	}
	if is := r.Ratios()[name]; is < 100*was {
		t.Errorf("%s is %g for squares, and %g for a line", name, is, was)
	}
}
