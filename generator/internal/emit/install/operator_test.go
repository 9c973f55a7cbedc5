package install_test

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/emit/install"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// all reads the manifests of a kind in a file.
func all[T any](t *testing.T, body []byte, kind string) []T {
	t.Helper()
	var out []T
	for document := range strings.SplitSeq(string(body), "\n---\n") {
		if !strings.Contains(document, "\nkind: "+kind+"\n") {
			continue
		}
		var m T
		if err := yaml.UnmarshalStrict([]byte(document), &m); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

const operatorFile = "config/operator.yaml"

// TestOperatorIsRestricted checks the permissions of an operator's pod.
func TestOperatorIsRestricted(t *testing.T) {
	body := packages(t, options())[operatorFile]
	pod := all[appsv1.Deployment](t, body, "Deployment")[0].Spec.Template.Spec
	for _, c := range pod.Containers {
		s := c.SecurityContext
		if *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || !*s.RunAsNonRoot || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) {
			t.Errorf("a container is not restricted: %+v", s)
		}
		if c.LivenessProbe == nil || c.ReadinessProbe == nil || c.Resources.Requests.Cpu().IsZero() || c.Resources.Limits.Memory().IsZero() {
			t.Errorf("a container has no probes or no resources: %+v", c)
		}
	}
	if !*pod.SecurityContext.RunAsNonRoot || pod.SecurityContext.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("the pod is not restricted: %+v", pod.SecurityContext)
	}
	n := all[networkingv1.NetworkPolicy](t, body, "NetworkPolicy")[0].Spec
	if len(n.Ingress) != 1 || len(n.Ingress[0].Ports) != 1 || n.Ingress[0].Ports[0].Port.IntValue() != 8080 || len(n.Egress) != 1 {
		t.Errorf("it is called, or calls, otherwise: %+v", n)
	}
	if len(all[map[string]any](t, body, "PodDisruptionBudget")) != 1 {
		t.Error("nothing keeps one replica")
	}
}

// TestOperatorReachesMetadataService checks which traffic the network policy allows, with a
// metadata service and without.
func TestOperatorReachesMetadataService(t *testing.T) {
	for _, at := range []string{"169.254.169.254:80", "[fd00::1]:8080"} {
		o := options()
		o.Operator.MetadataService = netip.MustParseAddrPort(at)
		egress := all[networkingv1.NetworkPolicy](t, packages(t, o)[operatorFile], "NetworkPolicy")[0].Spec.Egress
		if len(egress) != 2 || len(egress[1].To) != 1 || len(egress[1].Ports) != 1 {
			t.Fatalf("%s: the policy lets out %+v", at, egress)
		}
		prefix := netip.MustParsePrefix(egress[1].To[0].IPBlock.CIDR)
		if !prefix.IsSingleIP() || prefix.Addr() != o.Operator.MetadataService.Addr() || egress[1].Ports[0].Port.IntValue() != int(o.Operator.MetadataService.Port()) {
			t.Errorf("%s: the policy lets out %+v", at, egress[1])
		}
	}
}

// TestOperatorsCredentials looks at the flag by which an operator uses credentials of its own.
func TestOperatorsCredentials(t *testing.T) {
	for want, required := range map[string]*bool{"": nil, "--require-credentials=false": new(false), "--require-credentials=true": new(true)} {
		o := options()
		o.Operator.RequireCredentials = required
		args := all[appsv1.Deployment](t, packages(t, o)[operatorFile], "Deployment")[0].Spec.Template.Spec.Containers[0].Args
		got := ""
		for _, arg := range args {
			if strings.HasPrefix(arg, "--require-credentials") {
				got = arg
			}
		}
		if got != want {
			t.Errorf("the arguments are %v, want %q", args, want)
		}
	}
}

