package engine_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/progress"
)

const (
	boundedRule = `{type: array, maxItems: 9, items: {type: string, maxLength: 9, x-kubernetes-validations: [{rule: "self != 'x'"}]}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x + y != 'xy'))"}]}`
	costlyRule  = `{type: array, items: {type: string, maxLength: 9, x-kubernetes-validations: [{rule: "self != 'x'"}]}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x + y != 'xy'))"}]}`
	invalidRule = `{type: string, maxLength: 9, x-kubernetes-validations: [{rule: "self + 1"}]}`
)

// TestRulesThatAPIServersRefuse compares CRDs with rules that API servers refuse.
func TestRulesThatAPIServersRefuse(t *testing.T) {
	object := func(members string) string { return "{type: object, properties: {" + members + "}}" }
	version := func(name, spec string) string {
		return `{name: ` + name + `, served: true, storage: ` + map[bool]string{true: "true", false: "false"}[name == "v1"] + `, schema: {openAPIV3Schema: {type: object, properties: {spec: ` + object("value: "+spec) + `}}}}`
	}
	versions := func(all ...string) string { return "{versions: [" + strings.Join(all, ", ") + "]}" }
	for _, tt := range []struct{ name, at, was, is, finds string }{
		{"a bound goes", "", boundedRule, costlyRule, "limit-wider value, rule-cost value, rule-cost-total"},
		{"a bound comes", "", costlyRule, boundedRule, "limit-narrower value"},
		{"a rule is replaced", "", `{type: string, maxLength: 9}`, invalidRule, "rule-invalid value, rule-new value"},
		{"of the object itself", "root", object("spec: " + object("a: {type: string}")),
			`{type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}, x-kubernetes-validations: [{rule: self.spec.b}]}`, "rule-invalid, rule-new"},
		{"beside the spec", "root", object("spec: " + object("a: {type: string}") + ", data: " + boundedRule), object("spec: " + object("a: "+invalidRule) + ", data: " + costlyRule),
			"limit-narrower spec.a, limit-wider data, rule-cost data, rule-cost-total, rule-invalid spec.a, rule-new spec.a"},
		{"of a status", "root", object("spec: " + object("a: {type: string}") + ", status: " + object("b: {type: string, maxLength: 9}")),
			object("spec: " + object("a: {type: string}") + ", status: " + object("b: "+invalidRule)), "rule-invalid status.b, rule-new status.b"},
		{"a new version", "crd", versions(version("v1", boundedRule)), versions(version("v1", boundedRule), version("v2", costlyRule)),
			"limit-wider value, rule-cost value, rule-cost-total, version-new"},
		{"a new version with the faults of the one before", "crd", versions(version("v1", costlyRule)), versions(version("v1", costlyRule), version("v2", costlyRule)), "version-new"},
		{"two versions of a configuration", "versions", boundedRule, costlyRule, "limit-wider value, rule-cost value, rule-cost-total"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pair := parityPair{Name: tt.name, At: tt.at, Was: value(t, tt.was), Is: value(t, tt.is)}
			if got := strings.Join((parity{Form: "crd"}).compare(t, pair), ", "); got != tt.finds {
				t.Errorf("found %s, not %s", got, tt.finds)
			}
		})
	}
}

func value(t *testing.T, text string) (v any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestEstimatesOfRules checks what a finding says about a cost.
func TestEstimatesOfRules(t *testing.T) {
	dir := t.TempDir()
	within := func(bound, of string) string {
		return `{type: array, ` + bound + ` items: {type: object, properties: {part: ` + of + `}}}`
	}
	for side, schema := range map[string]string{"old": within("maxItems: 3,", boundedRule), "new": within("", costlyRule)} {
		spec := map[string]any{"type": "object", "properties": map[string]any{"value": value(t, schema)}}
		if err := os.MkdirAll(filepath.Join(dir, side), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, dir, side+"/widget.yaml", crdText(t, "", spec, nil))
	}
	result, err := engine.Engine{}.Diff(t.Context(), engine.DiffRequest{
		Request: engine.Request{Messages: new(diag.List), Sources: diag.NewSources(nil), Progress: progress.New(io.Discard, false)},
		Old:     filepath.Join(dir, "old"), New: filepath.Join(dir, "new"),
	})
	if err != nil || len(result.Comparisons) != 1 {
		t.Fatal(result, err)
	}
	changes := result.Comparisons[0].Changes
	at := slices.IndexFunc(changes, func(c diff.Change) bool { return c.Kind == diff.RuleCost })
	if at < 0 {
		t.Fatalf("no finding about a cost: %+v", changes)
	}
	got := changes[at]
	want := []diff.Bound{{Path: "value", Keyword: "maxItems"}, {Path: "value[].part", Keyword: "maxItems"}}
	if d := cmp.Diff(want, got.Estimate.Missing); d != "" {
		t.Errorf("unbounded (-want +got):\n%s", d)
	}
	if got.Path != "value[].part" || got.Estimate.Cost <= got.Estimate.Limit || got.Estimate.Times < 2 || got.Pos.Offset == 0 || !strings.HasSuffix(got.Pos.File, "widget.yaml") {
		t.Errorf("found %+v, %+v", got, got.Estimate)
	}
	for _, part := range []string{"self.all(x, self.all(y, x + y != 'xy')): the estimated cost is ", " and the limit is 10000000; evaluated up to ", " times; unbounded: value (maxItems), value[].part (maxItems)"} {
		if !strings.Contains(got.Detail(), part) {
			t.Errorf("%q lacks %q", got.Detail(), part)
		}
	}
}
