package upgrade_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

func (h *hubs) create(version, name string, size int64) {
	h.t.Helper()
	spec := map[string]any{"size": size}
	shared.Must(h.t)(h.through(version).Create(h.t.Context(), h.widget(version, name, spec), metav1.CreateOptions{FieldManager: "tests"}))
}

// states checks each object: etcd has it in a version, and it has the size of its name.
func (h *hubs) states(when, version string, count int) {
	h.t.Helper()
	list, err := h.through(version).List(h.t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != count {
		h.t.Fatalf("%s: %d objects, want %d; %v", when, len(list.Items), count, err)
	}
	for i := range list.Items {
		name := list.Items[i].GetName()
		if got := h.stored(name); got != version {
			h.t.Errorf("%s: %s is stored in %s, want %s", when, name, got, version)
		}
		size, _, _ := unstructured.NestedInt64(list.Items[i].Object, "spec", "size")
		if want := name[strings.LastIndex(name, "-")+1:]; want != fmt.Sprint(size) {
			h.t.Errorf("%s: %s has the size %d", when, name, size)
		}
	}
}

// owned returns the versions that the owners of fields name.
func (h *hubs) owned(through string) []string {
	h.t.Helper()
	list, err := h.through(through).List(h.t.Context(), metav1.ListOptions{})
	if err != nil {
		h.t.Fatal(err)
	}
	var out []string
	for i := range list.Items {
		for _, e := range list.Items[i].GetManagedFields() {
			if _, version, _ := strings.Cut(e.APIVersion, "/"); !slices.Contains(out, version) {
				out = append(out, version)
			}
		}
	}
	return out
}

func (h *hubs) resourceVersions(through string) map[string]string {
	h.t.Helper()
	list, err := h.through(through).List(h.t.Context(), metav1.ListOptions{})
	if err != nil {
		h.t.Fatal(err)
	}
	out := map[string]string{}
	for i := range list.Items {
		out[list.Items[i].GetName()] = list.Items[i].GetResourceVersion()
	}
	return out
}

// TestUpgrade upgrades a cluster by runs that are killed at several points, and clients write
// meanwhile. A further run writes nothing. Then the upgrade is rolled back after new writes,
// applied again, and pruned. Etcd has all objects in the version that each command has proved.
func TestUpgrade(t *testing.T) {
	tier.Long(t, "upgrades objects while clients write")
	filled := tier.IfSoak(120, 300)
	h := openHubs(t, "apply.example.com", filled)
	if code, out := h.run(h.work(h.after, "apply", h.plan)...); code != 2 || !strings.Contains(out, "the plan has findings") {
		t.Fatalf("a plan with findings: exit code %d\n%s", code, out)
	}
	apply := h.work(h.after, "apply", h.plan, "--accept-findings")
	for i := range 4 {
		c := h.command(append(apply, "--rate", fmt.Sprint(filled/2))...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i+1) * 700 * time.Millisecond)
		_ = c.Process.Kill()
		_ = c.Wait()
		h.create("v1", fmt.Sprintf("meanwhile-%d", i), int64(i))
	}
	code, out := h.run(apply...)
	if code != 0 {
		t.Fatalf("apply: exit code %d\n%s", code, out)
	}
	h.states("after apply", "v2storage", filled+4)
	before := h.resourceVersions("v2")
	if code, out := h.run(apply...); code != 0 {
		t.Fatalf("apply again: exit code %d\n%s", code, out)
	}
	if code, out := h.run(h.work(h.after, "verify", h.upgrade())...); code != 0 {
		t.Fatalf("verify: exit code %d\n%s", code, out)
	}
	if after := h.resourceVersions("v2"); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Error("a further run has written objects")
	}
	h.proved("v2storage", filled+4)

	h.create("v1", "through-old-1", 1)
	h.create("v2", "through-new-2", 2)
	if code, out := h.run(h.work(h.after, "rollback", h.upgrade())...); code != 0 {
		t.Fatalf("rollback: exit code %d\n%s", code, out)
	}
	h.states("after rollback", "v1storage", filled+6)
	h.proved("v1storage", filled+6)

	if code, out := h.run(apply...); code != 0 {
		t.Fatalf("apply after rollback: exit code %d\n%s", code, out)
	}
	h.states("after apply again", "v2storage", filled+6)
	if code, out := h.run(h.work(h.after, "prune", h.upgrade())...); code != 2 || !strings.Contains(out, "--yes") {
		t.Fatalf("prune without --yes: exit code %d\n%s", code, out)
	}
	h.rolledBackWhilePruned(apply, filled+6)
	h.create("v1", "last-3", 3)
	h.killedWhilePruned()
	if code, out := h.run(h.work(h.after, "prune", h.upgrade(), "--yes")...); code != 0 {
		t.Fatalf("prune: exit code %d\n%s", code, out)
	}
	h.states("after prune", "v2storage", filled+7)
	for _, v := range h.owned("v2") {
		if strings.HasPrefix(v, "v1") {
			t.Errorf("after prune, owners name %s", v)
		}
	}
	d := shared.Must(t)(h.client.Resource(crds.Definitions).Get(t.Context(), h.kind.Name, metav1.GetOptions{}))
	if stored, _, _ := unstructured.NestedStringSlice(d.Object, "status", "storedVersions"); !slices.Equal(stored, []string{"v2storage"}) {
		t.Errorf("after prune, storedVersions is %v", stored)
	}
	if code, out := h.run(h.work(h.after, "rollback", h.upgrade())...); code != 2 || !strings.Contains(out, "point of no return") {
		t.Errorf("rollback after prune: exit code %d\n%s", code, out)
	}
}

