package operator

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestPageOfPair says whether the goal is reached, and has both beside each other.
func TestPageOfPair(t *testing.T) {
	figures := func(ready time.Duration) Figures {
		return Figures{
			Resources: 100, Created: time.Second, Ready: ready, Looked: ready / 10,
			First: Pass{Reconciles: 100, Writes: map[string]int{"PATCH": 200, "PUT status": 100}, Events: 100, Reviews: 1500, CPU: ready / 2, Memory: int64(ready)},
		}
	}
	for _, test := range []struct {
		ready time.Duration
		want  []string
	}{
		{11 * time.Second, []string{"peer: reached", "| all ready after | 11.0 s | 10.0 s | 1.10 |\n", "| writes a resource | 3.00 | 3.00 | |\n", "| reviews a resource | 15.00 | 15.00 | |\n"}},
		{13 * time.Second, []string{"peer: missed", "| all ready after | 13.0 s | 10.0 s | 1.30 |\n", "| CPU, with plugins | 6.5 s | 5.0 s | 1.30 |\n"}},
	} {
		p := Pair{figures(test.ready), figures(10 * time.Second)}
		page := p.Page()
		for _, want := range test.want {
			if !strings.Contains(page, want) {
				t.Errorf("%q is not in the page:\n%s", want, page)
			}
		}
		if got, want := p.Ratios()["ready, times a bare controller"], test.ready.Seconds()/10; got != want {
			t.Errorf("the ratio is %g, want %g", got, want)
		}
	}
}

// TestPageOfScale fits a line through the points, and says which goals are reached.
func TestPageOfScale(t *testing.T) {
	scale := func(each int64, started time.Duration, writes int) Scale {
		s := Scale{Namespaces: 100, Bytes: 3210}
		for _, n := range []int{1000, 2000, 10_000} {
			s.Points = append(s.Points, Point{
				Resources: n, Looked: 2 * started, Heap: 20<<20 + each*int64(n), Live: each / 2 * int64(n), Resident: 40<<20 + 2*each*int64(n), Most: 50<<20 + 3*each*int64(n), Reads: 1,
				Pass: Pass{Reconciles: n, Started: started, CPU: time.Second, Writes: map[string]int{"PATCH": writes}, ExternalCalls: map[string]int{"GET": n}},
			})
		}
		return s
	}
	for _, test := range []struct {
		scale Scale
		heap  float64
		want  []string
	}{
		{scale(4<<10, 10*time.Second, 0), 4, []string{
			"# How an operator starts with 10,000 resources\n", "an\nobject has 3.2 KB in etcd",
			"| 10,000 | 10.0 s | 20.0 s | 1.0 s | 1.00 | 0 | 0 | 10000 | 1 | 59 MB | 118 MB | 167 MB |\n",
			"gives **4.0 KB** of heap for each resource, and 20 MB without any", "Objects take 2.0 KB of these", "grows by 8.0 KB for each",
			"| 4.0 KB | reached |\n", "| ready within 60 s | 10.0 s | reached |\n", "| 0 | reached |\n", "| 1 | reached |\n",
		}},
		{scale(9<<10, 61*time.Second, 1), 9, []string{"| 9.0 KB | missed |\n", "| 61.0 s | missed |\n", "| 3 | missed |\n"}},
	} {
		page := test.scale.Page()
		for _, want := range test.want {
			if !strings.Contains(page, want) {
				t.Errorf("%q is not in the page:\n%s", want, page)
			}
		}
		if got := test.scale.Ratios()["KB of heap a resource"]; math.Abs(got-test.heap) > 1e-6 {
			t.Errorf("the ratio is %g, want %g", got, test.heap)
		}
	}
	svg := scale(4<<10, time.Second, 0).Chart()
	if lines, points := strings.Count(svg, "<polyline "), strings.Count(svg, "<circle "); lines != 3 || points != 9 || !strings.Contains(svg, ">10,000</text>") {
		t.Errorf("%d lines and %d points:\n%s", lines, points, svg)
	}
}
