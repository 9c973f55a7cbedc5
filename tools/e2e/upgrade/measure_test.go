package upgrade_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratakube/strata/tools/build/testrun/tier"
)

// TestPredictions plans an upgrade whose rate of writes the user bounds, and measures what the
// cluster reaches. The stage Rewrite then takes as long as the plan predicts, within 20 %, if the
// cluster reached the rate while it was measured.
func TestPredictions(t *testing.T) {
	tier.Long(t, "measures predictions")
	const rate = 20
	filled := tier.IfSoak(200, 300)
	s := open(t, "predictions.example.com")
	s.user = s.Kubeconfig
	h := &hubs{site: s, plan: filepath.Join(t.TempDir(), "plan.json")}
	s.fill(filled)
	dir := s.bundle(func(d *v1.CustomResourceDefinition) {
		hub(d, "v2")
		d.Spec.Versions[1].Schema = d.Spec.Versions[0].Schema
	})
	type kind struct {
		Writes   int
		Rate     float64
		Measured bool
		Seconds  float64
	}
	plan := func(args ...string) kind {
		t.Helper()
		if code, out := h.run(append([]string{"plan", dir, "--save", h.plan}, args...)...); code != 0 {
			t.Fatalf("plan: exit code %d\n%s", code, out)
		}
		text, err := os.ReadFile(h.plan)
		if err != nil {
			t.Fatal(err)
		}
		var of struct{ Kinds []kind }
		if err := json.Unmarshal(text, &of); err != nil || len(of.Kinds) != 1 {
			t.Fatalf("%v\n%s", err, text)
		}
		return of.Kinds[0]
	}
	before := h.resourceVersions("v2")
	unbounded := plan("--measure", "--rate", "10000")
	bounded := plan("--measure", "--rate", "20")
	t.Logf("the cluster writes %.0f objects a second", unbounded.Rate)
	if !unbounded.Measured || unbounded.Rate >= 10000 || unbounded.Rate < 1 {
		t.Errorf("without a bound: %+v", unbounded)
	}
	for name, version := range h.resourceVersions("v2") {
		if before[name] != version {
			t.Errorf("the plan has written %s", name)
		}
	}
	if bounded.Writes != filled {
		t.Fatalf("the plan has %d writes", bounded.Writes)
	}
	if code, out := h.run(append(h.work(dir, "apply", h.plan), "--rate", "20")...); code != 0 {
		t.Fatalf("apply: exit code %d\n%s", code, out)
	}
	out, err := h.command("status", h.upgrade(), "-o", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var u struct {
		Status struct {
			Stages []struct {
				Name              string
				Started, Finished time.Time
			}
			Kinds []struct{ Written int }
		}
	}
	if err := json.Unmarshal(out, &u); err != nil {
		t.Fatal(err)
	}
	if len(u.Status.Kinds) != 1 || u.Status.Kinds[0].Written != bounded.Writes {
		t.Errorf("apply wrote %+v, and the plan has %d", u.Status.Kinds, bounded.Writes)
	}
	for _, stage := range u.Status.Stages {
		if took := stage.Finished.Sub(stage.Started).Seconds(); stage.Name == "Rewrite" {
			ratio := took / bounded.Seconds
			t.Logf("Rewrite took %.0f s of %.1f s", took, bounded.Seconds)
			if bounded.Rate == rate && (ratio < 0.8 || ratio > 1.2) {
				t.Errorf("Rewrite took %.0f s, and the plan has %.1f s", took, bounded.Seconds)
			}
		}
	}
}
