package conversion_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestOwnershipIsTranslated applies a manifest in one version, and translates the ownership of its
// fields to another, by one patch at the storage version. Then the manager applies the converted
// manifest: nothing changes, and nothing conflicts. A property that it leaves out then is removed.
func TestOwnershipIsTranslated(t *testing.T) {
	tier.Long(t, "writes objects of all kinds")
	eachKind(t, func(t *testing.T, p view) {
		fields := crds.NewFields(t, filepath.Join(api, "histories"), p.kind.Kind)
		for _, from := range p.kind.three() {
			for _, to := range p.kind.Versions {
				if to != from {
					p.translated(fields, from, to, "from-"+from+"-to-"+to)
				}
			}
		}
	})
}

// keeper is the owner of all fields in this test.
const keeper = "keeper"

func (p view) translated(fields crds.Fields, from, to, name string) {
	p.t.Helper()
	options := metav1.ApplyOptions{FieldManager: keeper}
	shared.Must(p.t)(p.Through(from).Apply(p.t.Context(), name, p.kind.of(from, name), options))
	before, visible := p.Stored(name), p.Get(to, name)
	p.translate(fields, before, visible, from, to)
	after := p.Stored(name)
	if before.GetGeneration() != after.GetGeneration() {
		p.t.Errorf("%s: the generation was %d and is %d", name, before.GetGeneration(), after.GetGeneration())
	}
	if diff := cmp.Diff(before.Object["spec"], after.Object["spec"]); diff != "" {
		p.t.Errorf("%s: a translation of owners changed the spec (-before +after):\n%s", name, diff)
	}
	manifest := p.kind.of(to, name)
	manifest.Object["spec"] = visible.Object["spec"]
	if lacks := p.kind.lacks(to, manifest); len(lacks) > 0 {
		return // the version requires what the first one lacks
	}
	shared.Must(p.t)(p.Through(to).Apply(p.t.Context(), name, manifest, options))
	if diff := cmp.Diff(content(before), content(p.Stored(name))); diff != "" {
		p.t.Errorf("%s: the unchanged manifest, applied in the other version, changed the object (-before +after):\n%s", name, diff)
	}
	unstructured.RemoveNestedField(manifest.Object, "spec", "azureName")
	shared.Must(p.t)(p.Through(to).Apply(p.t.Context(), name, manifest, options))
	want := content(before)
	unstructured.RemoveNestedField(want, "spec", "azureName")
	if diff := cmp.Diff(want, content(p.Stored(name))); diff != "" {
		p.t.Errorf("%s: the manifest without azureName (-want +got):\n%s", name, diff)
	}
}

// translate replaces the entry of the manager by one of the other version, in which the object is
// as shown.
func (p view) translate(fields crds.Fields, stored, visible *unstructured.Unstructured, from, to string) {
	p.t.Helper()
	entries := stored.GetManagedFields()
	i := slices.IndexFunc(entries, func(e metav1.ManagedFieldsEntry) bool { return e.Manager == keeper })
	owned := fieldpath.NewSet()
	if err := owned.FromJSON(entries[i].FieldsV1.GetRawReader()); err != nil {
		p.t.Fatal(err)
	}
	translated, err := fields.Histories.Translate(owned, from, to)
	if err != nil {
		p.t.Fatal(err)
	}
	spec := visible.DeepCopy().Object
	delete(spec, "status")
	live := fields.Of(p.t, to, spec)
	set := translated.Over(live)
	if !translated.Stepped.Empty() { // the manager owns everything: so the conversion shows all
		set = set.Union(live)
	}
	text, err := set.ToJSON()
	if err != nil {
		p.t.Fatal(err)
	}
	entries[i].FieldsV1.SetRawBytes(text)
	entries[i].APIVersion = p.kind.Spec.Group + "/" + to
	entry, err := json.Marshal(entries[i])
	if err != nil {
		p.t.Fatal(err)
	}
	patch := fmt.Sprintf(`[{"op":"test","path":"/metadata/resourceVersion","value":%q},{"op":"replace","path":"/metadata/managedFields/%d","value":%s}]`,
		stored.GetResourceVersion(), i, entry)
	shared.Must(p.t)(p.Through(p.kind.Hub).Patch(p.t.Context(), stored.GetName(), types.JSONPatchType, []byte(patch), metav1.PatchOptions{FieldManager: "migrator"}))
}
