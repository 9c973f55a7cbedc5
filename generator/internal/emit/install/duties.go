package install

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/generator/internal/plan"
)

const rbac = "rbac.authorization.k8s.io/v1"

// duties returns the operator's rights. They are on the kinds of the plan, by name, on events, on
// leases in its own namespace, and on namespaces, to read whether one is being deleted. A role of
// its own has the rights on Secrets: the operator reads, writes and watches those that objects
// name. Watching requires the right to read all Secrets of a namespace. ConfigMaps that objects
// name have a role of their own too. Another one reads the CRDs of the kinds, so that the operator
// notices when a storage version changes. The Secret with the keys of claims exists from the start
// and is empty, so that the operator needs no right to create it.
func duties(p *plan.Plan, o Options, v values) []any {
	objects, secrets := o.Service, o.Service+"-secrets"
	key := o.Service + "-claim-key"
	out := []any{
		&corev1.Secret{TypeMeta: kind("v1", "Secret"), ObjectMeta: named(o, v, key), Type: corev1.SecretTypeOpaque},
		&rbacv1.Role{TypeMeta: kind(rbac, "Role"), ObjectMeta: named(o, v, o.Service), Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: o.leaseVerbs(),
		}, {
			APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{key}, Verbs: []string{"get", "update"},
		}}},
		bindingOf("Role", o.Service, o, v, v.namespace),
		&rbacv1.ClusterRole{TypeMeta: kind(rbac, "ClusterRole"), ObjectMeta: everywhere(o, objects), Rules: append(ofKinds(p, v), rbacv1.PolicyRule{
			APIGroups: []string{"", "events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"},
		}, rbacv1.PolicyRule{
			APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get"},
		})},
		&rbacv1.ClusterRole{TypeMeta: kind(rbac, "ClusterRole"), ObjectMeta: everywhere(o, secrets), Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get", "list", "watch", "create", "update"},
		}}},
	}
	roles := []string{objects, secrets}
	if configMaps := o.Service + "-config-maps"; !o.Operator.NoConfigMaps && takesConfigMaps(p) {
		out = append(out, &rbacv1.ClusterRole{TypeMeta: kind(rbac, "ClusterRole"), ObjectMeta: everywhere(o, configMaps), Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "list", "watch", "create", "update"},
		}}})
		roles = append(roles, configMaps)
	}
	for _, role := range roles {
		out = append(out, bindings(role, o, v)...)
	}
	out = append(out, definitionReader(p, o, v)...)
	out = append(out, namespaceWatcher(o, v)...)
	return append(out, eventsOfNamespaces(o, v)...)
}

// leaseVerbs returns the rights on leases. Replicas that share namespaces list each other's leases,
// and delete those of replicas that have gone.
func (o Options) leaseVerbs() []string {
	verbs := []string{"get", "create", "update", "patch"}
	if o.Operator.ShardNamespaces {
		verbs = append(verbs, "list", "delete")
	}
	return verbs
}

// namespaceWatcher returns the right to watch namespaces, whose labels assign them to replicas; nil
// if replicas share none.
func namespaceWatcher(o Options, v values) []any {
	if !o.Operator.ShardNamespaces {
		return nil
	}
	return clusterRights("namespaces", rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get", "list", "watch"}}, o, v)
}

// definitionReader returns the right to read the CRDs of the kinds, which have no namespace.
func definitionReader(p *plan.Plan, o Options, v values) []any {
	return clusterRights("crds", rbacv1.PolicyRule{
		APIGroups: []string{"apiextensions.k8s.io"}, Resources: []string{"customresourcedefinitions"}, ResourceNames: markedNames(p, v), Verbs: []string{"get", "list"},
	}, o, v)
}

// clusterRights returns a role with a rule for the whole cluster, and its binding. what is the end
// of their names.
func clusterRights(what string, rule rbacv1.PolicyRule, o Options, v values) []any {
	role := o.Service + "-" + what
	return []any{
		&rbacv1.ClusterRole{TypeMeta: kind(rbac, "ClusterRole"), ObjectMeta: everywhere(o, role), Rules: []rbacv1.PolicyRule{rule}},
		clusterBinding(role, o, v),
	}
}

// clusterBinding binds a role in the whole cluster.
func clusterBinding(role string, o Options, v values) *rbacv1.ClusterRoleBinding {
	return &rbacv1.ClusterRoleBinding{
		TypeMeta: kind(rbac, "ClusterRoleBinding"), ObjectMeta: everywhere(o, role),
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role}, Subjects: account(o, v),
	}
}

