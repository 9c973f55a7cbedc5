package reconciler

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/stratakube/strata/operator/annotation"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
)

// TestTriedPaths adds paths that belong to one digest.
func TestTriedPaths(t *testing.T) {
	var all tried
	all.add("d", []string{"a", "b", "a"})
	all.add("d", []string{"b", "c"})
	for _, test := range []struct {
		reason, digest string
		paths          []string
		want           bool
	}{
		{"all paths", "d", []string{"c", "a", "b"}, true},
		{"some of them", "d", []string{"b"}, true},
		{"another path beside", "d", []string{"b", "x"}, false},
		{"the paths of another digest", "e", []string{"b"}, false},
	} {
		if got := all.has(test.digest, test.paths); got != test.want {
			t.Errorf("%s: %t", test.reason, got)
		}
	}
	if len(all.paths) != 3 {
		t.Errorf("the paths are %v", all.paths)
	}
	all.add("e", []string{"x"})
	if all.has("e", []string{"a"}) || !all.has("e", []string{"x"}) {
		t.Errorf("of another digest are %+v", all)
	}
}

// TestApplicableChanges is a table over the applied digest, the observation, and the state of the
// call before.
func TestApplicableChanges(t *testing.T) {
	drift, same := &v1.Observation{Exists: true, Compared: true, Drift: []string{"a"}}, &v1.Observation{Exists: true, Compared: true}
	nobody := &v1.Observation{Exists: true, Drift: []string{"a"}}
	for _, test := range []struct {
		reason   string
		seen     *v1.Observation
		recorded annotation.State
		unsure   string
		tried    []string
		applies  bool
	}{
		{"it was applied", same, annotation.State{Owned: true, ID: "/a", Applied: "d"}, "", nil, false},
		{"something differs", drift, annotation.State{Owned: true, ID: "/a", Applied: "d"}, "", nil, true},
		{"it was tried", drift, annotation.State{Owned: true, ID: "/a", Applied: "d"}, "", []string{"a"}, false},
		{"nobody has compared", nobody, annotation.State{Owned: true, ID: "/a", Applied: "d"}, "", nil, false},
		{"the object has changed, and nothing differs", same, annotation.State{Owned: true, ID: "/a", Applied: "before"}, "", nil, true},
		{"so, and a call that may have done it had no answer", same, annotation.State{Owned: true, ID: "/a", Applied: "before"}, "d", nil, false},
		{"a call for an earlier spec had none", same, annotation.State{Owned: true, ID: "/a", Applied: "before"}, "before", nil, true},
		{"it was done by half", drift, annotation.State{Owned: true, ID: "/a", Applied: "before"}, "d", nil, true},
		{"what is there was applied before, and is claimed anew", same, annotation.State{Owned: true, Applied: "before"}, "", nil, true},
	} {
		p := passOf(t, Options{})
		p.digest, p.seen, p.recorded = "d", test.seen, test.recorded
		memo := p.memo()
		memo.unsure = test.unsure
		memo.tried.add("d", test.tried)
		if got := p.mustApply(); got != test.applies {
			t.Errorf("%s: it is applied: %t", test.reason, got)
		}
	}
}

// TestUnsure covers calls of unknown effect. An observation can show the effect of a change only if
// something differed. What it shows after a create says nothing of an earlier change.
func TestUnsure(t *testing.T) {
	for _, test := range []struct {
		drift      []string
		create, is bool
	}{{nil, false, false}, {[]string{"a"}, false, true}, {[]string{"a"}, true, false}} {
		p := passOf(t, Options{})
		p.digest, p.seen = "d", &v1.Observation{Exists: true, Compared: true, Drift: test.drift}
		if p.unsure(test.create); (p.memo().unsure == "d") != test.is {
			t.Errorf("of a resource that differs in %v it is remembered: %t; create %t", test.drift, !test.is, test.create)
		}
	}
}

// TestCountsAreShared checks that two operators in one process count in one metric, and that
// another metric of that name is an error.
func TestCountsAreShared(t *testing.T) {
	_, kinds := kindsOf(t)
	registry := prometheus.NewRegistry()
	for range 2 {
		counts, err := NewCounts(registry)
		if err != nil {
			t.Fatal(err)
		}
		counts.drifted(kinds["Person"].kind)
	}
	if n := testutil.CollectAndCount(registry, "strata_operator_drift_total"); n != 1 {
		t.Errorf("there are %d metrics", n)
	}
	families, err := registry.Gather()
	if err != nil || len(families) != 1 || families[0].GetMetric()[0].GetCounter().GetValue() != 2 {
		t.Errorf("the metrics are %v (%v)", families, err)
	}
	other := prometheus.NewRegistry()
	other.MustRegister(prometheus.NewGauge(prometheus.GaugeOpts{Name: "strata_operator_drift_total", Help: "of another client"}))
	if _, err := NewCounts(other); err == nil {
		t.Error("a metric of another client is taken")
	}
	var none *Counts
	none.drifted(kinds["Person"].kind) // counts nothing
}
