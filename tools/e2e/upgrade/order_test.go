package upgrade_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestClustersInOrder upgrades two clusters in the order of a file. The second one begins after the
// user has confirmed the pause. An object that cannot be written ends the command, and a run after
// it goes on. A further run writes nothing. A cluster that was rolled back stops the order.
func TestClustersInOrder(t *testing.T) {
	tier.Long(t, "upgrades several clusters")
	const filled, group = 30, "order.example.com"
	west := fillHubs(t, shared.Of(t), group, filled)
	second, err := apiserver.Start(t.Context(), apiserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := second.Stop(); err != nil {
			t.Error(err)
		}
	})
	east := fillHubs(t, second, group, filled)
	dir := t.TempDir()
	kubeconfig, plans := filepath.Join(dir, "kubeconfig"), filepath.Join(dir, "plans")
	all := kubeconfigOf(west.Config)
	all.Contexts, all.Clusters, all.AuthInfos = map[string]*api.Context{}, map[string]*api.Cluster{}, map[string]*api.AuthInfo{}
	for name, h := range map[string]*hubs{"team/west": west, "east": east} {
		one := kubeconfigOf(h.Config)
		all.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name}
		all.Clusters[name], all.AuthInfos[name] = one.Clusters["a"], one.AuthInfos["a"]
	}
	all.CurrentContext = "team/west"
	if err := clientcmd.WriteToFile(all, kubeconfig); err != nil {
		t.Fatal(err)
	}
	west.user = kubeconfig
	order := func(first string) string {
		file := filepath.Join(dir, "order.yaml")
		text := fmt.Sprintf("apiVersion: cluster.strata.dev/v1alpha1\nkind: FleetUpgrade\nplans: plans\nwaves:\n- {name: canary, contexts: [team/west], pause: %s}\n- {name: rest, contexts: [east]}\n", first)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	fleet := func(file string, want int, texts []string, flags ...string) {
		t.Helper()
		args := []string{"fleet", file, "--package", west.after, "--accept-findings", "--settle", "1s", "--trust-webhook", "--grace", "1s", "--lease-duration", "4s", "--rate", "1000"}
		code, out := west.run(append(args, flags...)...)
		if code != want {
			t.Fatalf("%v: exit code %d, want %d\n%s", flags, code, want, out)
		}
		for _, text := range texts {
			if !strings.Contains(out, text) {
				t.Errorf("%v: no %q in\n%s", flags, text, out)
			}
		}
	}
	file := order("confirm")
	fleet(file, 2, []string{"wave canary: read plan"})
	if code, out := west.run("plan", west.after, "--converter", os.Args[0], "--contexts", "all", "--save", plans); code != 1 {
		t.Fatalf("plan: exit code %d\n%s", code, out)
	}
	fleet(file, 2, []string{`--confirm names "rest"`}, "--confirm", "rest")
	west.states("before the order", "v1storage", filled)
	fleet(file, 1, []string{"wave canary is upgraded: check it, then continue with --confirm canary", "team/west: Rewrite: done", "rest    east       waits"})
	west.states("after the first wave", "v2storage", filled)
	east.states("after the first wave", "v1storage", filled)
	fleet(order("1h"), 1, []string{"wave canary is upgraded: the next one can begin at "})
	east.states("while the order pauses", "v1storage", filled)

	east.forbid("filled-7")
	file = order("confirm")
	fleet(file, 2, []string{"wave rest, cluster east: Rewrite: ", "filled-7", "rest    east       fails"}, "--confirm", "canary")
	if err := east.through("v2storage").Delete(t.Context(), "filled-7", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	fleet(file, 0, []string{"rest    east       Upgraded"}, "--confirm", "canary")
	east.states("after the second wave", "v2storage", filled-1)
	before := []map[string]string{west.resourceVersions("v2"), east.resourceVersions("v2")}
	fleet(order("1ns"), 0, nil)
	if diff := cmp.Diff(before, []map[string]string{west.resourceVersions("v2"), east.resourceVersions("v2")}); diff != "" {
		t.Errorf("a further run has written objects:\n%s", diff)
	}

	plan := filepath.Join(plans, "team%2Fwest.json")
	rollback := append(west.work(west.after, "rollback", nameOf(t, plan)), "--context", "team/west")
	if code, out := west.run(rollback...); code != 0 {
		t.Fatalf("rollback: exit code %d\n%s", code, out)
	}
	fleet(order("confirm"), 2, []string{"wave canary, cluster team/west: it was rolled back", "rest    east       waits"}, "--confirm", "canary")
}
