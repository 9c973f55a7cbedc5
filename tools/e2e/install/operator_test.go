package install

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/tools/testcluster/kubectl"
)

// rightsAreNarrow gives the operator rights where its objects are, and nowhere else.
func (s *site) rightsAreNarrow(t *testing.T) {
	dir := generated(t, "operator: {namespaces: [team-a], requireCredentials: false}")
	s.kubectl(t, "", "create", "namespace", "team-a")
	s.kubectl(t, "", "delete", "clusterrolebinding", "strata-operator", "strata-operator-secrets")
	s.kubectl(t, "", "apply", "--server-side", "-k", dir)
	operator := s.as(t, "strata-operator")
	for what, want := range map[string]bool{
		"list persons.crm.example.com -n team-a":             true,
		"watch secrets -n team-a":                            true,
		"get namespaces/team-a -n team-a":                    true,
		"create events.events.k8s.io -n default":             true, // which report that a namespace is being deleted
		"get secrets -n default":                             false,
		"create leases.coordination.k8s.io -n strata-system": true,
		"list persons.crm.example.com -n kube-system":        false,
		"list persons.crm.example.com --all-namespaces":      false,
		"get secrets -n kube-system":                         false,
		"get secrets -n strata-system":                       false,
	} {
		canI(t, operator, what, want)
	}
}

// podsAreLetIn makes pods of the templates of all deployments, without keeping them. One that is
// less restricted is refused, so that a user notices.
func (s *site) podsAreLetIn(t *testing.T) {
	for _, name := range []string{"strata-webhook", "strata-operator"} {
		var d appsv1.Deployment
		if err := json.Unmarshal([]byte(s.kubectl(t, "", "get", "deployment", name, "-n", namespace, "-o", "json")), &d); err != nil {
			t.Fatal(err)
		}
		pod := corev1.Pod{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, Spec: d.Spec.Template.Spec,
		}
		_, warnings, err := s.create(t, &pod)
		if err != nil || strings.Contains(warnings, "PodSecurity") {
			t.Errorf("%s: %v, %s", name, err, warnings)
		}
		pod.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation = new(true)
		if _, _, err := s.create(t, &pod); err == nil || !strings.Contains(err.Error(), "violates PodSecurity \"restricted") {
			t.Errorf("%s that may become more than it is: %v", name, err)
		}
	}
}

// create creates an object and keeps none.
func (s *site) create(t *testing.T, object any) (string, string, error) {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return s.Kubectl().Run(t.Context(), string(text), "create", "--dry-run=server", "-f", "-")
}

// rightsSuffice calls the API server as the operator does, and tries forbidden calls.
func (s *site) rightsSuffice(t *testing.T) {
	operator := s.as(t, "strata-operator")
	for _, may := range []struct {
		what string
		want bool
	}{
		{"list persons.crm.example.com --all-namespaces", true},
		{"watch parties.crm.example.com --all-namespaces", true},
		{"patch personsnotes.crm.example.com -n default", true},
		{"patch persons.crm.example.com --subresource=status -n default", true},
		{"update persons.crm.example.com --subresource=finalizers -n default", true},
		{"create events.events.k8s.io -n default", true},
		{"create leases.coordination.k8s.io -n strata-system", true},
		{"create persons.crm.example.com -n default", false},
		{"delete persons.crm.example.com -n default", false},
		{"create leases.coordination.k8s.io -n default", false},
		{"watch secrets --all-namespaces", true},
		{"delete secrets -n default", false},
		{"escalate clusterroles.rbac.authorization.k8s.io", false},
		{"watch configmaps --all-namespaces", true},
		{"delete configmaps -n default", false},
		{"get customresourcedefinitions.apiextensions.k8s.io/persons.crm.example.com", true},
		{"list customresourcedefinitions.apiextensions.k8s.io/persons.crm.example.com", true},
		{"list customresourcedefinitions.apiextensions.k8s.io", false},
		{"patch customresourcedefinitions.apiextensions.k8s.io", false},
	} {
		canI(t, operator, may.what, may.want)
	}
}

// canI asks the API server whether a user has a permission. New roles take a moment to take
// effect.
func canI(t *testing.T, who kubectl.Client, what string, want bool) {
	t.Helper()
	var got string
	for range 20 {
		out, _, _ := who.Run(t.Context(), "", append([]string{"auth", "can-i"}, strings.Fields(what)...)...) // "no" is an error
		if got = strings.TrimSpace(out); got == map[bool]string{true: "yes", false: "no"}[want] {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%s: %q, want %v", what, got, want)
}
