package upgrade_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

var storageMigrations = schema.GroupVersionResource{Group: "storagemigration.k8s.io", Version: "v1", Resource: "storageversionmigrations"}

// TestInTree lets the migrator of Kubernetes write the objects of an upgrade. One object that it
// cannot write ends it, and it shortens status.storedVersions all the same: the command writes that
// back, and names the object. Without it, the command finishes, proves the result, and prunes.
// While soaking, the migrator is kube-controller-manager; otherwise its calls are replayed.
func TestInTree(t *testing.T) {
	tier.Long(t, "upgrades with the migrator of Kubernetes, as the printed role does")
	const filled = 60
	h := openHubs(t, "intree.example.com", filled)
	apply := h.work(h.after, "apply", h.plan, "--accept-findings", "--with", "in-tree")
	migrator := replayed
	if tier.IsSoak() {
		migrator = real
	}
	migrator(h)
	h.forbid("filled-7")
	code, out := h.run(apply...)
	if code != 2 || !strings.Contains(out, "the migrator of Kubernetes has failed") || !strings.Contains(out, "filled-7") {
		t.Fatalf("an object that cannot be written: exit code %d\n%s", code, out)
	}
	if stored := h.storedVersions(); !slices.Contains(stored, "v1storage") || h.stored("filled-7") != "v1storage" {
		t.Errorf("after the migrator has failed, storedVersions is %v", stored)
	}
	if err := h.through("v2storage").Delete(t.Context(), "filled-7", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if code, out := h.run(apply...); code != 0 {
		t.Fatalf("apply --with in-tree: exit code %d\n%s", code, out)
	}
	h.states("after apply", "v2storage", filled-1)
	h.proved("v2storage", filled-1)
	if stored := h.storedVersions(); !slices.Contains(stored, "v1storage") {
		t.Errorf("after apply, storedVersions is %v, and nothing is pruned yet", stored)
	}
	if code, out := h.run(h.work(h.after, "rollback", h.upgrade(), "--with", "in-tree")...); code != 0 {
		t.Fatalf("rollback --with in-tree: exit code %d\n%s", code, out)
	}
	h.states("after rollback", "v1storage", filled-1)
	for _, args := range [][]string{apply, h.work(h.after, "prune", h.upgrade(), "--yes")} {
		if code, out := h.run(args...); code != 0 {
			t.Fatalf("%s: exit code %d\n%s", args[0], code, out)
		}
	}
	h.states("after prune", "v2storage", filled-1)
	if stored := h.storedVersions(); !slices.Equal(stored, []string{"v2storage"}) {
		t.Errorf("after prune, storedVersions is %v", stored)
	}
	for _, v := range h.owned("v2") {
		if strings.HasPrefix(v, "v1") {
			t.Errorf("after prune, owners name %s", v)
		}
	}
}

func (h *hubs) storedVersions() []string {
	h.t.Helper()
	d := shared.Must(h.t)(h.client.Resource(crds.Definitions).Get(h.t.Context(), h.kind.Name, metav1.GetOptions{}))
	stored, _, _ := unstructured.NestedStringSlice(d.Object, "status", "storedVersions")
	return stored
}

// real starts kube-controller-manager with its migrator.
func real(h *hubs) {
	h.t.Helper()
	p, err := h.StartControllers(h.t.Context(), func(line string) { fmt.Fprintln(os.Stderr, line) }, "garbage-collector-controller", "storage-version-migrator-controller")
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		if h.t.Failed() {
			h.t.Log(p.Output())
		}
		if err := p.Stop(); err != nil {
			h.t.Error(err)
		}
	})
}

// replayed makes the calls of the migrator of Kubernetes 1.37 until the test ends.
func replayed(h *hubs) {
	h.t.Helper()
	ctx, end := context.WithCancel(h.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			list, err := h.client.Resource(storageMigrations).List(ctx, metav1.ListOptions{})
			if err == nil {
				for i := range list.Items {
					if err := h.replay(ctx, &list.Items[i]); err != nil && ctx.Err() == nil {
						h.t.Error(err)
					}
				}
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	h.t.Cleanup(func() {
		end()
		<-done
	})
}

// replay works on a StorageVersionMigration of the kind.
func (h *hubs) replay(ctx context.Context, svm *unstructured.Unstructured) error {
	if group, _, _ := unstructured.NestedString(svm.Object, "spec", "resource", "group"); group != h.kind.Spec.Group {
		return nil
	}
	var of struct {
		Status struct{ Conditions []metav1.Condition }
	}
	if err := recode(svm.Object, &of); err != nil {
		return err
	}
	if len(of.Status.Conditions) > 0 {
		return nil
	}
	save := func(condition string, status metav1.ConditionStatus, message string) (err error) {
		meta.SetStatusCondition(&of.Status.Conditions, metav1.Condition{Type: condition, Status: status, Reason: "Replayed", Message: message})
		text, err := json.Marshal(of.Status.Conditions)
		if err != nil {
			return err
		}
		var all []any
		if err := json.Unmarshal(text, &all); err != nil {
			return err
		}
		if err := unstructured.SetNestedSlice(svm.Object, all, "status", "conditions"); err != nil {
			return err
		}
		if condition == "Running" && status == metav1.ConditionTrue {
			_ = unstructured.SetNestedField(svm.Object, svm.GetResourceVersion(), "status", "resourceVersion")
		}
		svm, err = h.client.Resource(storageMigrations).UpdateStatus(ctx, svm, metav1.UpdateOptions{})
		return err
	}
	if err := save("Running", metav1.ConditionTrue, "the migration is running"); err != nil {
		return err
	}
	end, why := "Succeeded", "Migration completed"
	all, err := h.through("v2").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range all.Items {
		o := &all.Items[i]
		data := fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"metadata":{"uid":%q,"resourceVersion":%q}}`, o.GetAPIVersion(), o.GetKind(), o.GetUID(), o.GetResourceVersion())
		if _, err := h.through("v2").Patch(ctx, o.GetName(), types.MergePatchType, data, metav1.PatchOptions{FieldManager: "storage-version-migrator-controller"}); err != nil {
			end, why = "Failed", err.Error()
			break
		}
	}
	if err := save(end, metav1.ConditionTrue, why); err != nil {
		return err
	}
	d, err := h.client.Resource(crds.Definitions).Get(ctx, h.kind.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	storage := ""
	versions, _, _ := unstructured.NestedSlice(d.Object, "spec", "versions")
	for _, v := range versions {
		if of, _ := v.(map[string]any); of["storage"] == true {
			storage, _ = of["name"].(string)
		}
	}
	applied := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": d.GetAPIVersion(), "kind": d.GetKind(), "metadata": map[string]any{"name": d.GetName(), "resourceVersion": d.GetResourceVersion()},
		"status": map[string]any{"storedVersions": []any{storage}},
	}}
	_, applyErr := h.client.Resource(crds.Definitions).ApplyStatus(ctx, d.GetName(), applied, metav1.ApplyOptions{FieldManager: "storage-version-migrator-runner", Force: true})
	return errors.Join(applyErr, save("Running", metav1.ConditionFalse, "Migration completed"))
}
