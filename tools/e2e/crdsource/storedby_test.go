package crdsource_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestObjectsOfAnotherOperator stores objects through CRDs as those of Azure Service Operator, and
// replaces these by Strata's. Clients read, edit and write the objects in every version, and
// nothing is deleted. The commands are those of the page on such clusters.
func TestObjectsOfAnotherOperator(t *testing.T) {
	tier.Long(t, "replaces the CRDs of another operator")
	s := open(t)
	before := crds.Read(t, filepath.Join("testdata", "stored", "depots.yaml"))
	crds.Apply(t, s.client, v1.WebhookClientConfig{}, before)
	crds.AwaitServed(t, s.client, before)
	p := objects{crds.Objects{T: t, Client: s.client, Kind: before, Namespace: crds.Namespace(t, s.client, "depots-")}, t, &kind{Kind: before}}
	p.create("v1api20230101storage", "one", depot())
	stored := p.Get("v1api20230101storage", "one")
	stored.Object["status"] = object{"id": "/subscriptions/1", "$propertyBag": object{"Conditions": "none"}, "conditions": []any{object{"type": "Ready", "status": "True", "severity": "Info"}}}
	p.Update("v1api20230101storage", stored, "status")
	p.create("v1api20230101storage", "two", depot())
	uid := stored.GetUID()

	page := readMove(t, s)
	page.run(t, "kubectl get crds")
	page.generates(t, s.depots)
	page.scales(t, s)
	page.run(t, "kubectl get depots")
	page.hasBackup(t, "one", "two")

	crds.Apply(t, s.client, s.config, s.depots)
	crds.AwaitServed(t, s.client, s.depots)
	p.Objects.Kind, p.kind.Kind = s.depots, s.depots
	old := object{
		"azureName": "depot1", "owner": object{"name": "group1"}, "size": int64(3), "accessTier": "5",
		"encryption": object{"source": "vault", "rounds": int64(7)}, "limits": object{"days": int64(30), "note": "{}"},
		"rules": []any{object{"name": "a", "blocked": true}, object{"name": "b"}},
	}
	p.showsSpec("v1api20210401", old)
	p.showsSpec("v1api20230101", object{
		"azureName": "depot1", "owner": object{"name": "group1"}, "size": int64(3), "encryption": object{"source": "vault", "key": "k1"},
		"rules": []any{object{"name": "a", "weight": int64(4)}, object{"name": "b"}},
	})
	if got, _, _ := unstructured.NestedString(p.Stored("one").Object, "spec", "originalVersion"); got != "v1api20210401" {
		t.Errorf("the original version is %q", got)
	}

	// A client of the other version edits a list, and the object is then stored as Strata's.
	p.merge("v1api20230101", "one", `{"spec":{"size":4,"rules":[{"name":"c"},{"name":"a","weight":5}]}}`)
	old["size"], old["rules"] = int64(4), []any{object{"name": "c"}, object{"name": "a", "blocked": true}}
	p.showsSpec("v1api20210401", old)
	// An apply of an earlier manifest, and a status of a controller.
	shared.Must(t)(p.Through("v1api20210401").Patch(t.Context(), "one", types.ApplyPatchType,
		[]byte(`{"apiVersion":"goods.azure.com/v1api20210401","kind":"Depot","metadata":{"name":"one"},"spec":{"accessTier":"Hot"}}`),
		metav1.PatchOptions{FieldManager: "gitops", Force: new(true)}))
	old["accessTier"] = "Hot"
	p.showsSpec("v1api20210401", old)
	got := p.Stored("one")
	if got.GetUID() != uid {
		t.Error("the object was deleted and created again")
	}
	wantBag := object{"accessTier": "Hot", "limits": object{"days": int64(30), "note": "{}"}}
	bag, _, _ := unstructured.NestedMap(got.Object, "spec", "$propertyBag")
	kept, _, _ := unstructured.NestedMap(got.Object, "status", "$propertyBag")
	if diff := cmp.Diff(wantBag, bag) + cmp.Diff(object{"$propertyBag@v1api20230101storage": object{"$propertyBag": object{"Conditions": "none"}}}, kept); diff != "" {
		t.Errorf("stored bags (-want +got):\n%s", diff)
	}
	if got := page.storedIn(t, p.Namespace, "two"); got != "v1api20230101storage" {
		t.Errorf("an object that nobody has written is stored in %s", got)
	}
	page.run(t, "strata cluster migrate")
	if got, want := page.storedIn(t, p.Namespace, "two"), s.depots.Hub; got != want {
		t.Errorf("after the migration, an object is stored in %s, want %s", got, want)
	}
	page.run(t, "--shorten")
	if got := page.storedVersions(t, s); !slices.Equal(got, []string{s.depots.Hub}) {
		t.Errorf("objects can be stored in %s", got)
	}
	p.showsSpec("v1api20210401", old)
	listed := s.depots.Spec.Versions
	if !slices.ContainsFunc(listed, func(v v1.CustomResourceDefinitionVersion) bool { return v.Name == "v1api20230101storage" && !v.Served }) {
		t.Error("the CRD does not list the version in which the objects were stored")
	}
}

// depot is an object that a client of v1api20210401 wrote, as v1api20230101storage has it.
func depot() object {
	return object{"spec": object{
		"azureName": "depot1", "owner": object{"name": "group1"}, "size": int64(3), "originalVersion": "v1api20210401",
		"encryption": object{"source": "vault", "key": "k1", "$propertyBag": object{"Rounds": "7"}},
		"rules": []any{
			object{"name": "a", "weight": int64(4), "$propertyBag": object{"Blocked": "true"}}, object{"name": "b"},
		},
		"$propertyBag": object{"AccessTier": "5", "Limits": `{"days":30,"$propertyBag":{"Note":"{}"}}`},
	}}
}

func (p objects) showsSpec(version string, want object) {
	p.Helper()
	got, _, _ := unstructured.NestedMap(p.Get(version, "one").Object, "spec")
	if diff := cmp.Diff(want, got); diff != "" {
		p.Errorf("%s (-want +got):\n%s", version, diff)
	}
}
