package install_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
)

// TestDeployments checks, for webhook and operator, that the image is the one of the options, that
// one replica stays during rollouts and drains, and that probes name ports of the container.
func TestDeployments(t *testing.T) {
	files := packages(t, options())
	for file, want := range map[string]struct{ image, live string }{
		"config/webhook.yaml": {"webhook:v1", "/livez"},
		operatorFile:          {"operator:v1", "/healthz"},
	} {
		d := all[appsv1.Deployment](t, files[file], "Deployment")[0]
		pod := d.Spec.Template
		c := pod.Spec.Containers[0]
		if c.Image != want.image || *d.Spec.Replicas != 2 || d.Spec.Strategy.RollingUpdate.MaxUnavailable.IntValue() != 0 {
			t.Errorf("%s: %d replicas of %s, strategy %+v", file, *d.Spec.Replicas, c.Image, d.Spec.Strategy)
		}
		budget := all[policyv1.PodDisruptionBudget](t, files[file], "PodDisruptionBudget")[0].Spec
		for _, selected := range []map[string]string{d.Spec.Selector.MatchLabels, budget.Selector.MatchLabels, pod.Spec.TopologySpreadConstraints[0].LabelSelector.MatchLabels} {
			if !isIn(selected, pod.Labels) {
				t.Errorf("%s: %v does not select pods with %v", file, selected, pod.Labels)
			}
		}
		if budget.MinAvailable.IntValue() != 1 {
			t.Errorf("%s: nothing preserves a replica: %+v", file, budget)
		}
		for probe, path := range map[*corev1.Probe]string{c.LivenessProbe: want.live, c.ReadinessProbe: "/readyz"} {
			if get := probe.HTTPGet; get.Path != path || portOf(c, get.Port.StrVal) == 0 {
				t.Errorf("%s: a probe gets %s of the port %s, want %s", file, get.Path, get.Port.StrVal, path)
			}
		}
	}
}

// TestService checks that the Service leads each of its ports to the port of the pods that has the
// same name.
func TestService(t *testing.T) {
	o := options()
	o.Port = 8443
	files := packages(t, o)
	d := all[appsv1.Deployment](t, files["config/webhook.yaml"], "Deployment")[0]
	s := all[corev1.Service](t, files["config/webhook.yaml"], "Service")[0]
	if !isIn(s.Spec.Selector, d.Spec.Template.Labels) {
		t.Errorf("the service selects %v, and the pods have %v", s.Spec.Selector, d.Spec.Template.Labels)
	}
	got := map[string]string{}
	for _, p := range s.Spec.Ports {
		got[p.Name] = fmt.Sprint(p.Port, " to ", portOf(d.Spec.Template.Spec.Containers[0], p.TargetPort.StrVal))
	}
	if diff := cmp.Diff(map[string]string{"conversion": "8443 to 9443", "metrics": "8080 to 8080"}, got); diff != "" {
		t.Errorf("ports (-want +got):\n%s", diff)
	}
}

// portOf returns the port of a container by its name; zero if there is none.
func portOf(c corev1.Container, name string) int32 {
	i := slices.IndexFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == name })
	if i < 0 {
		return 0
	}
	return c.Ports[i].ContainerPort
}

func isIn(some, all map[string]string) bool {
	for name, value := range some {
		if all[name] != value {
			return false
		}
	}
	return len(some) > 0
}

// TestOperatorsArguments checks that the operator elects a leader in its own namespace, and gets
// its kinds, its namespaces and its providers.
func TestOperatorsArguments(t *testing.T) {
	o := options()
	o.Namespace, o.Operator.Namespaces = "system", []string{"b", "a"}
	c := all[appsv1.Deployment](t, packages(t, o)[operatorFile], "Deployment")[0].Spec.Template.Spec.Containers[0]
	want := []string{
		"--plugins=/plugins", "--providers=/etc/strata/providers.yaml", "--leader-elect", "--leader-election-namespace=system",
		"--kinds=contoso-shop.example.com", "--namespaces=b", "--namespaces=a",
	}
	if diff := cmp.Diff(want, c.Args); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}

