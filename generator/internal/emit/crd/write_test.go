package crd_test

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celmodel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	schemavalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/generator/internal/golden"
)

// server checks writes through a version as an API server does: against the
// schema, ratcheting, then by its rules.
type server struct {
	schema     schemavalidation.SchemaValidator
	structural *schema.Structural
	rules      *cel.Validator
	correlate  common.Schema
}

func serverOf(t *testing.T, d *v1.CustomResourceDefinition, version string) *server {
	t.Helper()
	for _, v := range d.Spec.Versions {
		if v.Name != version {
			continue
		}
		var internal apiextensions.JSONSchemaProps
		if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, &internal, nil); err != nil {
			t.Fatal(err)
		}
		validator, _, err := schemavalidation.NewSchemaValidator(&internal)
		if err != nil {
			t.Fatal(err)
		}
		structural, err := schema.NewStructural(&internal)
		if err != nil {
			t.Fatal(err)
		}
		return &server{validator, structural, cel.NewValidator(structural, true, celconfig.PerCallLimit), &celmodel.Structural{Structural: structural}}
	}
	t.Fatalf("no version %s", version)
	return nil
}

// write checks a write. old is nil for a creation.
func (s *server) write(t *testing.T, old, object map[string]any) field.ErrorList {
	if old == nil {
		errs := schemavalidation.ValidateCustomResource(nil, object, s.schema)
		more, _ := s.rules.Validate(t.Context(), nil, s.structural, object, nil, celconfig.RuntimeCELCostBudget)
		return append(errs, more...)
	}
	correlated := common.NewCorrelatedObject(object, old, s.correlate)
	errs := schemavalidation.ValidateCustomResourceUpdate(nil, object, old, s.schema, schemavalidation.WithRatcheting(correlated))
	more, _ := s.rules.Validate(t.Context(), nil, s.structural, object, old, celconfig.RuntimeCELCostBudget, cel.WithRatcheting(correlated))
	return append(errs, more...)
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	if text == "" {
		return nil
	}
	var out map[string]any
	if err := yaml.Unmarshal([]byte("{apiVersion: x/v1, kind: Order, metadata: {name: a, labels: {l: "+strings.Fields(text)[0]+"}}, "+strings.Join(strings.Fields(text)[1:], " ")+"}"), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestWrites writes objects through versions of the golden cases. Each begins with
// the value of a label.
func TestWrites(t *testing.T) {
	const loose = `spec: {always: a, loose: {extra: {b: c}}, fixed: {}, list: [{extra: {d: e}}], extra: {f: g}}`
	const full = `spec: {always: a, sometimes: s, loose: {sometimes: s, extra: {b: c}}, extra: {f: g}}`
	const older = `spec: {size: s, class: {kind: k}, pools: [{kind: k}]}`
	const mixed = `spec: {size: s, class: {kind: k}, pools: [{kind: k}, {group: a, kind: k}]}`
	const newer = `spec: {size: s, class: {group: g, kind: k, name: b}, pools: [{group: p, kind: k}]}`
	tests := []struct {
		reason, file, version string
		old, now              string
		wrong                 string // part of what is refused; empty for nothing
	}{
		{"a complete object is created", "ratchet", "v20200101", "", "1 " + full, ""},
		{"what one version demands must be there at creation", "ratchet", "v20200101", "", "1 " + loose, "sometimes is required"},
		{"what another version let pass can be labelled", "ratchet", "v20200101", "1 " + loose, "2 " + loose, ""},
		{"and edited elsewhere", "ratchet", "v20200101", "1 " + loose, "1 " + strings.Replace(loose, "always: a", "always: z", 1), ""},
		{"in lists too, as long as the list is the same", "ratchet", "v20200101", "1 " + loose, "1 " + strings.Replace(loose, "{d: e}", "{d: f}", 1), "spec.list[0].sometimes"},
		{"what was there cannot be taken away", "ratchet", "v20200101", "1 " + full, "1 " + strings.Replace(full, "{sometimes: s, ", "{", 1), "sometimes is required"},
		{"what all versions demand is demanded in any case", "ratchet", "v20200101", "1 spec: {loose: {}}", "2 spec: {loose: {}, sometimes: a}", "spec.always"},
		{"a known value of an enum", "enum", "v20200101", "", "1 spec: {state: open}", ""},
		{"an unknown one is refused", "enum", "v20200101", "", "1 spec: {state: shut}", "spec.state"},
		{"but may stay", "enum", "v20200101", "1 spec: {state: shut}", "2 spec: {state: shut, grade: 1}", ""},
		{"in a list too", "enum", "v20200101", "1 spec: {colours: [blue]}", "2 spec: {colours: [blue], grade: 1}", ""},
		{"a status may have any", "enum", "v20200101", "", "1 status: {state: shut}", ""},
		{"the members of one branch", "union", "v20200101", "", `1 spec: {payment: {amount: 1, kind: card, card: x, cvc: z}}`, ""},
		{"a member of another branch", "union", "v20200101", "", `1 spec: {payment: {amount: 1, kind: cash, iban: x}}`, `iban is allowed only where kind is "debit"`},
		{"a member that the branch requires", "union", "v20200101", "", `1 spec: {payment: {amount: 1, kind: debit}}`, `iban is required where kind is "debit"`},
		{"a broken union can be labelled", "union", "v20200101", `1 spec: {payment: {amount: 1, kind: debit}}`, `2 spec: {payment: {amount: 1, kind: debit}}`, ""},
		{"a status as it was read", "guard", "v20200101", `1 status: {propertyBag: "{}"}`, `1 status: {propertyBag: "{}", size: 2}`, ""},
		{"a status without the bag", "guard", "v20200101", `1 status: {propertyBag: "{}"}`, `1 status: {size: 2}`, "status.propertyBag stores"},
		{"no status at all", "guard", "v20200101", `1 status: {propertyBag: "{}"}`, `1 spec: {size: 1}`, "status.propertyBag stores"},
		{"a forged bag", "guard", "v20200101", `1 status: {propertyBag: "{}"}`, `1 status: {propertyBag: "[]"}`, "status.propertyBag stores"},
		{"a bag where none was", "guard", "v20200101", `1 status: {size: 1}`, `1 status: {propertyBag: "{}"}`, "status.propertyBag stores"},
		{"the hub stores no bag", "guard", "v20210101storage", "", `1 status: {propertyBag: "{}"}`, "is not stored"},
		{"the hub stores whatever else it is given", "guard", "v20210101storage", "", `1 spec: {size: [x], originalVersion: v1, $propertyBag: {}}`, ""},
		{"what another version wrote can be labelled where rules read members that it lacks", "guarded-rules", "v1", "1 " + older, "2 " + older, ""},
		{"and edited", "guarded-rules", "v1", "1 " + older, "1 " + strings.Replace(older, "size: s", "size: t", 1), ""},
		{"but not beside a member that it lacks", "guarded-rules", "v1", "1 " + older, "1 " + strings.Replace(older, "{kind: k}, pools", "{kind: z}, pools", 1), "spec.class.group"},
		{"and completed", "guarded-rules", "v1", "1 " + older, "1 " + newer, ""},
		{"the rule holds once it is complete", "guarded-rules", "v1", "1 " + newer, "1 " + strings.Replace(newer, "group: g", "group: h", 1), "group is immutable"},
		{"and for elements that are complete, beside others", "guarded-rules", "v1", "1 " + mixed, "1 " + strings.Replace(mixed, "size: s", "size: big", 1), "a is not big"},
		{"but not for the others", "guarded-rules", "v1", "1 " + older, "1 " + strings.Replace(older, "size: s", "size: big", 1), ""},
		{"and for what is created", "guarded-rules", "v1", "", "1 " + strings.Replace(newer, "group: p", "group: k", 1), "self.group != self.kind"},
	}
	servers := map[string]*server{}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			key := tt.file + "/" + tt.version
			if servers[key] == nil {
				servers[key] = serverOf(t, definition(t, tt.file), tt.version)
			}
			errs := servers[key].write(t, object(t, tt.old), object(t, tt.now))
			switch {
			case tt.wrong == "" && len(errs) > 0:
				t.Errorf("refused: %v", errs)
			case tt.wrong != "" && (len(errs) == 0 || !strings.Contains(errs.ToAggregate().Error(), tt.wrong)):
				t.Errorf("got %v, want %q", errs, tt.wrong)
			}
		})
	}
}

func definition(t *testing.T, name string) *v1.CustomResourceDefinition {
	t.Helper()
	body, err := os.ReadFile("testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := golden.Files{}
	for _, f := range txtar.Parse(body).Files {
		files[f.Name] = string(f.Data)
	}
	_, d := only(t, sample(t, files), options())
	return d
}