// TestReplicasShareNamespaces compares the flag and the rights of an operator with shards, and of
// one without. With shards it may watch namespaces everywhere, also if it manages objects only in
// some.
func TestReplicasShareNamespaces(t *testing.T) {
	for _, shards := range []bool{false, true} {
		o := options()
		o.Operator.ShardNamespaces, o.Operator.Namespaces = shards, []string{"a", "b"}
		body := packages(t, o)[operatorFile]
		args := all[appsv1.Deployment](t, body, "Deployment")[0].Spec.Template.Spec.Containers[0].Args
		if has := slices.Contains(args, "--shard-namespaces"); has != shards {
			t.Errorf("with shards %t, the arguments are %v", shards, args)
		}
		want := []string{"get", "create", "update", "patch"}
		if shards {
			want = append(want, "list", "delete")
		}
		if got := all[rbacv1.Role](t, body, "Role")[0].Rules[0]; !cmp.Equal(got.Resources, []string{"leases"}) || !cmp.Equal(got.Verbs, want) {
			t.Errorf("with shards %t, the rights on leases are %+v, want %v", shards, got, want)
		}
		watches := slices.ContainsFunc(all[rbacv1.ClusterRole](t, body, "ClusterRole"), func(r rbacv1.ClusterRole) bool {
			return r.Name == "strata-operator-namespaces" && cmp.Equal(r.Rules, []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get", "list", "watch"}}})
		})
		if watches != shards {
			t.Errorf("with shards %t, it may watch namespaces: %t", shards, watches)
		}
	}
}

// TestOperatorsRights holds the rights of an operator against those that it needs: none of any
// rule is a wildcard.
func TestOperatorsRights(t *testing.T) {
	const group = "contoso-shop.example.com"
	for reason, test := range map[string]struct {
		change   func(*install.Operator)
		bindings []string // of kind, namespace and name
	}{
		"everywhere": {func(*install.Operator) {}, []string{
			"ClusterRoleBinding /strata-operator", "ClusterRoleBinding /strata-operator-config-maps", "ClusterRoleBinding /strata-operator-crds", "ClusterRoleBinding /strata-operator-secrets", "RoleBinding strata-system/strata-operator"}},
		"in namespaces": {func(o *install.Operator) { o.Namespaces = []string{"b", "a"} }, []string{
			"ClusterRoleBinding /strata-operator-crds", "RoleBinding a/strata-operator-config-maps", "RoleBinding a/strata-operator-objects", "RoleBinding a/strata-operator-secrets", "RoleBinding b/strata-operator-config-maps", "RoleBinding b/strata-operator-objects",
			"RoleBinding b/strata-operator-secrets", "RoleBinding default/strata-operator-events", "RoleBinding strata-system/strata-operator"}},
		"in the default namespace": {func(o *install.Operator) { o.Namespaces = []string{"default"} }, []string{
			"ClusterRoleBinding /strata-operator-crds", "RoleBinding default/strata-operator-config-maps", "RoleBinding default/strata-operator-objects", "RoleBinding default/strata-operator-secrets", "RoleBinding strata-system/strata-operator"}},
		"in its own namespace": {func(o *install.Operator) { o.Namespaces = []string{"strata-system"} }, []string{
			"ClusterRoleBinding /strata-operator-crds", "RoleBinding default/strata-operator-events", "RoleBinding strata-system/strata-operator", "RoleBinding strata-system/strata-operator-config-maps", "RoleBinding strata-system/strata-operator-objects",
			"RoleBinding strata-system/strata-operator-secrets"}},
		"with shards": {func(o *install.Operator) { o.ShardNamespaces = true }, []string{
			"ClusterRoleBinding /strata-operator", "ClusterRoleBinding /strata-operator-config-maps", "ClusterRoleBinding /strata-operator-crds", "ClusterRoleBinding /strata-operator-namespaces", "ClusterRoleBinding /strata-operator-secrets",
			"RoleBinding strata-system/strata-operator"}},
		"without ConfigMaps": {func(o *install.Operator) { o.NoConfigMaps = true }, []string{
			"ClusterRoleBinding /strata-operator", "ClusterRoleBinding /strata-operator-crds", "ClusterRoleBinding /strata-operator-secrets", "RoleBinding strata-system/strata-operator"}},
	} {
		t.Run(reason, func(t *testing.T) {
			o := options()
			test.change(o.Operator)
			body := packages(t, o)[operatorFile]
			var bindings []string
			for _, kind := range []string{"ClusterRoleBinding", "RoleBinding"} {
				for _, b := range all[rbacv1.RoleBinding](t, body, kind) {
					bindings = append(bindings, kind+" "+b.Namespace+"/"+b.Name)
					if want := (rbacv1.Subject{Kind: "ServiceAccount", Name: "strata-operator", Namespace: "strata-system"}); !slices.Equal(b.Subjects, []rbacv1.Subject{want}) {
						t.Errorf("%s is for %v", b.Name, b.Subjects)
					}
				}
			}
			slices.Sort(bindings)
			if diff := cmp.Diff(test.bindings, bindings); diff != "" {
				t.Errorf("bindings (-want +got):\n%s", diff)
			}
			for _, role := range all[rbacv1.ClusterRole](t, body, "ClusterRole") {
				for _, r := range role.Rules {
					for _, list := range [][]string{r.APIGroups, r.Resources, r.Verbs} {
						if slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, "*") }) {
							t.Errorf("a rule says too much: %+v", r)
						}
					}
					if slices.Contains(r.Resources, "secrets") != (role.Name == "strata-operator-secrets") {
						t.Errorf("rights on secrets are not in a role of their own: %+v in %s", r, role.Name)
					}
					if slices.Contains(r.Resources, "configmaps") != (role.Name == "strata-operator-config-maps") {
						t.Errorf("rights on ConfigMaps are not in a role of their own: %+v in %s", r, role.Name)
					}
				}
			}
			key := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{"strata-operator-claim-key"}, Verbs: []string{"get", "update"}}
			if rules := all[rbacv1.Role](t, body, "Role")[0].Rules; !cmp.Equal(rules[1:], []rbacv1.PolicyRule{key}) {
				t.Errorf("in its own namespace: %+v, want the lease and %+v", rules, key)
			}
			if s := all[corev1.Secret](t, body, "Secret"); len(s) != 1 || s[0].Name != "strata-operator-claim-key" || s[0].Namespace != "strata-system" || len(s[0].Data) > 0 {
				t.Errorf("the Secrets are %+v", s)
			}
			objects := all[rbacv1.ClusterRole](t, body, "ClusterRole")[0].Rules
			if want := (rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{"orders"}, Verbs: []string{"get", "list", "watch", "update", "patch"}}); !cmp.Equal(objects[0], want) {
				t.Errorf("objects: %+v, want %+v", objects[0], want)
			}
		})
	}
}

