package upgrade_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/loopback"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// migrator writes an object without a change, as a program of another project does.
type migrator struct {
	name    string
	through string // storage or preferred version
	do      func(p crds.Objects, version, name string) error
	// relabels means that it replaces the versions of owners. Bags tell in which version managers
	// have applied an object, so they change with them.
	relabels bool
}

const (
	storage   = "storage"
	preferred = "preferred"
)

// migrators replay the calls of each program for one object.
var migrators = []migrator{
	{name: "kubernetes", through: preferred, do: func(p crds.Objects, version, name string) error {
		o := p.Get(version, name)
		return send(p, version, name, types.MergePatchType, map[string]any{
			"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(), "metadata": map[string]any{"resourceVersion": o.GetResourceVersion()},
		})
	}},
	{name: "cluster-api", through: storage, do: func(p crds.Objects, version, name string) error {
		return send(p, version, name, types.MergePatchType, map[string]any{"metadata": map[string]any{"resourceVersion": p.Get(version, name).GetResourceVersion()}})
	}},
	{name: "cluster-api-status", through: storage, do: func(p crds.Objects, version, name string) error {
		return send(p, version, name, types.MergePatchType, map[string]any{"metadata": map[string]any{"resourceVersion": p.Get(version, name).GetResourceVersion()}}, "status")
	}},
	{name: "flux", through: storage, relabels: true, do: func(p crds.Objects, version, name string) error {
		if len(p.Get(version, name).GetManagedFields()) == 0 {
			return send(p, version, name, types.MergePatchType, map[string]any{})
		}
		return relabel(p, version, latest(p.Kind), name)
	}},
	{name: "cert-manager", through: storage, do: func(p crds.Objects, version, name string) error {
		_, err := p.Through(version).Update(p.T.Context(), p.Get(version, name), metav1.UpdateOptions{})
		return err
	}},
	{name: "crossplane", through: storage, do: func(p crds.Objects, version, name string) error {
		return send(p, version, name, types.MergePatchType, map[string]any{})
	}},
	{name: "dco", through: storage, do: func(p crds.Objects, version, name string) error {
		empty := &unstructured.Unstructured{Object: map[string]any{"apiVersion": p.Kind.Spec.Group + "/" + version, "kind": p.Kind.Spec.Names.Kind, "metadata": map[string]any{"name": name}}}
		_, err := p.Through(version).Apply(p.T.Context(), name, empty, metav1.ApplyOptions{FieldManager: "convctl", Force: true})
		return err
	}},
}

// relabel replaces the version of each manager of an object, through a version. The managers keep
// their fields.
func relabel(p crds.Objects, version, to, name string) error {
	var relabelled []any
	for i := range p.Get(version, name).GetManagedFields() {
		relabelled = append(relabelled, map[string]any{"op": "replace", "path": fmt.Sprintf("/metadata/managedFields/%d/apiVersion", i), "value": p.Kind.Spec.Group + "/" + to})
	}
	return send(p, version, name, types.JSONPatchType, relabelled)
}

func send(p crds.Objects, version, name string, as types.PatchType, patch any, subresources ...string) error {
	data, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	_, err = p.Through(version).Patch(p.T.Context(), name, as, data, metav1.PatchOptions{FieldManager: "migrator"}, subresources...)
	return err
}

