package upgrade_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// deployer applies manifests and compares them with the cluster, as a GitOps tool does.
type deployer struct {
	name    string
	apply   func(u *upgraded, manifest *unstructured.Unstructured)
	differs func(u *upgraded, manifest *unstructured.Unstructured) string
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// served applies as a field manager, and takes fields from others.
func served(manager string) deployer {
	apply := func(u *upgraded, manifest *unstructured.Unstructured, dry ...string) *unstructured.Unstructured {
		options := crds.Applying(manager)
		options.DryRun = dry
		return shared.Must(u.t)(u.in(u.old.kinds[0]).Through(version(manifest)).Apply(u.t.Context(), manifest.GetName(), manifest, options))
	}
	return deployer{
		name:  manager,
		apply: func(u *upgraded, manifest *unstructured.Unstructured) { apply(u, manifest) },
		// Both tools compare the result of a dry run with the live object, without managedFields. Then
		// the manifest is applied, as Flux does at each interval; that must write nothing.
		differs: func(u *upgraded, manifest *unstructured.Unstructured) string {
			live := u.in(u.old.kinds[0]).Get(version(manifest), manifest.GetName())
			dry := apply(u, manifest, metav1.DryRunAll)
			applied := apply(u, manifest)
			if u.moves { // an object of the old hub is stored anew
				applied.SetResourceVersion(live.GetResourceVersion())
			}
			return cmp.Diff(unowned(live), unowned(dry)) + cmp.Diff(unowned(live), unowned(applied))
		},
	}
}

func unowned(o *unstructured.Unstructured) map[string]any {
	o = o.DeepCopy()
	o.SetManagedFields(nil)
	return o.Object
}

// deployers are Flux, Argo CD with server-side apply, and Argo CD or kubectl with client-side
// apply, which compare the manifest, the annotation of the last apply and the live object.
var deployers = []deployer{
	served("kustomize-controller"), served("argocd-controller"),
	{"client-side",
		func(u *upgraded, manifest *unstructured.Unstructured) {
			u.kubectl(printed(u.t, manifest), "apply", "-f", "-")
		},
		func(u *upgraded, manifest *unstructured.Unstructured) string {
			live := u.in(u.old.kinds[0]).Get(version(manifest), manifest.GetName())
			was := live.GetAnnotations()[lastApplied]
			declared := manifest.DeepCopy()
			declared.SetAnnotations(map[string]string{lastApplied: was})
			patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch([]byte(was), []byte(printed(u.t, declared)), []byte(printed(u.t, live)))
			if err != nil {
				u.t.Fatal(err)
			}
			return strings.TrimPrefix(string(patch), "{}")
		},
	},
}

func printed(t testing.TB, o *unstructured.Unstructured) string {
	t.Helper()
	text, err := json.Marshal(o.Object)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestGitOps declares objects in each version of a release, in the ways of Flux and Argo CD.
// Nothing differs before, while and after the cluster is upgraded, after a rollback, and after the
// upgrade is done again and pruned: no dry run finds a change, and applying again writes nothing.
// A field that a manifest then leaves out is removed, also after the manifest has moved to the new
// version. It follows the steps of the page for CRDs,
// too: what the repository has at each step is what the cluster has.
func TestGitOps(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds two releases of the worked example")
	}
	tier.Long(t, "upgrades beside GitOps tools")
	u := openUpgraded(t, firstTwo(t))
	old, next := u.old.kinds[0], u.next.kinds[0]
	var manifests []*unstructured.Unstructured
	for _, d := range deployers {
		for _, version := range old.Versions {
			o := manifest(old, version, d.name+"-"+version)
			o.SetNamespace(u.namespace)
			o.SetLabels(map[string]string{"app.kubernetes.io/managed-by": "gitops"})
			d.apply(u, o)
			manifests = append(manifests, o)
		}
	}
	check := func(when string) {
		t.Helper()
		for i, o := range manifests {
			d := deployers[i/len(old.Versions)]
			if diff := d.differs(u, o); diff != "" {
				t.Errorf("%s, %s finds a difference in %s:\n%s", when, d.name, o.GetName(), diff)
			}
		}
	}
	committed := func(when string, k *crds.Kind) {
		t.Helper()
		if diff := u.crdDiffers(k); diff != "" {
			t.Errorf("%s, the CRD of the repository differs (-cluster +repository):\n%s", when, diff)
		}
	}
	u.protect(old, manifests[0].GetName())
	check("with the new webhook and policies")
	committed("before the upgrade", old)
	u.planned()
	apply := u.args("apply", u.plan)
	kill, _ := reached(t, u.command(append(apply, "--rate", "4")...), "Rewrite: begins")
	time.Sleep(time.Second)
	u.moves = true
	check("while objects are written") // the process writes on
	kill()
	check("after some objects were written")
	u.moves = false
	u.does(append(apply, "--rate", "1000")...)
	u.stored("after apply", next.Hub)
	check("after the upgrade")
	u.does(u.args("rollback", nameOf(t, u.plan))...)
	check("after a rollback")
	u.does(apply...)
	u.does(u.args("prune", nameOf(t, u.plan), "--yes")...)
	check("after prune")
	committed("after prune", next)

	path := edited["Person"]
	for i, o := range manifests {
		d := deployers[i/len(old.Versions)]
		unstructured.RemoveNestedField(o.Object, path...)
		d.apply(u, o)
		now := u.in(old).Get(version(o), o.GetName())
		if text, has, _ := unstructured.NestedString(now.Object, path...); has {
			t.Errorf("%s leaves out %s of %s, and it still is %q", d.name, strings.Join(path, "."), o.GetName(), text)
		}
	}
	check("after a field was left out")

	for i, o := range manifests {
		moved := manifest(next, latest(next), o.GetName())
		moved.SetNamespace(o.GetNamespace())
		moved.SetLabels(o.GetLabels())
		manifests[i] = moved
		deployers[i/len(old.Versions)].apply(u, moved)
	}
	check("after the manifests moved to " + latest(next))
	for i, o := range manifests {
		d := deployers[i/len(old.Versions)]
		unstructured.RemoveNestedField(o.Object, path...)
		d.apply(u, o)
		now := u.in(next).Get(latest(next), o.GetName())
		if text, has, _ := unstructured.NestedString(now.Object, path...); has {
			t.Errorf("%s leaves out %s of %s in %s, and it still is %q", d.name, strings.Join(path, "."), o.GetName(), latest(next), text)
		}
	}
	check("after a field was left out in " + latest(next))
	u.renames(t)
}

// renames moves a manifest to a version in which a property has another name, and then leaves that
// property out. It is removed, unless the versions of managers were replaced before, as Flux does
// with its feature gate MigrateAPIVersion.
func (u *upgraded) renames(t *testing.T) {
	t.Helper()
	flux, next := deployers[0], u.next.kinds[0]
	for relabels, want := range map[bool]string{false: "", true: "a"} {
		name := fmt.Sprintf("renamed-%t", relabels)
		o := manifest(next, "v20140404", name)
		o.SetNamespace(u.namespace)
		_ = unstructured.SetNestedField(o.Object, "a", "spec", "properties", "alphaKey")
		flux.apply(u, o)
		if relabels {
			if err := relabel(u.in(next), version(o), latest(next), name); err != nil {
				t.Fatal(err)
			}
		}
		o = manifest(next, latest(next), name)
		o.SetNamespace(u.namespace)
		unstructured.RemoveNestedField(o.Object, "spec", "properties", "sortKey")
		flux.apply(u, o)
		got, _, _ := unstructured.NestedString(u.in(next).Get(latest(next), name).Object, "spec", "properties", "sortKey")
		if got != want {
			t.Errorf("the versions of managers are replaced: %t. sortKey is %q, want %q", relabels, got, want)
		}
	}
}

// crdDiffers compares the CRD of a repository with that of the cluster, as Flux does: by a dry run.
// The webhook's address is that of the test.
func (u *upgraded) crdDiffers(k *crds.Kind) string {
	u.t.Helper()
	live := shared.Must(u.t)(u.client.Resource(crds.Definitions).Get(u.t.Context(), k.Name, metav1.GetOptions{}))
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(k.CustomResourceDefinition)
	if err != nil {
		u.t.Fatal(err)
	}
	conversion, _, _ := unstructured.NestedMap(live.Object, "spec", "conversion")
	if err := unstructured.SetNestedMap(object, conversion, "spec", "conversion"); err != nil {
		u.t.Fatal(err)
	}
	unstructured.RemoveNestedField(object, "status")
	unstructured.RemoveNestedField(object, "metadata", "creationTimestamp")
	options := crds.Applying("kustomize-controller")
	options.DryRun = []string{metav1.DryRunAll}
	dry := shared.Must(u.t)(u.client.Resource(crds.Definitions).Apply(u.t.Context(), k.Name, &unstructured.Unstructured{Object: object}, options))
	if live.GetGeneration() != dry.GetGeneration() {
		return fmt.Sprintf("the generation is %d, and would be %d\n%s", live.GetGeneration(), dry.GetGeneration(), cmp.Diff(live.Object["spec"], dry.Object["spec"]))
	}
	return cmp.Diff(live.Object["spec"], dry.Object["spec"])
}
