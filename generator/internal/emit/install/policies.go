package install

import (
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// The service accounts, other than the webhook's, that the policies admit.
const (
	operator = "strata-operator"
	migrator = "strata-migrator"
)

// clusterMigrator is the migrator of Kubernetes. It writes through the served version that comes
// first in Kubernetes' order of versions. That is an API version if the name of one looks like v1
// or v1beta1. Otherwise, as with previews only, it can be a hub's version.
const clusterMigrator = "system:serviceaccount:kube-system:storage-version-migrator-controller"

// policies returns the admission policies for the versions of all kinds.
func policies(p *plan.Plan, o Options, v values) []any {
	hub, bag := hubPolicy(p, o, v), bagPolicy(p, o, v)
	return append([]any{
		hub,
		&admissionv1.ValidatingAdmissionPolicyBinding{
			TypeMeta: kind(admission, "ValidatingAdmissionPolicyBinding"), ObjectMeta: everywhere(o, hub.Name),
			Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: hub.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}},
		},
		bag,
		&admissionv1.MutatingAdmissionPolicyBinding{
			TypeMeta: kind(admission, "MutatingAdmissionPolicyBinding"), ObjectMeta: everywhere(o, bag.Name),
			Spec: admissionv1.MutatingAdmissionPolicyBindingSpec{PolicyName: bag.Name},
		},
	}, deprecations(p, o, v)...)
}

const admission = "admissionregistration.k8s.io/v1"

func everywhere(o Options, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Labels: labels(o)}
}

// hubPolicy refuses writes through a hub's version, present or former, by other clients: its
// schema has no requirements. RBAC cannot distinguish versions. Migrators of other projects write
// through the storage version, so the message names the command to run instead.
func hubPolicy(p *plan.Plan, o Options, v values) *admissionv1.ValidatingAdmissionPolicy {
	match := rules(p, v, "*/*", []admissionv1.OperationType{admissionv1.Create, admissionv1.Update}, func(kv *plan.KindVersion) string {
		if !kv.Hub {
			return ""
		}
		return kv.Package.StorageVersion()
	})
	return &admissionv1.ValidatingAdmissionPolicy{
		TypeMeta: kind(admission, "ValidatingAdmissionPolicy"), ObjectMeta: everywhere(o, o.Service+"-hub-writers"),
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy:    new(admissionv1.Fail),
			MatchConstraints: match,
			Variables:        []admissionv1.Variable{{Name: "writers", Expression: writers(v)}},
			Validations: []admissionv1.Validation{{
				Expression: "request.userInfo.username in variables.writers",
				Message:    "this version is what the cluster stores: write through an API version",
				MessageExpression: "request.resource.version + ' is what the cluster stores: write ' + request.resource.resource + ' through an API version. " +
					"To store objects anew, run strata cluster migrate ' + request.resource.resource + '.' + request.resource.group + ' --as " + serviceAccountOf(migrator, v) + "'",
				Reason: new(metav1.StatusReasonForbidden),
			}},
		},
	}
}

// writers returns a CEL list of the users that may write through a hub's version.
func writers(v values) string {
	list := []string{"["}
	for _, name := range []string{
		serviceAccountOf(operator, v),
		serviceAccountOf(migrator, v),
		clusterMigrator,
	} {
		list = append(list, fmt.Sprintf("  %q,", name))
	}
	return strings.Join(list, "\n") + v.writers + "\n]"
}

// serviceAccountOf returns the user of a service account.
func serviceAccountOf(name string, v values) string {
	return "system:serviceaccount:" + v.namespace + ":" + name
}

// bag is the path of the property bag of API versions.
const bag = "status." + model.PropertyBag

// bagPolicy restores the property bag of a status if a client replaces the status and omits the
// bag. The CRD refuses a bag that differs.
func bagPolicy(p *plan.Plan, o Options, v values) *admissionv1.MutatingAdmissionPolicy {
	match := rules(p, v, "*/status", []admissionv1.OperationType{admissionv1.Update}, func(kv *plan.KindVersion) string {
		if !kv.Serving.Served() {
			return ""
		}
		return kv.Version.Label
	})
	return &admissionv1.MutatingAdmissionPolicy{
		TypeMeta: kind(admission, "MutatingAdmissionPolicy"), ObjectMeta: everywhere(o, o.Service+"-property-bags"),
		Spec: admissionv1.MutatingAdmissionPolicySpec{
			FailurePolicy:      new(admissionv1.Fail),
			ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
			MatchConstraints:   match,
			MatchConditions: []admissionv1.MatchCondition{
				{Name: "had-a-bag", Expression: "has(oldObject.status) && has(oldObject." + bag + ")"},
				{Name: "has-none", Expression: "!has(object.status) || !has(object." + bag + ")"},
			},
			Mutations: []admissionv1.Mutation{{
				PatchType: admissionv1.PatchTypeApplyConfiguration,
				ApplyConfiguration: &admissionv1.ApplyConfiguration{
					Expression: "Object{status: Object.status{" + model.PropertyBag + ": oldObject." + bag + "}}",
				},
			}},
		},
	}
}

// rules matches requests for some versions exactly: a request for another version is not
// converted to one of these. A rule has the versions of all kinds of a group, also if users select
// some. It also sets the defaults of the API server. The list is atomic, so
// that a client that applies less than the defaults would find it changed.
func rules(p *plan.Plan, v values, resource string, operations []admissionv1.OperationType, version func(*plan.KindVersion) string) *admissionv1.MatchResources {
	out := &admissionv1.MatchResources{
		MatchPolicy: new(admissionv1.Exact), NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{},
	}
	for _, g := range p.Groups {
		var versions []string
		for _, k := range g.Kinds {
			for _, kv := range k.Versions {
				if name := version(kv); name != "" && !slices.Contains(versions, name) {
					versions = append(versions, name)
				}
			}
		}
		slices.Sort(versions)
		out.ResourceRules = append(out.ResourceRules, admissionv1.NamedRuleWithOperations{RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: operations,
			Rule:       admissionv1.Rule{APIGroups: []string{v.ofGroup(g.Chain.Name)}, APIVersions: versions, Resources: []string{resource}, Scope: new(admissionv1.AllScopes)},
		}})
	}
	return out
}
