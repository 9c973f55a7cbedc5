package upgrade_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// block returns the YAML block of a page that begins with a text.
func block(t *testing.T, page, begin string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../docs/guide", page))
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "```yaml\n"+begin)
	out, _, ends := strings.Cut(after, "```")
	if !found || !ends {
		t.Fatalf("%s has no block that begins with %q", page, begin)
	}
	return begin + out
}

// TestJob applies the manifests of the how-to: the Job, its account and the role of the reference.
// No kubelet runs here, so a process of the test has the command of the Job's container, and the
// token of its account. The first one is killed, and another one finishes. kubectl waits for the
// conditions of the upgrade, and shows its events.
func TestJob(t *testing.T) {
	tier.Long(t, "runs an upgrade as a Job")
	const filled, group = 60, "job.example.com"
	h := openHubs(t, group, filled)
	kubectl := func(input string, args ...string) string {
		t.Helper()
		out, messages, err := h.Kubectl().Run(t.Context(), input, args...)
		if err != nil {
			t.Fatalf("kubectl %v: %v\n%s", args, err, messages)
		}
		return out
	}
	roles := block(t, "reference/cluster.md", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: strata-upgrade\n")
	manifests := block(t, "howto/upgrade-a-cluster.md", "apiVersion: v1\nkind: ServiceAccount\n")
	system := shared.Must(t)(h.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "strata-system"},
	}}, metav1.CreateOptions{}))
	everything := strings.ReplaceAll(roles, "crm.example.com", group) + "---\n" + manifests
	kubectl(everything, "apply", "-f", "-")
	t.Cleanup(func() {
		for _, args := range [][]string{{"delete", "-f", "-"}, {"delete", "namespace", system.GetName(), "--wait=false"}} {
			if _, messages, err := h.Kubectl().Run(shared.Afterwards(t), everything, args...); err != nil {
				t.Errorf("%v\n%s", err, messages)
			}
		}
	})
	kubectl("", "create", "configmap", "strata-plan", "-n", "strata-system", "--from-file=plan.json="+h.plan)
	pod := h.pod(kubectl)
	refused := pod(h.before, "--accept-findings")
	if out, err := refused.CombinedOutput(); refused.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "another package") {
		t.Fatalf("a pod with another package: %v\n%s", err, out)
	}
	kill, _ := reached(t, pod(h.after, "--accept-findings", "--rate=20"), "Rewrite: begins")
	wait := exec.CommandContext(t.Context(), h.Kubectl().Path, "--kubeconfig", h.Kubeconfig, "wait", "--for=condition=Upgraded", "--timeout=2m", "storageupgrade/"+h.upgrade())
	if err := wait.Start(); err != nil {
		t.Fatal(err)
	}
	kill()
	if out := kubectl("", "get", "storageupgrade", h.upgrade(), "-o", `jsonpath={.status.conditions[?(@.type=="Upgraded")].status}`); out != "False" {
		t.Errorf("after the first pod was killed, Upgraded is %q", out)
	}
	if out, err := pod(h.after, "--accept-findings", "--rate=1000").CombinedOutput(); err != nil {
		t.Fatalf("the second pod: %v\n%s", err, out)
	}
	if err := wait.Wait(); err != nil {
		t.Errorf("kubectl wait: %v", err)
	}
	h.states("after the Job", "v2storage", filled)
	h.proved("v2storage", filled)
	kubectl("", "wait", "--for=condition=Done", "--timeout=10s", "storageupgrade/"+h.upgrade())
	reasons := strings.Fields(kubectl("", "get", "events", "--field-selector", "involvedObject.kind=StorageUpgrade,involvedObject.name="+h.upgrade(), "-o", "jsonpath={.items[*].reason}"))
	for _, want := range append([]string{"Started", "Upgraded"}, stageNames...) {
		if !slices.Contains(reasons, want) {
			t.Errorf("no event %s: there are %v", want, reasons)
		}
	}

	h.forbid("filled-3")
	rollback := h.work(h.after, "rollback", h.upgrade())
	if code, out := h.run(rollback...); code != 2 {
		t.Fatalf("a rollback with an object that cannot be written: exit code %d\n%s", code, out)
	}
	kubectl("", "wait", "--for=condition=Blocked", "--timeout=10s", "storageupgrade/"+h.upgrade())
	kubectl("", "wait", "--for=condition=Upgraded=false", "--timeout=10s", "storageupgrade/"+h.upgrade())
}

// pod returns a function that makes a process with the command of the Job that the cluster has. Its
// arguments are the folder of the package in the image, and further flags: those about API servers
// and the webhook are for a cluster without pods and endpoints.
func (h *hubs) pod(kubectl func(input string, args ...string) string) func(image string, flags ...string) *exec.Cmd {
	h.t.Helper()
	var job struct {
		Spec struct {
			Template struct {
				Spec struct {
					ServiceAccountName string
					Containers         []struct{ Command, Args []string }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(kubectl("", "get", "job", "strata-upgrade", "-n", "strata-system", "-o", "json")), &job); err != nil {
		h.t.Fatal(err)
	}
	spec := job.Spec.Template.Spec
	token := strings.TrimSpace(kubectl("", "create", "token", spec.ServiceAccountName, "-n", "strata-system"))
	config := &rest.Config{Host: h.Host(), BearerToken: token, TLSClientConfig: rest.TLSClientConfig{CAData: h.Config.CAData}}
	user := kubeconfigOf(config)
	for _, info := range user.AuthInfos {
		info.Token = token
	}
	dir := h.t.TempDir()
	file, plan := filepath.Join(dir, "kubeconfig"), filepath.Join(dir, "plan.json")
	if err := clientcmd.WriteToFile(user, file); err != nil {
		h.t.Fatal(err)
	}
	text := kubectl("", "get", "configmap", "strata-plan", "-n", "strata-system", "-o", `jsonpath={.data.plan\.json}`)
	if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return func(image string, flags ...string) *exec.Cmd {
		mounted := strings.NewReplacer("/plan/plan.json", plan, "=/package", "="+image)
		var args []string
		for _, arg := range append(spec.Containers[0].Command[1:], spec.Containers[0].Args...) {
			args = append(args, mounted.Replace(arg))
		}
		c := exec.CommandContext(h.t.Context(), h.program, append(append(args, "--server", h.Host(), "--grace", "1s", "--lease-duration", "4s"), flags...)...)
		c.Env = append(os.Environ(), "KUBECONFIG="+file)
		return c
	}
}