// TestOperatorsProviders changes the providers in the chart's values.
func TestOperatorsProviders(t *testing.T) {
	files := packages(t, options())
	files["chart/values.yaml"] = []byte(strings.Replace(string(files["chart/values.yaml"]), "Microsoft.*", "Contoso.*", 1))
	chart, err := render(t, files, "chart/templates/operator.yaml", "strata-system")
	if err != nil {
		t.Fatal(err)
	}
	c := all[corev1.ConfigMap](t, chart, "ConfigMap")[0]
	if !strings.Contains(c.Data["providers.yaml"], "Contoso.*") {
		t.Errorf("the providers are %v", c.Data)
	}
}

const two = shop + `
resource Contoso.Shop/carts
  kind Cart carts
  version 2020-01-01
    spec &CartSpec
    def CartSpec object
      .size int
resource Contoso.Bank/accounts
  kind Account accounts
  version 2020-01-01
    spec &AccountSpec
    def AccountSpec object
      .size int
`

// TestSelect requires that everything follows the selection: rights, policies, and the flags of
// webhook and operator.
func TestSelect(t *testing.T) {
	resources, err := model.Parse("model", []byte(two))
	if err != nil {
		t.Fatal(err)
	}
	c, problems := chain.Link(context.Background(), resources, chain.Options{Suffix: "example.com"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	p := plan.Decide(context.Background(), c, plan.Options{})
	for _, test := range []struct {
		reason    string
		selectors []string
		kinds     string // that the operator gets as a flag
		resources string // that it has rights on
	}{
		{"a group by its folder", []string{"contoso-shop"}, "contoso-shop.example.com", "carts orders"},
		{"a group by its name, whose kind is named too", []string{"contoso-shop.example.com", "contoso-shop/Order"}, "contoso-shop.example.com", "carts orders"},
		{"a kind, in any case", []string{"contoso-shop.example.com/order"}, "contoso-shop.example.com/Order", "orders"},
		{"kinds of two groups", []string{"contoso-shop/Cart", "contoso-bank/Account"}, "contoso-bank.example.com contoso-shop.example.com/Cart", "accounts carts"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			part, err := install.Select(p, test.selectors)
			if err != nil {
				t.Fatal(err)
			}
			files := printed(t, part, options())
			var kinds, rights []string
			for _, argument := range all[appsv1.Deployment](t, files[operatorFile], "Deployment")[0].Spec.Template.Spec.Containers[0].Args {
				if kind, ok := strings.CutPrefix(argument, "--kinds="); ok {
					kinds = append(kinds, kind)
				}
			}
			for _, rule := range all[rbacv1.ClusterRole](t, files[operatorFile], "ClusterRole")[0].Rules {
				if slices.Contains(rule.Verbs, "watch") {
					rights = append(rights, rule.Resources...)
				}
			}
			slices.Sort(rights)
			if got := strings.Join(kinds, " "); got != test.kinds {
				t.Errorf("the operator looks after %q, want %q", got, test.kinds)
			}
			if got := strings.Join(rights, " "); got != test.resources {
				t.Errorf("the operator has rights on %q, want %q", got, test.resources)
			}
			for _, name := range []string{"orders", "carts", "accounts"} {
				selected := strings.Contains(test.resources, name)
				if got := strings.Contains(string(files["config/webhook.yaml"]), name+"."); got != selected {
					t.Errorf("the webhook knows %s: %v", name, got)
				}
			}
			bank := strings.Contains(test.resources, "accounts")
			if got := strings.Contains(string(files["config/policies.yaml"]), "contoso-bank"); got != bank {
				t.Errorf("policies know the bank: %v", got)
			}
		})
	}
	_, err = install.Select(p, []string{"contoso-shop", "contoso-shop/Ordre"})
	if err == nil || !strings.Contains(err.Error(), `"contoso-shop/Ordre" names no group and no kind: there are contoso-bank.example.com/Account`) {
		t.Errorf("a kind that there is not: %v", err)
	}
}

// TestKindsWithoutConfigMaps gives the operator no right on ConfigMaps where no kind can name one:
// because the vendor has both members of ours, or the kind speaks Kubernetes already.
func TestKindsWithoutConfigMaps(t *testing.T) {
	const vendors = "resource Contoso.Shop/orders\n  kind Order orders\n  version 2020-01-01\n    spec &OrderSpec\n    def OrderSpec object\n      .size int\n"
	for _, test := range []struct {
		reason, model string
		takes         bool
	}{
		{"the vendor has both", vendors + "      .outputs string\n      .configMapRefs string\n", false},
		{"the vendor has one", vendors + "      .outputs string\n", true},
		{"the vendor has both in one kind of two", vendors + "      .outputs string\n      .configMapRefs string\n" + strings.NewReplacer("rder", "ffer", "sorder", "soffer").Replace(vendors), true},
		{"a kind of Kubernetes", strings.Replace(vendors, "  kind Order", "  group shop.example.com\n  kind Order", 1), false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			resources, err := model.Parse("model", []byte(test.model))
			if err != nil {
				t.Fatal(err)
			}
			c, problems := chain.Link(t.Context(), resources, chain.Options{Suffix: "example.com"})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			has := false
			for _, role := range all[rbacv1.ClusterRole](t, printed(t, plan.Decide(t.Context(), c, plan.Options{}), options())[operatorFile], "ClusterRole") {
				has = has || strings.HasSuffix(role.Name, "-config-maps")
			}
			if has != test.takes {
				t.Errorf("the operator has rights on ConfigMaps: %t", has)
			}
		})
	}
}
