package engine_test

import (
	"path/filepath"
	"strings"
	"testing"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/emit/crd"
)

// TestCRDsKeepWithinTheirBudget generates kinds whose CRDs would be too large because of many
// rules or many members of one object. It checks that they are cut, that a note and the report
// state what is missing, and that objects preserve members without a schema.
func TestCRDsKeepWithinTheirBudget(t *testing.T) {
	for _, tt := range []struct {
		name    string
		members map[string]any
		object  string // whose members are counted
		least   int    // how many of them have a schema
		keeps   bool   // whether it preserves others
		reason  string
	}{
		{"a union of 150 branches with 10 members", unionOf(150, 10), "either", 1501, false, "rules of a version"},
		{"a union of 200 branches with 10 members", unionOf(200, 10), "either", 1500, true, "members of an object"},
		{"a union of 500 branches with 10 members", unionOf(500, 10), "either", 1000, true, "members of an object"},
		{"12,000 properties", wideOf(12_000), "", 1000, true, "members of an object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
			shape{n: 1, members: func(int, int) map[string]any { return tt.members }}.write(t, dir)
			code, _, errs := generate(t.Context(), filepath.Join(dir, "strata.yaml"))
			if code != cli.Done || !strings.Contains(errs, "strata: note: the CRD carts.contoso-shop.example.com would be larger than 512000 bytes") {
				t.Errorf("exit code %d: %s", code, errs)
			}
			files, err := contents(filepath.Join(dir, "api"))
			if err != nil {
				t.Fatal(err)
			}
			body := files["crds/carts.contoso-shop.example.com.yaml"]
			if len(body) > crd.Limit {
				t.Errorf("the CRD has %d bytes", len(body))
			}
			if !strings.Contains(files["reports/contoso-shop/crds.md"], tt.reason) {
				t.Errorf("the report does not say that there are too many %s", tt.reason)
			}
			var d v1.CustomResourceDefinition
			if err := yaml.UnmarshalStrict([]byte(body), &d); err != nil {
				t.Fatal(err)
			}
			s := d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["properties"]
			if tt.object != "" {
				s = s.Properties[tt.object]
			}
			if len(s.Properties) < tt.least || tt.keeps != (s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields) {
				t.Errorf("%d members have a schema, want %d; others are preserved: %v", len(s.Properties), tt.least, s.XPreserveUnknownFields)
			}
		})
	}
}
