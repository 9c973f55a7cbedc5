package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/progress"
)

const crdOfCluster = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}, gone: {type: string}, propertyBag: {type: string}}}}}}
  - name: v1storage
    served: false
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}, propertyBag: {type: string}}}}}}
`

// TestDiffAsksCluster compares a cluster with a folder, in both directions. The cluster is asked
// for the groups of the folder, and for the properties that have changed.
func TestDiffAsksCluster(t *testing.T) {
	dir := t.TempDir()
	later := strings.ReplaceAll(crdOfCluster, "gone: {type: string}", "new: {type: string}")
	if err := os.WriteFile(filepath.Join(dir, "crd.yaml"), []byte(later), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		old, later string
		context    string // of the first call
		kind       diff.Kind
		uses       string
	}{
		{"kube://production", dir, "--context=production", diff.Removed, "spec.gone"},
		{dir, "kube://", "", diff.Removed, "spec.new"},
	} {
		var calls [][]string
		var asked []diff.Question
		r := engine.DiffRequest{
			Request: engine.Request{Messages: new(diag.List), Sources: diag.NewSources(nil), Progress: progress.New(io.Discard, false)},
			Old:     tt.old, New: tt.later, Usage: true, Context: "other",
			Cluster: func(_ context.Context, input []byte, args ...string) ([]byte, error) {
				calls = append(calls, args)
				if args[0] == "crds" {
					return []byte("---\n" + crdOfCluster), nil
				}
				if err := json.Unmarshal(input, &asked); err != nil {
					return nil, err
				}
				return []byte(`[{"version": "v1", "objects": 1243, "uses": [7, 8]}]`), nil
			},
		}
		result, err := engine.Engine{}.Diff(t.Context(), r)
		if err != nil {
			t.Fatalf("%s %s: %v %v", tt.old, tt.later, err, r.Messages.Messages())
		}
		want := [][]string{{"crds", "shop.example.com"}, {"usage", "--context=other"}}
		if tt.context != "" {
			want[0] = []string{"crds", tt.context, "shop.example.com"}
		}
		if !slices.EqualFunc(calls, want, slices.Equal) {
			t.Errorf("calls are %q, want %q", calls, want)
		}
		if len(asked) != 1 || asked[0].Group != "shop.example.com" || asked[0].Kind != "Widget" || len(asked[0].Versions) != 1 || !slices.Contains(asked[0].Versions[0].Paths, tt.uses) {
			t.Errorf("the cluster was asked %+v", asked)
		}
		if len(result.Comparisons) != 1 || len(result.Comparisons[0].Changes) != 2 {
			t.Fatalf("changes are %+v", result.Comparisons)
		}
		for i, one := range result.Comparisons[0].Changes {
			at := slices.Index(asked[0].Versions[0].Paths, "spec."+one.Path)
			if one.Kind == diff.Added {
				if one.Usage != nil {
					t.Errorf("a new property has the usage %+v", one.Usage)
				}
			} else if one.Usage == nil || one.Usage.Objects != 1243 || one.Usage.Uses != 7+at {
				t.Errorf("change %d has the usage %+v", i, one.Usage)
			}
		}
	}
}

// TestDiffWithoutCluster ends with the error of the program that reads the cluster.
func TestDiffWithoutCluster(t *testing.T) {
	r := engine.DiffRequest{
		Request: engine.Request{Messages: new(diag.List), Sources: diag.NewSources(nil), Progress: progress.New(io.Discard, false)},
		Old:     "kube://a", New: "kube://b",
		Cluster: func(context.Context, []byte, ...string) ([]byte, error) { return nil, errors.New("no such context") },
	}
	if _, err := (engine.Engine{}).Diff(t.Context(), r); err == nil || !strings.Contains(err.Error(), "no such context") {
		t.Errorf("got %v", err)
	}
}
