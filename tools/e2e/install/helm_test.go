package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/testcluster/binaries"
)

// release is the name of the release in the tests.
const release = "crm"

// TestHelm lints, renders, installs, upgrades, rolls back and uninstalls the chart with Helm. Users
// select the image, the number of replicas and the kinds by values.
func TestHelm(t *testing.T) {
	s := newSite(t)
	h := newHelm(t, s)
	t.Run("lint", h.lints)
	t.Run("same manifests", h.rendersThePackage)
	t.Run("refusals", h.refuses)
	t.Run("release", h.releases)
}

// helm is Helm with a chart and a cluster.
type helm struct {
	*site
	program, chart string
	env            []string
}

func newHelm(t *testing.T, s *site) *helm {
	t.Helper()
	h := &helm{site: s, program: filepath.Join(t.TempDir(), "helm"), chart: filepath.Join(s.dir, "chart")}
	if err := binaries.BuildHelm(t.Context(), h.program); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	h.env = append(os.Environ(), "KUBECONFIG="+s.Kubectl().Kubeconfig, "HELM_CACHE_HOME="+home, "HELM_CONFIG_HOME="+home, "HELM_DATA_HOME="+home)
	return h
}

// run runs Helm in the namespace of the chart.
func (h *helm) run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out, complaints bytes.Buffer
	c := exec.CommandContext(t.Context(), h.program, append([]string{"--namespace=" + namespace}, args...)...)
	c.Env, c.Stdout, c.Stderr = h.env, &out, &complaints
	if err := c.Run(); err != nil {
		return out.String(), fmt.Errorf("helm %s: %w\n%s%s", strings.Join(args, " "), err, out.String(), complaints.String())
	}
	return out.String(), nil
}

// must runs Helm, which must succeed.
func (h *helm) must(t *testing.T, args ...string) string {
	t.Helper()
	out, err := h.run(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (h *helm) lints(t *testing.T) {
	for _, values := range [][]string{nil, {"--set=kinds={crm.example.com/Person}"}} {
		printed := h.must(t, append([]string{"lint", h.chart}, values...)...)
		if strings.Contains(printed, "[WARNING]") || strings.Contains(printed, "[ERROR]") {
			t.Errorf("helm lint %q:\n%s", values, printed)
		}
	}
}

// rendersThePackage requires the objects of the chart to be those that Kustomize builds, but for
// the namespace and the CRDs.
func (h *helm) rendersThePackage(t *testing.T) {
	want := objects(t, kustomize(t, filepath.Join(h.dir, "config")))
	delete(want, "Namespace/"+namespace)
	got := objects(t, h.must(t, "template", release, h.chart))
	if diff := cmp.Diff(want, got); diff != "" || len(got) < 10 {
		t.Errorf("%d objects (-kustomize +chart):\n%s", len(got), diff)
	}
}

// objects reads manifests, by kind and name. The text of the providers is read, too.
func objects(t *testing.T, text string) map[string]map[string]any {
	t.Helper()
	out := map[string]map[string]any{}
	for document := range strings.SplitSeq("\n"+text, "\n---\n") {
		var m map[string]any
		if err := yaml.Unmarshal([]byte(document), &m); err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		if m == nil {
			continue
		}
		data, _ := m["data"].(map[string]any)
		for name, value := range data {
			var read any
			if err := yaml.Unmarshal([]byte(value.(string)), &read); err != nil {
				t.Fatal(err)
			}
			data[name] = read
		}
		out[fmt.Sprintf("%v/%v", m["kind"], m["metadata"].(map[string]any)["name"])] = m
	}
	return out
}

// refuses gives values that the chart does not have. Nothing is installed.
func (h *helm) refuses(t *testing.T) {
	for _, test := range []struct{ reason, set, want string }{
		{"a kind that is not there", "kinds={crm.example.com/Nobody}", "value must be one of 'crm.example.com/Party', 'crm.example.com/Person', 'crm.example.com/PersonsNote'"},
		{"kinds twice", "kinds={crm.example.com/Party,crm.example.com/Party}", "at '/kinds': items at 0 and 1 are equal"},
		{"a number in words", "replicas=two", "at '/replicas': got string, want integer"},
		{"a value that is spelled wrong", "imagee=a", "additional properties 'imagee' not allowed"},
		{"one of the operator", "operator.replica=1", "additional properties 'replica' not allowed"},
		{"no image", "image=", "at '/image': minLength"},
	} {
		if _, err := h.run(t, "install", release, h.chart, "--create-namespace", "--set="+test.set); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.reason, err, test.want)
		}
	}
	if _, err := h.run(t, "install", release, h.chart, "--namespace=default"); err == nil || !strings.Contains(err.Error(), "install the chart there") {
		t.Errorf("another namespace: %v", err)
	}
}