// TestRightsInFull lists all rights of webhook and operator.
func TestRightsInFull(t *testing.T) {
	files := packages(t, options())
	got := map[string]string{}
	for _, file := range []string{"config/webhook.yaml", operatorFile} {
		for _, kind := range []string{"Role", "ClusterRole"} {
			for _, role := range all[rbacv1.Role](t, files[file], kind) {
				var rules []string
				for _, r := range role.Rules {
					rules = append(rules, strings.Join(r.Verbs, ",")+" "+strings.Join(r.APIGroups, ",")+"/"+strings.Join(append(r.Resources, r.ResourceNames...), " "))
				}
				got[kind+" "+role.Name] = strings.Join(rules, "; ")
			}
		}
	}
	const orders = "contoso-shop.example.com/orders"
	want := map[string]string{
		"Role strata-webhook":         "get,update /secrets strata-webhook-serving",
		"ClusterRole strata-webhook":  "get,patch apiextensions.k8s.io/customresourcedefinitions orders.contoso-shop.example.com",
		"Role strata-operator":        "get,create,update,patch coordination.k8s.io/leases; get,update /secrets strata-operator-claim-key",
		"ClusterRole strata-operator": "get,list,watch,update,patch " + orders + "; get,update,patch " + orders + "/status; update " + orders + "/finalizers; create,patch ,events.k8s.io/events; get /namespaces",

		"ClusterRole strata-operator-secrets":     "get,list,watch,create,update /secrets",
		"ClusterRole strata-operator-config-maps": "get,list,watch,create,update /configmaps",
		"ClusterRole strata-operator-crds":        "get,list apiextensions.k8s.io/customresourcedefinitions orders.contoso-shop.example.com",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rights (-want +got):\n%s", diff)
	}
}

// TestValuesOfCharts changes each value of the chart, and nothing but what it names may change.
func TestValuesOfCharts(t *testing.T) {
	for value, test := range map[string]struct {
		old, now string
		want     map[string]string // the new text of changed lines, by the file
	}{
		"image":              {"image: webhook:v1", "image: webhook:v2", map[string]string{"webhook.yaml": `image: "webhook:v2"`}},
		"replicas":           {"\nreplicas: 2", "\nreplicas: 5", map[string]string{"webhook.yaml": "replicas: 5"}},
		"operator.image":     {"image: operator:v1", "image: operator:v2", map[string]string{"operator.yaml": `image: "operator:v2"`}},
		"operator.replicas":  {"\n  replicas: 2", "\n  replicas: 7", map[string]string{"operator.yaml": "replicas: 7"}},
		"hubWriters":         {"- joe", "- ann", map[string]string{"policies.yaml": `"ann",`}},
		"operator.providers": {"- Microsoft.*", "- Contoso.*", map[string]string{"operator.yaml": "- Contoso.*"}},
	} {
		t.Run(value, func(t *testing.T) {
			files := packages(t, options())
			changed := maps.Clone(files)
			const values = "chart/values.yaml"
			if strings.Count(string(files[values]), test.old) != 1 {
				t.Fatalf("the values are\n%s", files[values])
			}
			changed[values] = []byte(strings.Replace(string(files[values]), test.old, test.now, 1))
			got := map[string]string{}
			for _, name := range []string{"webhook.yaml", "policies.yaml", operatorName} {
				before, after := lines(t, files, name), lines(t, changed, name)
				for i := range min(len(before), len(after)) {
					if before[i] != after[i] {
						got[name] += strings.TrimSpace(after[i])
					}
				}
				if len(before) != len(after) {
					t.Errorf("%s has %d lines, and then %d", name, len(before), len(after))
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("changed lines (-want +got):\n%s", diff)
			}
		})
	}
}

const operatorName = "operator.yaml"

// lines renders a template of the chart.
func lines(t *testing.T, files map[string][]byte, name string) []string {
	t.Helper()
	text, err := render(t, files, "chart/templates/"+name, "strata-system")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}
