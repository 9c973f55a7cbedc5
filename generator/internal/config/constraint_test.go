package config_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/config"
)

func TestConstraintAllows(t *testing.T) {
	tests := []struct {
		reason, constraint, version string
		want                        bool
	}{
		{"from a date on, the date itself", ">=2019-08-01", "2019-08-01", true},
		{"from a date on, later", ">=2019-08-01", "2020-01-01", true},
		{"a preview is before the stable of its date", ">=2019-08-01", "2019-08-01-preview", false},
		{"a later preview is later", ">=2019-08-01", "2019-08-02-preview", true},
		{"up to a date, its preview too", "<=2019-08-01", "2019-08-01-preview", true},
		{"after is not at", ">2019-08-01", "2019-08-01", false},
		{"a stable is after its preview", ">2019-08-01-preview", "2019-08-01", true},
		{"before is not at", "<2019-08-01", "2019-08-01", false},
		{"before, the preview of the date", "<2019-08-01", "2019-08-01-preview", true},
		{"plain means equal", "2019-08-01", "2019-08-01", true},
		{"plain takes no preview", "2019-08-01", "2019-08-01-preview", false},
		{"equal regardless of letter case", "=2019-08-01-Preview", "2019-08-01-preview", true},
		{"comma is and, within", ">=2019-08-01, <2022-01-01", "2021-12-31", true},
		{"comma is and, beyond", ">=2019-08-01, <2022-01-01", "2022-01-01", false},
		{"generations of Kubernetes", ">=v1beta1", "v1", true},
		{"alpha is before beta", ">=v1beta1", "v1alpha9", false},
		{"numbers are numbers", ">v1beta2", "v1beta10", true},
		{"a new generation's alpha is after the last stable", ">v1", "v2alpha1", true},
		{"kinds of labels do not compare", ">=v1alpha1", "2019-08-01", false},
		{"nor the other way round", "<2019-08-01", "v1", false},
		{"a label of no kind is never in", ">=2000-01-01", "latest", false},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			if got := constraint(t, tt.constraint).Allows(tt.version); got != tt.want {
				t.Errorf("%q allows %s: got %v", tt.constraint, tt.version, got)
			}
		})
	}
}

// TestBoundsPartition checks that exactly one of <, =, > holds for two versions of one style, and
// that >= and <= are the negations of < and >.
func TestBoundsPartition(t *testing.T) {
	dates := rapid.SampledFrom(strings.Fields("2019-08-01 2019-08-01-preview 2019-08-01-alpha 2019-08-02 2020-01-01-preview"))
	labels := rapid.SampledFrom(strings.Fields("v1 v1alpha1 v1beta1 v1beta2 v1beta10 v2alpha1 v10"))
	rapid.Check(t, func(rt *rapid.T) {
		kind := rapid.SampledFrom([]*rapid.Generator[string]{dates, labels}).Draw(rt, "kind")
		a, b := kind.Draw(rt, "a"), kind.Draw(rt, "b")
		holds := func(op string) bool { return constraint(t, op+b).Allows(a) }
		n := 0
		for _, op := range []string{"<", "=", ">"} {
			if holds(op) {
				n++
			}
		}
		if n != 1 || holds(">=") == holds("<") || holds("<=") == holds(">") || holds("=") != (a == b) {
			rt.Fatalf("%s against %s: < %v, = %v, > %v", a, b, holds("<"), holds("="), holds(">"))
		}
	})
}

func TestOnly(t *testing.T) {
	tests := []struct {
		reason            string
		values            []string
		resource, version string
		want              bool
	}{
		{"no limits allow everything", nil, "Microsoft.Batch/batchAccounts", "2019-08-01", true},
		{"an alternative that is empty", []string{"Microsoft.Batch/batchAccounts{,/pools}"}, "Microsoft.Batch/batchAccounts", "2019-08-01", true},
		{"an alternative across a slash", []string{"Microsoft.Batch/batchAccounts{,/pools}"}, "Microsoft.Batch/batchAccounts/pools", "2019-08-01", true},
		{"a star stays within its level", []string{"Microsoft.Batch/*"}, "Microsoft.Batch/batchAccounts/pools", "2019-08-01", false},
		{"two stars do not", []string{"Microsoft.Batch/**"}, "Microsoft.Batch/batchAccounts/pools", "2019-08-01", true},
		{"letter case varies in schemas", []string{"microsoft.batch/*"}, "Microsoft.Batch/batchAccounts", "2019-08-01", true},
		{"elements are alternatives", []string{"a/*", "Microsoft.Batch/*"}, "Microsoft.Batch/batchAccounts", "2019-08-01", true},
		{"resource and version must both be in", []string{"Microsoft.Batch/*", ">2019-08-01"}, "Microsoft.Batch/batchAccounts", "2019-08-01", false},
		{"versions alone", []string{"2019-08-01", "2020-01-01"}, "a/b", "2020-01-01", true},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			only, err := config.ParseOnly(tt.values)
			if err != nil {
				t.Fatal(err)
			}
			if got := only.Allows(tt.resource, tt.version); got != tt.want {
				t.Errorf("%q allows %s %s: got %v", tt.values, tt.resource, tt.version, got)
			}
			if tt.want && !only.AllowsType(tt.resource) || only.AllowsType("other/"+tt.resource) != (len(only.Resources) == 0) {
				t.Errorf("%q allows the type %s: %v", tt.values, tt.resource, only.AllowsType(tt.resource))
			}
			if only.IsZero() != (len(tt.values) == 0) {
				t.Errorf("IsZero is %v of %q", only.IsZero(), tt.values)
			}
		})
	}
	for _, bad := range []string{"", "/abs", "a/{b", ">=soon", "<"} {
		if _, err := config.ParseOnly([]string{bad}); err == nil {
			t.Errorf("--only %q is accepted", bad)
		}
	}
}
