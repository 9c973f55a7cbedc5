package install_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apiserver/pkg/admission"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

const deprecating = `
resource Contoso.Shop/orders
  kind Order orders
  version 2020-01-01
    spec &OrderSpec
    def OrderSpec object
      .size int
  version 2021-01-01
    spec &OrderSpec
    def OrderSpec object
      .size deprecated("use \"width\",\n\nor {{{ none }}") int
      .width int
      .namespace &Place
      ."{{{.}}" deprecated("no template") string
      .parts list map &Part
      .state enum string("open", "he{{\"ld")[deprecatedValues={"he{{\"ld":"use \"open\""}]
      .levels map list enum int(1, 3)[deprecatedValues={"3":"use 1"}]
    def Place object
      .in deprecated("it will be removed") string
    def Part object
      .code deprecated("use name") string
      .inner &Part
      .color enum string("red", "blue")[deprecatedValues={"red":"use blue"}]
`

// TestDeprecatedProperties asks the policies of deprecated properties about writes, by the
// evaluation of the API server.
func TestDeprecatedProperties(t *testing.T) {
	resources, err := model.Parse("model", []byte(deprecating))
	if err != nil {
		t.Fatal(err)
	}
	c, problems := chain.Link(context.Background(), resources, chain.Options{Suffix: "example.com"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	files := printed(t, plan.Decide(context.Background(), c, plan.Options{}), options())
	if strings.Contains(string(files["config/policies.yaml"]), "{{") {
		t.Error("Helm finds a template in the policies")
	}
	var all []admissionv1.ValidatingAdmissionPolicy
	for document := range strings.SplitSeq(string(files["config/policies.yaml"]), "\n---\n") {
		if strings.Contains(document, "name: strata-webhook-deprecated-") && strings.Contains(document, "kind: ValidatingAdmissionPolicyBinding") {
			var binding admissionv1.ValidatingAdmissionPolicyBinding
			if err := yaml.UnmarshalStrict([]byte(document), &binding); err != nil {
				t.Fatal(err)
			}
			if actions := binding.Spec.ValidationActions; len(actions) != 1 || actions[0] != admissionv1.Warn {
				t.Errorf("the binding has the actions %v", actions)
			}
		} else if strings.Contains(document, "name: strata-webhook-deprecated-") {
			var policy admissionv1.ValidatingAdmissionPolicy
			if err := yaml.UnmarshalStrict([]byte(document), &policy); err != nil {
				t.Fatal(err)
			}
			all = append(all, policy)
		}
	}
	if len(all) != 1 || all[0].Name != "strata-webhook-deprecated-orders-v20210101-contoso-shop.example.com" || *all[0].Spec.FailurePolicy != admissionv1.Ignore {
		t.Fatalf("there are %d policies: %+v", len(all), all)
	}
	evaluate := hubEvaluator(t, &all[0])
	for _, tt := range []struct{ version, object, want string }{
		{"v20210101", "{spec: {width: 1, namespace: {}, parts: [{a: {inner: {}}}]}}", ""},
		{"v20210101", "{}", ""},
		{"v20210101", "{spec: {size: 0}}", `spec.size is deprecated: use "width", or { { { none }}`},
		{"v20200101", "{spec: {size: 0}}", ""},
		{"v20210101", `{spec: {"{{{.}}": a}}`, "spec.{ { {.}} is deprecated: no template"},
		{"v20210101", "{spec: {namespace: {in: a}}}", "spec.namespace.in is deprecated: it will be removed"},
		{"v20210101", "{spec: {parts: [{}, {b: {}, a: {code: x}}]}}", "spec.parts[]{}.code is deprecated: use name"},
		{"v20210101", "{spec: {state: open, levels: {a: [1]}, parts: [{a: {color: blue}}]}}", ""},
		{"v20210101", `{spec: {state: "he{{\"ld"}}`, `spec.state: the value "he{ {\"ld" is deprecated: use "open"`},
		{"v20210101", "{spec: {levels: {a: [], b: [1, 3]}}}", "spec.levels{}[]: the value 3 is deprecated: use 1"},
		{"v20210101", "{spec: {parts: [{}, {b: {}, a: {color: red}}]}}", `spec.parts[]{}.color: the value "red" is deprecated: use blue`},
	} {
		for _, operation := range []admission.Operation{admission.Create, admission.Update} {
			if got := evaluate(t, request{version: tt.version, operation: operation, user: "jane", now: tt.object}); got != tt.want {
				t.Errorf("%s in %s: %q, want %q", tt.object, tt.version, got, tt.want)
			}
		}
	}
}

// TestDeprecatedPropertiesOfManyPaths has types that contain each other, with more paths than can
// be followed, and one deprecated property at their end.
func TestDeprecatedPropertiesOfManyPaths(t *testing.T) {
	const types = 20
	var b strings.Builder
	b.WriteString("resource Contoso.Shop/orders\n  kind Order orders\n  version 2020-01-01\n    spec &OrderSpec\n    def OrderSpec object\n      .size deprecated(\"use width\") int\n")
	for i := range types {
		fmt.Fprintf(&b, "      .p%02d &Type%02d\n", i, i)
	}
	for i := range types {
		fmt.Fprintf(&b, "    def Type%02d object\n      .back &OrderSpec\n", i)
		for j := range types {
			fmt.Fprintf(&b, "      .p%02d &Type%02d\n", j, j)
		}
	}
	resources, err := model.Parse("model", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	c, problems := chain.Link(context.Background(), resources, chain.Options{Suffix: "example.com"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	files := printed(t, plan.Decide(context.Background(), c, plan.Options{}), options())
	if n := strings.Count(string(files["config/policies.yaml"]), "is deprecated: use width"); n != 1 {
		t.Errorf("there are %d warnings, want one", n)
	}
}