// eventsOfNamespaces returns the rights to write events about namespaces that are being deleted.
// Events of a cluster-scoped object are in the namespace default.
func eventsOfNamespaces(o Options, v values) []any {
	if among := o.Operator.Namespaces; len(among) == 0 || slices.Contains(among, metav1.NamespaceDefault) {
		return nil
	}
	role := o.Service + "-events"
	return []any{
		&rbacv1.Role{
			TypeMeta: kind(rbac, "Role"), ObjectMeta: metav1.ObjectMeta{Name: role, Namespace: metav1.NamespaceDefault, Labels: labels(o)},
			Rules: []rbacv1.PolicyRule{{APIGroups: []string{"", "events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}}},
		},
		bindingOf("Role", role, o, v, metav1.NamespaceDefault),
	}
}

// takesConfigMaps reports whether objects of some kind can name ConfigMaps in their specs.
func takesConfigMaps(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Groups, func(g *plan.Group) bool { return slices.ContainsFunc(g.Kinds, (*plan.Kind).TakesConfigMaps) })
}

// ofKinds returns the rights on objects: to read and to annotate them, and to write their status.
// The operator does not create or delete objects.
func ofKinds(p *plan.Plan, v values) []rbacv1.PolicyRule {
	var out []rbacv1.PolicyRule
	for _, g := range p.Groups {
		var objects, statuses, finalizers []string
		for _, k := range g.Kinds {
			plural := k.Resource.Model.Plural
			objects = append(objects, v.ofKind(k, plural))
			statuses = append(statuses, v.ofKind(k, plural+"/status"))
			finalizers = append(finalizers, v.ofKind(k, plural+"/finalizers"))
		}
		groups := []string{v.ofGroup(g.Chain.Name)}
		out = append(out,
			rbacv1.PolicyRule{APIGroups: groups, Resources: objects, Verbs: []string{"get", "list", "watch", "update", "patch"}},
			rbacv1.PolicyRule{APIGroups: groups, Resources: statuses, Verbs: []string{"get", "update", "patch"}},
			rbacv1.PolicyRule{APIGroups: groups, Resources: finalizers, Verbs: []string{"update"}},
		)
	}
	return out
}

// bindings bind a role in the namespaces that the operator manages.
func bindings(role string, o Options, v values) []any {
	if len(o.Operator.Namespaces) == 0 {
		return []any{clusterBinding(role, o, v)}
	}
	var out []any
	for _, namespace := range slices.Sorted(slices.Values(o.Operator.Namespaces)) {
		out = append(out, bindingOf("ClusterRole", role, o, v, namespace))
	}
	return out
}

// bindingOf binds a role in a namespace. A binding of a ClusterRole with the name of the service
// gets a suffix, because a Role may have the same name.
func bindingOf(of, role string, o Options, v values, namespace string) *rbacv1.RoleBinding {
	name := role
	if of == "ClusterRole" && role == o.Service {
		name += "-objects"
	}
	return &rbacv1.RoleBinding{
		TypeMeta: kind(rbac, "RoleBinding"), ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: labels(o)},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: of, Name: role}, Subjects: account(o, v),
	}
}

func account(o Options, v values) []rbacv1.Subject {
	return []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: o.Service, Namespace: v.namespace}}
}
