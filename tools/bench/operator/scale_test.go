package operator_test

import (
	"testing"

	"github.com/stratakube/strata/tools/bench/operator"
	"github.com/stratakube/strata/tools/build/testrun/tier"
)

// TestScale starts operators on copies of resources, in several namespaces. They take the copies
// for their own, read each of them once, and write nothing.
func TestScale(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	sizes := tier.IfLong([]int{60, 120}, []int{300, 3000})
	s, err := operator.RunScale(t.Context(), open(t, nil), operator.ScaleOptions{Sizes: sizes, Namespaces: 3}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Points) != len(sizes) {
		t.Fatalf("%d of %d sizes were measured", len(s.Points), len(sizes))
	}
	for i, p := range s.Points {
		if p.Resources != sizes[i] || p.Unread != 0 || p.ExternalCalls["GET"] != p.Resources || p.Reads != 1 {
			t.Errorf("%d resources: %d GETs, %d of one resource, and %d resources unread", p.Resources, p.ExternalCalls["GET"], p.Reads, p.Unread)
		}
		if p.WritesInAll() != 0 || len(p.ExternalCalls) != 1 || p.Events != 0 {
			t.Errorf("%d resources: writes %v, calls %v, %d events", p.Resources, p.Writes, p.ExternalCalls, p.Events)
		}
		if p.Started == 0 || p.Looked < p.Started || p.Most == 0 {
			t.Errorf("%d resources: ready after %s, seen after %s, %d bytes", p.Resources, p.Started, p.Looked, p.Most)
		}
	}
}
