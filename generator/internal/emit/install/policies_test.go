package install_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"
)

// request is what reaches a policy.
type request struct {
	version, subresource string
	operation            admission.Operation
	user                 string
	old, now             string // objects in YAML; empty for none
}

func (r request) attributes(t *testing.T) *admission.VersionedAttributes {
	t.Helper()
	gvk := schema.GroupVersionKind{Group: "contoso-shop.example.com", Version: r.version, Kind: "Order"}
	object := func(text string) runtime.Object {
		if text == "" {
			return nil
		}
		u := new(unstructured.Unstructured)
		if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
			t.Fatal(err)
		}
		u.SetGroupVersionKind(gvk)
		u.SetName("a")
		return u
	}
	old, now := object(r.old), object(r.now)
	a := admission.NewAttributesRecord(now, old, gvk, "default", "a", gvk.GroupVersion().WithResource("orders"), r.subresource,
		r.operation, nil, false, &user.DefaultInfo{Name: r.user})
	out := &admission.VersionedAttributes{Attributes: a, VersionedKind: gvk}
	out.VersionedObject.Set(now)
	if old != nil {
		out.VersionedOldObject.Set(old)
	}
	return out
}

func matches(m *admissionv1.MatchResources, a admission.Attributes) bool {
	for _, r := range m.ResourceRules {
		if (&rules.Matcher{Rule: r.RuleWithOperations, Attr: a}).Matches() {
			return true
		}
	}
	return false
}

func compiler(t *testing.T) *plugincel.CompositedCompiler {
	t.Helper()
	c, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var variables = plugincel.OptionalVariableDeclarations{HasAuthorizer: true}

// TestHubWriters asks the policy of the hub's version about writes, by the
// evaluation of the API server.
func TestHubWriters(t *testing.T) {
	var policy admissionv1.ValidatingAdmissionPolicy
	manifest(t, packages(t, options()), "ValidatingAdmissionPolicy", &policy)
	evaluate := hubEvaluator(t, &policy)
	const sa = "system:serviceaccount:strata-system:"
	tests := []struct {
		reason  string
		request request
		denied  bool
	}{
		{"anybody writes an API version", request{version: "v20210101", operation: admission.Create, user: "jane"}, false},
		{"nobody writes the hub's", request{version: "v20210101storage", operation: admission.Create, user: "jane"}, true},
		{"an administrator neither", request{version: "v20210101storage", operation: admission.Update, user: "kubernetes-admin"}, true},
		{"its status neither", request{version: "v20210101storage", subresource: "status", operation: admission.Update, user: "jane"}, true},
		{"that of a former hub neither", request{version: "v20200101storage", operation: admission.Update, user: "jane"}, true},
		{"the operator does", request{version: "v20210101storage", operation: admission.Update, user: sa + "strata-operator"}, false},
		{"the migrator does", request{version: "v20210101storage", operation: admission.Update, user: sa + "strata-migrator"}, false},
		{"that of another namespace does not", request{version: "v20210101storage", operation: admission.Update, user: "system:serviceaccount:other:strata-operator"}, true},
		{"the cluster's migrator does", request{version: "v20210101storage", operation: admission.Update, user: "system:serviceaccount:kube-system:storage-version-migrator-controller"}, false},
		{"a hub writer does", request{version: "v20210101storage", operation: admission.Create, user: "joe"}, false},
		{"anybody deletes", request{version: "v20210101storage", operation: admission.Delete, user: "jane"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			tt.request.now = "{}"
			if got := evaluate(t, tt.request); (got != "") != tt.denied {
				t.Errorf("denied: %q", got)
			}
		})
	}
	want := "v20210101storage is what the cluster stores: write orders through an API version. " +
		"To store objects anew, run strata cluster migrate orders.contoso-shop.example.com --as " + sa + "strata-migrator"
	if got := evaluate(t, request{version: "v20210101storage", operation: admission.Create, user: "jane", now: "{}"}); got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}

// hubEvaluator compiles a policy as the API server does. It returns a message for a denied
// request.
func hubEvaluator(t *testing.T, policy *admissionv1.ValidatingAdmissionPolicy) func(*testing.T, request) string {
	c := compiler(t)
	var named []plugincel.NamedExpressionAccessor
	for _, v := range policy.Spec.Variables {
		named = append(named, &validating.Variable{Name: v.Name, Expression: v.Expression})
	}
	c.CompileAndStoreVariables(named, variables, environment.NewExpressions)
	var conditions, messages []plugincel.ExpressionAccessor
	for _, v := range policy.Spec.Validations {
		conditions = append(conditions, &validating.ValidationCondition{Expression: v.Expression, Message: v.Message, Reason: v.Reason})
		messages = append(messages, &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression})
	}
	validator := validating.NewValidator(
		c.CompileCondition(conditions, variables, environment.NewExpressions), nil,
		c.CompileCondition(nil, variables, environment.NewExpressions),
		c.CompileCondition(messages, plugincel.OptionalVariableDeclarations{}, environment.NewExpressions),
		policy.Spec.FailurePolicy, nil,
	)
	return func(t *testing.T, r request) string {
		t.Helper()
		a := r.attributes(t)
		if !matches(policy.Spec.MatchConstraints, a) {
			return ""
		}
		result := validator.Validate(t.Context(), a.GetResource(), a, nil, nil, celconfig.RuntimeCELCostBudget, nil)
		for _, d := range result.Decisions {
			if d.Evaluation == validating.EvalError {
				t.Fatal(d.Message)
			}
			if d.Action == validating.ActionDeny {
				return d.Message
			}
		}
		return ""
	}
}