// rolledBackWhilePruned kills prune after it has stopped serving the old versions. A rollback
// serves them again. Then the upgrade is applied once more.
func (h *hubs) rolledBackWhilePruned(apply []string, count int) {
	h.t.Helper()
	kill, _ := reached(h.t, h.command(h.work(h.after, "prune", h.upgrade(), "--yes")...), "Settle: begins")
	kill()
	shared.Eventually(h.t, crds.Patience, "v1 is not served", func() error {
		if _, err := h.through("v1").List(h.t.Context(), metav1.ListOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the error is %v", err) //nolint:errorlint // it may be nil
		}
		return nil
	})
	if code, out := h.run(h.work(h.after, "rollback", h.upgrade())...); code != 0 {
		h.t.Fatalf("rollback after Unserve: exit code %d\n%s", code, out)
	}
	h.states("after Unserve and a rollback", "v1storage", count)
	h.create("v1", "through-v1-4", 4)
	if err := h.through("v1").Delete(h.t.Context(), "through-v1-4", metav1.DeleteOptions{}); err != nil {
		h.t.Error(err)
	}
	if code, out := h.run(apply...); code != 0 {
		h.t.Fatalf("apply after Unserve and a rollback: exit code %d\n%s", code, out)
	}
}

// killedWhilePruned kills prune in each of its stages, or in the one that it then has reached.
func (h *hubs) killedWhilePruned() {
	h.t.Helper()
	all := []string{"Unserve", "Settle", "Rewrite", "Owners", "Verify", "Prune"}
	for i, stage := range all {
		c := h.command(h.work(h.after, "prune", h.upgrade(), "--yes")...)
		out, err := c.StderrPipe()
		if err != nil {
			h.t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			h.t.Fatal(err)
		}
		reached := ""
		for lines := bufio.NewScanner(out); reached == "" && lines.Scan(); {
			for _, name := range all[i:] {
				if lines.Text() == name+": begins" {
					reached = name
				}
			}
		}
		_ = c.Process.Kill()
		_ = c.Wait()
		if reached == "" {
			h.t.Fatalf("the run that was to be killed in %s ended before", stage)
		}
	}
}

