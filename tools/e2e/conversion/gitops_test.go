package conversion_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// lastApplied is the annotation in which kubectl and similar clients store the applied manifest.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// declared is an object that a repository declares in one version. There are two of each: one
// applied server-side under a field manager, as Flux does, and one compared in three ways, as Argo
// CD and kubectl do.
type declared struct {
	view
	version      string
	served, kept *unstructured.Unstructured
}

const manager = "kustomize-controller"

// TestDeclaredObjectsDoNotDiffer declares objects of every kind, as [view.declare] does. To what
// reconciles a repository with the cluster nothing differs then: not after the first apply, and not
// when others have written a label or the status through another version. Applying again writes
// nothing.
func TestDeclaredObjectsDoNotDiffer(t *testing.T) {
	tier.Long(t, "runs kubectl many times")
	eachKind(t, func(t *testing.T, p view) {
		all := p.declare()
		for _, stage := range []struct {
			reason string
			after  func(d declared)
		}{
			{"it was applied", func(declared) {}},
			{"others wrote a label through another version", declared.label},
			{"a controller wrote the status through another version", declared.report},
			{"others edited nothing, and wrote it back through another version", declared.writeBack},
		} {
			for _, d := range all {
				stage.after(d)
			}
			for _, d := range all {
				d.differsNot(stage.reason)
			}
			checkDiffs(t, stage.reason, all)
		}
	})
}

// declare applies two objects in every version.
func (p view) declare() []declared {
	p.t.Helper()
	var all []declared
	var texts bytes.Buffer
	for _, version := range p.kind.Versions {
		d := declared{p, version, p.kind.of(version, "flux-"+version), p.kind.of(version, "argo-"+version)}
		for _, o := range []*unstructured.Unstructured{d.served, d.kept} {
			o.SetNamespace(p.Namespace)
			o.SetLabels(map[string]string{"app.kubernetes.io/managed-by": "gitops"})
		}
		shared.Must(p.t)(p.Through(version).Apply(p.t.Context(), d.served.GetName(), d.served, crds.Applying(manager)))
		texts.WriteString(text(p.t, d.kept) + "\n---\n")
		all = append(all, d)
	}
	if _, _, err := open(p.t).Kubectl().Run(p.t.Context(), texts.String(), "apply", "-f", "-"); err != nil {
		p.t.Fatal(err)
	}
	return all
}

func text(t testing.TB, o *unstructured.Unstructured) string {
	t.Helper()
	out, err := json.Marshal(o.Object)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// other returns the version through which other clients write: the first version, or the latest
// for an object that is declared in the first.
func (d declared) other() string {
	if other := d.kind.Versions[0]; other != d.version {
		return other
	}
	return d.kind.latest()
}

func (d declared) objects() []*unstructured.Unstructured {
	return []*unstructured.Unstructured{d.served, d.kept}
}

func (d declared) label() {
	d.t.Helper()
	for _, o := range d.objects() {
		patch := []byte(`{"metadata":{"labels":{"tier":"gold"}}}`)
		shared.Must(d.t)(d.Through(d.other()).Patch(d.t.Context(), o.GetName(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "another"}))
	}
}

func (d declared) report() {
	d.t.Helper()
	const status = `{"status":{"conditions":[{"type":"Ready","status":"True","reason":"Made","message":"It is there.","lastTransitionTime":"2026-01-02T03:04:05Z"}]}}`
	for _, o := range d.objects() {
		shared.Must(d.t)(d.Through(d.kind.latest()).Patch(d.t.Context(), o.GetName(), types.MergePatchType, []byte(status), metav1.PatchOptions{FieldManager: "controller"}, "status"))
	}
}

func (d declared) writeBack() {
	d.t.Helper()
	for _, o := range d.objects() {
		d.Update(d.other(), d.Get(d.other(), o.GetName()))
	}
}

// differsNot asks as Flux and as Argo CD do.
func (d declared) differsNot(after string) {
	d.t.Helper()
	live := d.Get(d.version, d.served.GetName())
	for _, dry := range [][]string{{metav1.DryRunAll}, nil} {
		options := crds.Applying(manager)
		options.DryRun = dry
		applied := shared.Must(d.t)(d.Through(d.version).Apply(d.t.Context(), d.served.GetName(), d.served, options))
		if diff := cmp.Diff(unmanaged(live), unmanaged(applied)); diff != "" {
			d.t.Errorf("after %s, applying %s in %s again (dry run: %v) changes it:\n%s", after, d.kind.name, d.version, dry != nil, diff)
		}
	}
	live = d.Get(d.version, d.kept.GetName())
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch([]byte(live.GetAnnotations()[lastApplied]), d.annotated(live), []byte(text(d.t, live)))
	if err != nil {
		d.t.Fatal(err)
	}
	if string(patch) != "{}" {
		d.t.Errorf("after %s, %s in %s is out of sync: %s", after, d.kind.name, d.version, patch)
	}
}

// unmanaged is an object without who owns what of it; with its resourceVersion and its generation.
func unmanaged(o *unstructured.Unstructured) map[string]any {
	o = o.DeepCopy()
	o.SetManagedFields(nil)
	return o.Object
}

// annotated returns the declared manifest, with the annotation that a client-side apply adds.
func (d declared) annotated(live *unstructured.Unstructured) []byte {
	o := d.kept.DeepCopy()
	o.SetAnnotations(map[string]string{lastApplied: live.GetAnnotations()[lastApplied]})
	return []byte(text(d.t, o))
}

// checkDiffs requires that `kubectl diff` finds nothing, in all versions, on the client's and on
// the server's side.
func checkDiffs(t *testing.T, after string, all []declared) {
	t.Helper()
	for _, method := range []struct {
		object func(declared) *unstructured.Unstructured
		flags  []string
	}{
		{func(d declared) *unstructured.Unstructured { return d.kept }, nil},
		{func(d declared) *unstructured.Unstructured { return d.served }, []string{"--server-side", "--force-conflicts", "--field-manager=" + manager}},
	} {
		var manifests []string
		for _, d := range all {
			manifests = append(manifests, text(t, method.object(d)))
		}
		if out, _, err := open(t).Kubectl().Run(t.Context(), strings.Join(manifests, "\n---\n"), append([]string{"diff", "-f", "-"}, method.flags...)...); err != nil {
			t.Errorf("after %s, kubectl diff %v: %v\n%s", after, method.flags, err, out)
		}
	}
}