// TestPropertyBags lets the policy of property bags change statuses, by the
// evaluation of the API server.
func TestPropertyBags(t *testing.T) {
	var policy admissionv1.MutatingAdmissionPolicy
	manifest(t, packages(t, options()), "MutatingAdmissionPolicy", &policy)
	mutate := bagMutator(t, &policy)
	const bag = "{status: {propertyBag: x, size: 1, conditions: [{type: Ready}]}}"
	tests := []struct {
		reason    string
		request   request
		now, want string
	}{
		{"a status without the bag is given the old one", request{version: "v20200101", subresource: "status"}, "{spec: {size: 2}, status: {size: 2, conditions: []}}", "{spec: {size: 2}, status: {propertyBag: x, size: 2, conditions: []}}"},
		{"no status at all as well", request{version: "v20200101", subresource: "status"}, "{}", "{status: {propertyBag: x}}"},
		{"the latest version too", request{version: "v20210101", subresource: "status"}, "{status: {}}", "{status: {propertyBag: x}}"},
		{"another bag is for the definition to refuse", request{version: "v20200101", subresource: "status"}, "{status: {propertyBag: y}}", "{status: {propertyBag: y}}"},
		{"the hub has none", request{version: "v20210101storage", subresource: "status"}, "{status: {}}", "{status: {}}"},
		{"the server keeps the status of the resource itself", request{version: "v20200101"}, "{status: {}}", "{status: {}}"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			tt.request.operation, tt.request.old, tt.request.now = admission.Update, bag, tt.now
			want := tt.request
			want.now = tt.want
			if diff := cmp.Diff(want.attributes(t).VersionedObject.Object(), mutate(t, tt.request)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	none := request{version: "v20200101", subresource: "status", operation: admission.Update, old: "{status: {size: 1}}", now: "{status: {size: 2}}"}
	if diff := cmp.Diff(none.attributes(t).VersionedObject.Object(), mutate(t, none)); diff != "" {
		t.Errorf("where none was (-want +got):\n%s", diff)
	}
}

func bagMutator(t *testing.T, policy *admissionv1.MutatingAdmissionPolicy) func(*testing.T, request) runtime.Object {
	c := compiler(t)
	var conditions []plugincel.ExpressionAccessor
	for i := range policy.Spec.MatchConditions {
		conditions = append(conditions, (*matchconditions.MatchCondition)(&policy.Spec.MatchConditions[i]))
	}
	matcher := matchconditions.NewMatcher(c.CompileCondition(conditions, variables, environment.NewExpressions), policy.Spec.FailurePolicy, "policy", "mutate", policy.Name)
	patches := variables
	patches.HasPatchTypes = true
	accessor := &patch.ApplyConfigurationCondition{Expression: policy.Spec.Mutations[0].ApplyConfiguration.Expression}
	patcher := patch.NewApplyConfigurationPatcher(c.CompileMutatingEvaluator(accessor, patches, environment.NewExpressions))
	return func(t *testing.T, r request) runtime.Object {
		t.Helper()
		a := r.attributes(t)
		if !matches(policy.Spec.MatchConstraints, a) {
			return a.VersionedObject.Object()
		}
		matched := matcher.Match(t.Context(), a, nil, nil)
		if matched.Error != nil {
			t.Fatal(matched.Error)
		}
		if !matched.Matches {
			return a.VersionedObject.Object()
		}
		out, err := patcher.Patch(t.Context(), patch.Request{MatchedResource: a.GetResource(), VersionedAttributes: a, TypeConverter: managedfields.NewDeducedTypeConverter()}, celconfig.RuntimeCELCostBudget)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}
