package install_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/generator/internal/emit/install"
)

// TestSameManifests renders the chart with its own values, which must give the manifests of the
// Kustomize package.
func TestSameManifests(t *testing.T) {
	for name, change := range map[string]func(*install.Options){
		"self":         func(*install.Options) {},
		"cert-manager": func(o *install.Options) { o.CertManager = true },
		"external":     func(o *install.Options) { o.External = true },
		"no writers":   func(o *install.Options) { o.HubWriters = nil },
		"no operator":  func(o *install.Options) { o.Operator = nil },
		"namespaces":   func(o *install.Options) { o.Operator.Namespaces = []string{"a", "b"} },
		"credentials":  func(o *install.Options) { o.Operator.RequireCredentials = new(false) },
	} {
		t.Run(name, func(t *testing.T) {
			o := options()
			change(&o)
			files := packages(t, o)
			compared := 0
			for path, body := range files {
				part, ok := strings.CutPrefix(path, "config/")
				if !ok || part == "kustomization.yaml" || part == "namespace.yaml" {
					continue
				}
				compared++
				chart, err := render(t, files, "chart/templates/"+part, o.Namespace)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(providers(t, documents(t, body)), providers(t, documents(t, chart))); diff != "" {
					t.Errorf("%s (-kustomize +chart):\n%s", part, diff)
				}
			}
			if compared == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}

// providers reads the file of providers that manifests hold: the packages print it in
// different ways.
func providers(t *testing.T, manifests []map[string]any) []map[string]any {
	t.Helper()
	for _, m := range manifests {
		data, _ := m["data"].(map[string]any)
		for name, text := range data {
			var read any
			if err := yaml.UnmarshalStrict([]byte(text.(string)), &read); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			data[name] = read
		}
	}
	return manifests
}

// TestKustomizations wants every kustomization to name files that are there, and
// every file to be named.
func TestKustomizations(t *testing.T) {
	files := packages(t, options())
	named := []string{"config/kustomization.yaml", "kustomization.yaml"}
	for _, dir := range []string{"", "config/"} {
		var k struct {
			APIVersion, Kind string
			Resources        []string
		}
		if err := yaml.UnmarshalStrict(files[dir+"kustomization.yaml"], &k); err != nil {
			t.Fatal(err)
		}
		if dir == "" && !slices.Equal(k.Resources, []string{"crds/orders.contoso-shop.example.com.yaml", "config"}) {
			t.Errorf("the package with CRDs has %q", k.Resources)
		}
		for _, r := range k.Resources {
			named = append(named, dir+r)
		}
	}
	for path := range files {
		if !strings.HasPrefix(path, "chart/") && !slices.Contains(named, path) {
			t.Errorf("no kustomization names %s", path)
		}
	}
	for _, path := range named {
		if files[path] == nil && path != "config" && !strings.HasPrefix(path, "crds/") {
			t.Errorf("%s is named and not written", path)
		}
	}
}

// TestNotes wants the chart to refuse a namespace where CRDs would not find the webhook.
func TestNotes(t *testing.T) {
	files := packages(t, options())
	if _, err := render(t, files, "chart/templates/NOTES.txt", "elsewhere"); err == nil || !strings.Contains(err.Error(), "strata-system") {
		t.Errorf("another namespace: %v", err)
	}
	notes, err := render(t, files, "chart/templates/NOTES.txt", "strata-system")
	if err != nil || !strings.Contains(string(notes), "kubectl apply --server-side -f crds/") {
		t.Errorf("notes: %s, %v", notes, err)
	}
}

// TestOtherNamespace installs the chart with a webhook elsewhere, which is possible in any
// namespace. All objects are in that one, and so are the accounts that policies and bindings name.
func TestOtherNamespace(t *testing.T) {
	o := options()
	o.External = true
	files := packages(t, o)
	if _, err := render(t, files, "chart/templates/NOTES.txt", "elsewhere"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"policies.yaml", "operator.yaml"} {
		text, err := render(t, files, "chart/templates/"+name, "elsewhere")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "elsewhere") || strings.Contains(string(text), "strata-system") {
			t.Errorf("%s is for another namespace:\n%s", name, text)
		}
	}
}

// TestLeastPrivilege checks the rights of the webhook, and the rights of others on its objects.
func TestLeastPrivilege(t *testing.T) {
	files := packages(t, options())
	var d appsv1.Deployment
	manifest(t, files, "Deployment", &d)
	pod := d.Spec.Template.Spec
	for _, c := range pod.Containers {
		s := c.SecurityContext
		if *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || !*s.RunAsNonRoot || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) {
			t.Errorf("a container is not restricted: %+v", s)
		}
	}
	if !*pod.SecurityContext.RunAsNonRoot || pod.SecurityContext.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("the pod is not restricted: %+v", pod.SecurityContext)
	}
	var namespace corev1.Namespace
	manifest(t, files, "Namespace", &namespace)
	if namespace.Labels["pod-security.kubernetes.io/enforce"] != "restricted" {
		t.Errorf("the namespace takes other pods: %v", namespace.Labels)
	}
	var role rbacv1.ClusterRole
	manifest(t, files, "ClusterRole", &role)
	for _, r := range role.Rules {
		if slices.Contains(r.Verbs, "*") || slices.Contains(r.Resources, "*") || len(r.ResourceNames) == 0 {
			t.Errorf("a rule says too much: %+v", r)
		}
	}
	for _, of := range []struct {
		kind string
		into any
	}{{"PodDisruptionBudget", new(policyv1.PodDisruptionBudget)}, {"NetworkPolicy", new(networkingv1.NetworkPolicy)}, {"Service", new(corev1.Service)}} {
		manifest(t, files, of.kind, of.into)
	}
}

// TestCertManagersNeedsNoRights wants a webhook whose certificates others make to
// have no token, and no way out.
func TestCertManagersNeedsNoRights(t *testing.T) {
	o := options()
	o.CertManager = true
	files := packages(t, o)
	var d appsv1.Deployment
	manifest(t, files, "Deployment", &d)
	if *d.Spec.Template.Spec.AutomountServiceAccountToken {
		t.Error("it has a token")
	}
	var n networkingv1.NetworkPolicy
	manifest(t, files, "NetworkPolicy", &n)
	if len(n.Spec.Egress) > 0 || !slices.Contains(n.Spec.PolicyTypes, networkingv1.PolicyTypeEgress) {
		t.Errorf("it may call others: %+v", n.Spec)
	}
	if strings.Contains(string(files["config/webhook.yaml"]), "kind: ClusterRole") {
		t.Error("it has rights")
	}
}
