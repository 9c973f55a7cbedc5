package crd_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/emit/crd"
	"github.com/stratakube/strata/generator/internal/golden"
	"github.com/stratakube/strata/generator/internal/plan"
)

// TestReports compares a report that has all tables, and one that has no table of places, with the
// text that users read.
func TestReports(t *testing.T) {
	kind := func(group string) *plan.Kind {
		return &plan.Kind{Group: &plan.Group{Chain: &chain.Group{Name: group + ".example.com", Folder: group}}}
	}
	files := []crd.File{
		{
			Kind: kind("crm"), Name: "persons.crm.example.com", Size: 500, Trim: "shortened",
			Versions:  []crd.Version{{Name: "v1", Bytes: 300, Served: true}, {Name: "v2", Bytes: 100}},
			LeftOut:   []crd.LeftOut{{Version: "v1", Path: "spec.a", Requirement: "not this | that", Reason: "no rule can state it"}},
			Guarded:   []crd.Guarded{{Version: "v1", Path: "spec", Rule: "has(self.a) || self.b", Now: "true"}},
			Unguarded: []crd.Unguarded{{Version: "v2", Path: "spec.c", Rule: "self.d", Reason: "it does not parse"}},
			Cut: []crd.Cut{
				{Version: "v1", Path: "spec.e", Reason: "it contains itself"}, {Version: "v1", Path: "spec.f", Reason: "it is too wide"},
				{Version: "v1", Path: "spec.g", Reason: "it contains itself"}, {Version: "v2", Path: "spec.e", Reason: "it contains itself"},
			},
		},
		{Kind: kind("shop"), Name: "books.shop.example.com"},
	}
	for _, r := range crd.Reports(files, 1000) {
		want := filepath.Join("testdata", filepath.FromSlash(r.Path))
		if golden.Updates() {
			if err := errors.Join(os.MkdirAll(filepath.Dir(want), 0o755), os.WriteFile(want, r.Body, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(want)
		if diff := cmp.Diff(string(text), string(r.Body)); err != nil || diff != "" {
			t.Errorf("%s, %v (-want +got):\n%s", want, err, diff)
		}
	}
}