// releases installs the chart for one kind, upgrades the release to all kinds and another image,
// and rolls it back. The object of the kind stays readable, and the Secret of the webhook stays.
func (h *helm) releases(t *testing.T) {
	const first, second = "registry.example.com/crm-webhook:v1", "registry.example.com/crm-webhook:v2"
	h.must(t, "install", release, h.chart, "--create-namespace", "--set=image="+first, "--set=replicas=3", "--set=kinds={crm.example.com/Person}")
	h.deploys(t, first, "3", "--crds=persons.crm.example.com")
	h.starts(t)
	h.kubectl(t, "", "apply", "--server-side", "-f", filepath.Join(h.dir, "crds", "persons.crm.example.com.yaml"))
	h.ready(t)
	h.eventually(t, person, "apply", "--server-side", "-f", "-")
	h.reads(t, "v20190909", "{.spec.properties.legalName}", "Ada Lovelace")
	h.hubIsGuarded(t)
	secret, bundle := h.secret(t), h.bundle(t)
	if secret == "" || bundle == "" {
		t.Fatal("the webhook has stored no certificate")
	}
	stays := func() {
		t.Helper()
		if h.secret(t) != secret || h.bundle(t) != bundle {
			t.Error("the certificate of the webhook has changed")
		}
		h.reads(t, "v20190909", "{.spec.properties.legalName}", "Ada Lovelace")
		h.reads(t, "v20110101", "{.spec.properties.lastName}", "Lovelace")
	}

	h.must(t, "upgrade", release, h.chart, "--set=image="+second)
	h.deploys(t, second, "2", "--crds=parties.crm.example.com,persons.crm.example.com,personsnotes.crm.example.com")
	stays()
	h.must(t, "rollback", release, "1")
	h.deploys(t, first, "3", "--crds=persons.crm.example.com")
	stays()
	h.must(t, "upgrade", release, h.chart, "--set=image="+second)
	h.deploys(t, second, "2", "--crds=parties.crm.example.com,persons.crm.example.com,personsnotes.crm.example.com")
	stays()

	var history []struct {
		Revision int
		Status   string
	}
	if err := json.Unmarshal([]byte(h.must(t, "history", release, "-o", "json")), &history); err != nil {
		t.Fatal(err)
	}
	var statuses []string
	for _, r := range history {
		statuses = append(statuses, r.Status)
	}
	if !slices.Equal(statuses, []string{"superseded", "superseded", "superseded", "deployed"}) {
		t.Errorf("the release was %q", statuses)
	}

	h.must(t, "uninstall", release)
	if left := h.kubectl(t, "", "get", "validatingadmissionpolicies,mutatingadmissionpolicies,clusterroles", "-l", "app.kubernetes.io/part-of=strata", "-o", "name"); left != "" {
		t.Errorf("the release leaves\n%s", left)
	}
	h.kubectl(t, "", "get", "crd", "persons.crm.example.com") // with its objects
}

// deploys requires an image, a number of replicas and an argument of the webhook. The rights of the
// webhook are those on the CRDs of the argument.
func (h *helm) deploys(t *testing.T, image, replicas, crds string) {
	t.Helper()
	got := h.kubectl(t, "", "get", "deployment", "strata-webhook", "-n", namespace, "-o", "jsonpath={.spec.template.spec.containers[0].image} {.spec.replicas} {.spec.template.spec.containers[0].args[1]}")
	if want := strings.Join([]string{image, replicas, crds}, " "); got != want {
		t.Errorf("the deployment has\n%s\nwant\n%s", got, want)
	}
	names := h.kubectl(t, "", "get", "clusterrole", "strata-webhook", "-o", "jsonpath={.rules[0].resourceNames[*]}")
	if strings.ReplaceAll(names, " ", ",") != strings.TrimPrefix(crds, "--crds=") {
		t.Errorf("the webhook has rights on %s, and serves %s", names, crds)
	}
}

// secret is the content of the webhook's Secret.
func (h *helm) secret(t *testing.T) string {
	t.Helper()
	return h.kubectl(t, "", "get", "secret", "strata-webhook-serving", "-n", namespace, "-o", "jsonpath={.data}")
}
