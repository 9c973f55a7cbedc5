package install

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/generator/internal/plan"
)

// rights returns the rights of a server that issues its own certificates. It stores them in one
// Secret, which exists from the start and is empty, and writes their CA into the CRDs of the plan.
// Conversions need no rights.
func rights(p *plan.Plan, o Options, v values) []any {
	secrets := []rbacv1.PolicyRule{{
		APIGroups: []string{""}, Resources: []string{"secrets"},
		ResourceNames: []string{o.certificate()}, Verbs: []string{"get", "update"},
	}}
	definitions := []rbacv1.PolicyRule{{
		APIGroups: []string{"apiextensions.k8s.io"}, Resources: []string{"customresourcedefinitions"},
		ResourceNames: markedNames(p, v), Verbs: []string{"get", "patch"},
	}}
	everywhere := metav1.ObjectMeta{Name: o.Service, Labels: labels(o)}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: o.Service, Namespace: v.namespace}}
	return []any{
		&corev1.Secret{TypeMeta: kind("v1", "Secret"), ObjectMeta: named(o, v, o.certificate()), Type: corev1.SecretTypeOpaque},
		&rbacv1.Role{TypeMeta: kind("rbac.authorization.k8s.io/v1", "Role"), ObjectMeta: named(o, v, o.Service), Rules: secrets},
		&rbacv1.RoleBinding{
			TypeMeta: kind("rbac.authorization.k8s.io/v1", "RoleBinding"), ObjectMeta: named(o, v, o.Service),
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: o.Service}, Subjects: subjects,
		},
		&rbacv1.ClusterRole{TypeMeta: kind("rbac.authorization.k8s.io/v1", "ClusterRole"), ObjectMeta: everywhere, Rules: definitions},
		&rbacv1.ClusterRoleBinding{
			TypeMeta: kind("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"), ObjectMeta: everywhere,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: o.Service}, Subjects: subjects,
		},
	}
}

func definitionNames(p *plan.Plan) []string {
	var out []string
	for _, g := range p.Groups {
		for _, k := range g.Kinds {
			out = append(out, definitionName(k))
		}
	}
	return out
}

// definitionName returns the name of the CRD of a kind.
func definitionName(k *plan.Kind) string { return k.Resource.Model.Plural + "." + k.Group.Chain.Name }

// markedNames returns the names of the CRDs, each with the mark of its kind.
func markedNames(p *plan.Plan, v values) []string {
	var out []string
	for _, g := range p.Groups {
		for _, k := range g.Kinds {
			out = append(out, v.ofKind(k, definitionName(k)))
		}
	}
	return out
}
