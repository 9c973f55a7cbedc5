package upgrade_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestPrintedRole upgrades, rolls back, upgrades again with the migrator of Kubernetes, and prunes,
// as a user who has the roles that a plan prints, and no other rights. A dependent names a version
// that goes.
func TestPrintedRole(t *testing.T) {
	tier.Long(t, "upgrades with the printed role")
	h := openHubs(t, "roles.example.com", 12)
	h.site.owned("v1", shared.Must(t)(h.through("v1").Get(t.Context(), "filled-0", metav1.GetOptions{})))
	if code, out := h.run("plan", h.after, "--converter", os.Args[0], "--save", h.plan); code != 1 {
		t.Fatalf("the plan: exit code %d\n%s", code, out)
	}
	roles, err := exec.CommandContext(t.Context(), h.program, "upgrade", "role", h.plan, "--with", "in-tree", "--evidence").Output()
	if err != nil {
		t.Fatal(err)
	}
	k := shared.Of(t).Kubectl()
	kubectl := func(input string, args ...string) {
		t.Helper()
		if _, messages, err := k.Run(t.Context(), input, args...); err != nil {
			t.Fatalf("kubectl %s: %v\n%s", args[0], err, messages)
		}
	}
	kubectl(string(roles), "apply", "-f", "-")
	t.Cleanup(func() {
		_, _, _ = k.Run(t.Context(), "", "delete", "clusterrole", "strata-upgrade", "strata-migrator", "--ignore-not-found")
	})
	const name = "user-of-printed-roles"
	for _, role := range []string{"strata-upgrade", "strata-migrator"} {
		kubectl("", "create", "clusterrolebinding", fmt.Sprint(name, "-", role), "--clusterrole="+role, "--user="+name)
	}
	config, err := h.User(name)
	if err != nil {
		t.Fatal(err)
	}
	as, err := h.KubectlAs(config)
	if err != nil {
		t.Fatal(err)
	}
	h.user = as.Kubeconfig
	replayed(h)
	for _, step := range []struct {
		version string
		args    []string
	}{
		{"v2storage", h.work(h.after, "apply", h.plan, "--accept-findings")},
		{"v1storage", h.work(h.after, "rollback", h.upgrade())},
		{"v2storage", h.work(h.after, "apply", h.plan, "--accept-findings", "--with", "in-tree")},
		{"v2storage", h.work(h.after, "prune", "--yes", h.upgrade(), "--save-evidence", filepath.Join(t.TempDir(), "evidence.json"))},
	} {
		if code, out := h.run(step.args...); code != 0 {
			t.Fatalf("%s: exit code %d\n%s", step.args[0], code, out)
		}
		h.states(step.args[0], step.version, 12)
	}
}
