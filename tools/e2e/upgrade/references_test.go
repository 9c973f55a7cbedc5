package upgrade_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/tools/e2e/fixtures"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// findsWhoNamesAVersion plans to remove a version that an owner reference, a Helm release, a policy
// and an autoscaler name. Without rights the plan names what it did not read, and --strict fails.
func findsWhoNamesAVersion(t *testing.T, p planner) {
	old := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/versions" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(`{"format":1,"kinds":[]}`))
	})
	replica := httptest.NewServer(old)
	defer replica.Close()
	blind, code, stderr := p.run(example, p.webhook+" convert", "--webhook", "http://127.0.0.1:1")
	if code != 0 || !slices.ContainsFunc(blind.NotChecked, func(u struct{ What, Reason string }) bool {
		return strings.HasPrefix(u.What, "Helm releases in Secrets") && u.Reason == "the user lacks the right to list secrets"
	}) {
		t.Errorf("without rights: exit code %d, %+v\n%s", code, blind.NotChecked, stderr)
	}
	if _, code, _ := p.run(example, p.webhook+" convert", "--strict"); code != 1 {
		t.Errorf("without rights, with --strict: exit code %d", code)
	}
	client := shared.Client(t, p.admin)
	create := func(group, version, plural, namespace string, object map[string]any) {
		r := schema.GroupVersionResource{Group: group, Version: version, Resource: plural}
		object["apiVersion"] = r.GroupVersion().String()
		shared.Must(t)(client.Resource(r).Namespace(namespace).Create(t.Context(), &unstructured.Unstructured{Object: object}, metav1.CreateOptions{}))
	}
	create("rbac.authorization.k8s.io", "v1", "clusterroles", "", map[string]any{"kind": "ClusterRole", "metadata": map[string]any{"name": "strata-plan-references"}, "rules": []any{
		map[string]any{"apiGroups": []any{"*"}, "resources": []any{"*"}, "verbs": []any{"list"}},
		map[string]any{"nonResourceURLs": []any{"/metrics"}, "verbs": []any{"get"}},
	}})
	create("rbac.authorization.k8s.io", "v1", "clusterrolebindings", "", map[string]any{"kind": "ClusterRoleBinding", "metadata": map[string]any{"name": "strata-plan-references"},
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "strata-plan-references"},
		"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "planner"}}})
	const version = fixtures.Group + "/v20150505"
	create("", "v1", "configmaps", "default", map[string]any{"kind": "ConfigMap", "metadata": map[string]any{"name": "owned", "ownerReferences": []any{
		map[string]any{"apiVersion": version, "kind": "Party", "name": "x", "uid": "a1"},
	}}})
	create("", "v1", "secrets", "default", map[string]any{"kind": "Secret", "type": "helm.sh/release.v1",
		"metadata":   map[string]any{"name": "sh.helm.release.v1.a.v1", "labels": map[string]any{"owner": "helm", "status": "deployed"}},
		"stringData": map[string]any{"release": "eyJtYW5pZmVzdCI6ImFwaVZlcnNpb246IGNybS5leGFtcGxlLmNvbS92MjAxNTA1MDVcbmtpbmQ6IFBhcnR5XG4ifQ=="}})
	create("autoscaling", "v2", "horizontalpodautoscalers", "default", map[string]any{"kind": "HorizontalPodAutoscaler", "metadata": map[string]any{"name": "h"},
		"spec": map[string]any{"maxReplicas": int64(2), "scaleTargetRef": map[string]any{"apiVersion": version, "kind": "Party", "name": "x"}}})
	create("admissionregistration.k8s.io", "v1", "validatingadmissionpolicies", "", map[string]any{"kind": "ValidatingAdmissionPolicy", "metadata": map[string]any{"name": "exact"},
		"spec": map[string]any{"validations": []any{map[string]any{"expression": "true"}}, "matchConstraints": map[string]any{"matchPolicy": "Exact", "resourceRules": []any{map[string]any{
			"apiGroups": []any{fixtures.Group}, "apiVersions": []any{"v20150505"}, "resources": []any{"parties"}, "operations": []any{"CREATE"},
		}}}}})
	of, code, stderr := p.run(p.without("v20150505"), p.webhook+" convert", "--webhook", replica.URL)
	got := reasons(of)
	for _, want := range []string{"OwnerReference", "HelmRelease", "ScaleTarget", "Policy"} {
		if !slices.Contains(got, want+" v20150505") {
			t.Errorf("the plan lacks %s", want)
		}
	}
	if !slices.Contains(got, "Replica v20190909") || code != 1 || len(of.NotChecked) > 0 {
		t.Errorf("exit code %d, findings %q, not checked %+v\n%s", code, got, of.NotChecked, stderr)
	}
}