// proved checks the evidence that the cluster has.
func (h *hubs) proved(version string, count int) {
	h.t.Helper()
	code, out := h.run("status", h.upgrade(), "-o", "json")
	var u struct {
		Status struct {
			Kinds []struct {
				Poison   int
				Evidence *struct {
					Version string
					Lists   []struct{ Objects, Past, Unchanged int }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &u); err != nil || code != 0 || len(u.Status.Kinds) != 1 {
		h.t.Fatalf("status: exit code %d, %v\n%s", code, err, out)
	}
	proof := u.Status.Kinds[0].Evidence
	if proof == nil || proof.Version != version || len(proof.Lists) != 2 {
		h.t.Fatalf("the proof is %+v", proof)
	}
	for _, list := range proof.Lists {
		if list.Objects != count || list.Past+list.Unchanged != count {
			h.t.Errorf("a list of the proof is %+v, want %d objects", list, count)
		}
	}
}

func (h *hubs) upgrade() string { return nameOf(h.t, h.plan) }

// nameOf returns the name of the upgrade of a plan.
func nameOf(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var plan struct{ Digest string }
	if err := json.Unmarshal(text, &plan); err != nil {
		t.Fatal(err)
	}
	return "upgrade-" + strings.TrimPrefix(plan.Digest, "sha256:")[:12]
}

// TestBlockedUpgrade has an object that cannot be written. All others are, and the run exits with
// 2. After the object is deleted, a further run finishes.
func TestBlockedUpgrade(t *testing.T) {
	const filled = 60
	h := openHubs(t, "blocked.example.com", filled)
	apply := h.work(h.after, "apply", h.plan, "--accept-findings")
	h.forbid("filled-7")
	code, out := h.run(apply...)
	if code != 2 || !strings.Contains(out, "1 of its objects cannot be written") || !strings.Contains(out, "filled-7") {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	list, err := h.through("v2storage").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		name := list.Items[i].GetName()
		if got, want := h.stored(name), map[bool]string{true: "v1storage", false: "v2storage"}[name == "filled-7"]; got != want {
			t.Errorf("%s is stored in %s, want %s", name, got, want)
		}
	}
	if code, out := h.run("status", h.upgrade()); code != 1 || !strings.Contains(out, "filled-7") {
		t.Errorf("status: exit code %d\n%s", code, out)
	}
	if err := h.through("v2storage").Delete(t.Context(), "filled-7", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if code, out := h.run(apply...); code != 0 {
		t.Fatalf("without the object: exit code %d\n%s", code, out)
	}
	h.proved("v2storage", filled-1)
}

// forbid makes the API server refuse all writes of an object but its deletion.
func (h *hubs) forbid(name string) {
	h.t.Helper()
	group := h.kind.Spec.Group
	for plural, spec := range map[string]map[string]any{
		"validatingadmissionpolicies": {
			"matchConstraints": map[string]any{"resourceRules": []any{map[string]any{
				"apiGroups": []any{group}, "apiVersions": []any{"*"}, "operations": []any{"UPDATE"}, "resources": []any{"widgets"},
			}}},
			"validations": []any{map[string]any{"expression": fmt.Sprintf("object.metadata.name != %q", name), "message": "no write"}},
		},
		"validatingadmissionpolicybindings": {"policyName": group, "validationActions": []any{"Deny"}},
	} {
		kind := map[string]string{"validatingadmissionpolicies": "ValidatingAdmissionPolicy", "validatingadmissionpolicybindings": "ValidatingAdmissionPolicyBinding"}[plural]
		resource := schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: plural}
		shared.Must(h.t)(h.client.Resource(resource).Create(h.t.Context(), &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": map[string]any{"name": group}, "spec": spec,
		}}, metav1.CreateOptions{}))
	}
	patch := []byte(`{"metadata":{"labels":{"a":"b"}}}`)
	shared.Eventually(h.t, crds.Patience, "a refused write", func() error {
		_, err := h.through("v1").Patch(h.t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil {
			return errors.New("the API server admits it")
		}
		return nil
	})
}

// TestPausedUpgrade pauses a run. It writes nothing until it is resumed, also if it is killed in
// the meantime and another one begins. The rate of the later run is stored.
func TestPausedUpgrade(t *testing.T) {
	tier.Long(t, "upgrades in several steps")
	const filled = 60
	h := openHubs(t, "paused.example.com", filled)
	apply := h.work(h.after, "apply", h.plan, "--accept-findings")
	kill, await := reached(t, h.command(append(apply, "--rate", "5")...), "Rewrite: begins")
	if code, out := h.run("pause", h.upgrade()); code != 0 {
		t.Fatalf("pause: exit code %d\n%s", code, out)
	}
	await("paused: ")
	time.Sleep(500 * time.Millisecond) // requests that were sent before
	before := h.resourceVersions("v2")
	time.Sleep(time.Second)
	if after := h.resourceVersions("v2"); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Error("a paused run has written objects")
	}
	kill()
	kill, await = reached(t, h.command(append(apply, "--rate", "900")...), "paused: ")
	defer kill()
	time.Sleep(time.Second)
	if after := h.resourceVersions("v2"); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Error("a run of a paused upgrade has written objects")
	}
	if code, out := h.run("resume", h.upgrade()); code != 0 {
		t.Fatalf("resume: exit code %d\n%s", code, out)
	}
	await("Verify: done")
	h.states("after resume", "v2storage", filled)
	u := shared.Must(t)(h.client.Resource(storageUpgrades).Get(t.Context(), h.upgrade(), metav1.GetOptions{}))
	if rate, _, _ := unstructured.NestedInt64(u.Object, "spec", "rate"); rate != 900 {
		t.Errorf("the rate is %d", rate)
	}
	shared.Eventually(t, crds.Patience, "a condition that is not Paused", func() error {
		u := shared.Must(t)(h.client.Resource(storageUpgrades).Get(t.Context(), h.upgrade(), metav1.GetOptions{}))
		all, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		for _, of := range all {
			if c, _ := of.(map[string]any); c["type"] == "Paused" && c["status"] == "False" {
				return nil
			}
		}
		return fmt.Errorf("the conditions are %v", all)
	})
}