// TestOthersMigrators lets the programs of other projects migrate objects whose hub has moved,
// beside the policies of the package. A program that writes through the storage version is
// refused, and told what to do. The same calls by an account that may write the hub, and those
// through the preferred version, store the object anew and change nothing that users see.
func TestOthersMigrators(t *testing.T) {
	tier.Long(t, "runs the migrators of other projects")
	u := openPair(t, tier.IfLong(firstTwo, lastTwo)(t))
	u.serve(u.old, u.old.kinds)
	u.namespace = crds.Namespace(t, u.client, "migrators-")
	u.await(u.old.kinds)
	for _, k := range u.old.kinds {
		for _, m := range migrators {
			u.create(k, latest(k), m.name+"-latest")
			u.create(k, k.Versions[0], m.name+"-first")
			was := u.in(k).Get(k.Versions[0], m.name+"-latest")
			spec := map[string]any{"apiVersion": was.GetAPIVersion(), "kind": was.GetKind(), "metadata": map[string]any{"name": was.GetName()}, "spec": was.Object["spec"]}
			shared.Must(t)(u.in(k).Through(k.Versions[0]).Apply(t.Context(), was.GetName(), &unstructured.Unstructured{Object: spec}, crds.Applying("gitops")))
		}
	}
	u.serve(u.next, u.next.kinds)
	u.await(u.next.kinds)
	u.protect(u.next.kinds[0], migrators[0].name+"-latest")
	account := rest.CopyConfig(u.Config)
	account.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:strata-system:strata-migrator", Groups: []string{"system:masters"}}
	allowed := shared.Client(t, account)
	first := u.preferred()
	for _, k := range u.next.kinds[:len(u.old.kinds)] { // the next release may have a kind more
		if first == k.Hub {
			t.Fatalf("discovery prefers the hub's version %s", first)
		}
		for _, m := range migrators {
			version := map[string]string{storage: k.Hub, preferred: first}[m.through]
			for _, name := range []string{m.name + "-latest", m.name + "-first"} {
				t.Run(k.Spec.Names.Kind+"/"+name, func(t *testing.T) {
					p := u.in(k)
					p.T = t
					before, hub := u.inEachVersion(k, name), p.Get(k.Hub, name)
					if m.through == storage {
						u.isRefused(p, m, version, name)
						p.Client = allowed
					}
					if err := m.do(p, version, name); err != nil {
						t.Fatalf("%s through %s: %v", m.name, version, err)
					}
					if got := u.storedVersion(k, name); got != k.Hub {
						t.Errorf("%s is stored in %s", name, got)
					}
					if m.relabels {
						for version, was := range before {
							if diff := cmp.Diff(values(was), values(p.Get(version, name))); diff != "" {
								t.Errorf("%s in %s (-before +after):\n%s", name, version, diff)
							}
						}
					} else {
						u.same("after "+m.name, k, name, before)
					}
					if now := p.Get(k.Hub, name); hub.GetGeneration() != now.GetGeneration() {
						t.Errorf("the generation was %d and is %d", hub.GetGeneration(), now.GetGeneration())
					} else if diff := cmp.Diff(hub.Object["spec"], now.Object["spec"]); diff != "" {
						t.Errorf("the spec of the hub, with the original version (-before +after):\n%s", diff)
					}
				})
			}
		}
	}
}

// isRefused requires that the policy refuses a migrator, with a text that names the command to run,
// and that nothing was written.
func (u *pair) isRefused(p crds.Objects, m migrator, version, name string) {
	p.T.Helper()
	was := p.Get(version, name).GetResourceVersion()
	err := m.do(p, version, name)
	want := "To store objects anew, run strata cluster migrate " + p.Kind.Name + " --as system:serviceaccount:strata-system:strata-migrator"
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
		p.T.Errorf("%s through %s: %v", m.name, version, err)
	}
	if p.Get(version, name).GetResourceVersion() != was {
		p.T.Errorf("%s has written %s", m.name, name)
	}
}

// protect applies the policies of the new release, and waits until they refuse a write of an object
// through the hub's version.
func (u *pair) protect(k *crds.Kind, name string) {
	u.t.Helper()
	file := filepath.Join(u.next.API, "config", "policies.yaml")
	if _, _, err := u.Kubectl().Run(u.t.Context(), "", "apply", "--server-side", "-f", file); err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() {
		if _, _, err := u.Kubectl().Run(shared.Afterwards(u.t), "", "delete", "-f", file); err != nil {
			u.t.Error(err)
		}
	})
	shared.Eventually(u.t, crds.Patience, "the policy of the hub's version", func() error {
		_, err := u.in(k).Through(k.Hub).Patch(u.t.Context(), name, types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		if !apierrors.IsForbidden(err) {
			return errors.New("it refuses nothing")
		}
		return nil
	})
}

// preferred returns the version that discovery prefers, which Kubernetes' migrator uses.
func (u *pair) preferred() string {
	u.t.Helper()
	client, err := rest.HTTPClientFor(u.Config)
	if err != nil {
		u.t.Fatal(err)
	}
	text, err := loopback.Get(u.t.Context(), client, u.Host()+"/apis/"+u.next.kinds[0].Spec.Group)
	if err != nil {
		u.t.Fatal(err)
	}
	var group metav1.APIGroup
	if err := json.Unmarshal([]byte(text), &group); err != nil {
		u.t.Fatal(err)
	}
	return group.PreferredVersion.Version
}