var storageUpgrades = schema.GroupVersionResource{Group: "cluster.strata.dev", Version: "v1alpha1", Resource: "storageupgrades"}

// TestNoUpgrade asks for an upgrade in a cluster that has none, and whose kind may be missing.
func TestNoUpgrade(t *testing.T) {
	h := openHubs(t, "none.example.com", 1)
	removed := h.client.Resource(crds.Definitions).Delete(t.Context(), "storageupgrades.cluster.strata.dev", metav1.DeleteOptions{})
	if removed != nil && !apierrors.IsNotFound(removed) {
		t.Fatal(removed)
	}
	shared.Eventually(t, crds.Patience, "no StorageUpgrade", func() error {
		if _, err := h.client.Resource(storageUpgrades).List(t.Context(), metav1.ListOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the error is %v", err) //nolint:errorlint // it may be nil
		}
		return nil
	})
	for _, args := range [][]string{{"status"}, {"status", "some"}, {"pause"}, h.work(h.after, "rollback", h.upgrade())} {
		if code, out := h.run(args...); code != 2 || !strings.Contains(out, "the cluster has no upgrade") || !strings.Contains(out, "upgrade apply FILE") {
			t.Errorf("%v: exit code %d\n%s", args, code, out)
		}
	}
}

// TestRefusals has clusters that are not as the plan found them.
func TestRefusals(t *testing.T) {
	h := openHubs(t, "refused.example.com", 3)
	apply := h.work(h.after, "apply", h.plan, "--accept-findings")
	if code, out := h.run(h.work(h.before, "apply", h.plan, "--accept-findings")...); code != 2 || !strings.Contains(out, "another package") {
		t.Errorf("another package: exit code %d\n%s", code, out)
	}
	d := shared.Must(t)(h.client.Resource(crds.Definitions).Get(t.Context(), h.kind.Name, metav1.GetOptions{}))
	if err := unstructured.SetNestedStringSlice(d.Object, []string{"wd"}, "spec", "names", "shortNames"); err != nil {
		t.Fatal(err)
	}
	shared.Must(t)(h.client.Resource(crds.Definitions).Update(t.Context(), d, metav1.UpdateOptions{}))
	if code, out := h.run(apply...); code != 2 || !strings.Contains(out, "it has changed since the plan was made") {
		t.Errorf("a changed CRD: exit code %d\n%s", code, out)
	}
	h.states("after refusals", "v1storage", 3)
}
