package upgrade_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestMatrix upgrades the worked example from a release to the next one, and back, one component
// after the other. Each cell is a row of the table in the how-to about upgrades: which webhook
// serves which CRDs over objects that which hub has stored.
func TestMatrix(t *testing.T) {
	tier.Long(t, "compiles each CRD again for each cell")
	u := openPair(t, tier.IfLong(firstTwo, lastTwo)(t))
	if !tier.IsSoak() { // an API server compiles each CRD again for each cell
		u.old.kinds, u.next.kinds = u.old.kinds[:1], u.next.kinds[:1]
	}
	u.serve(u.old, u.old.kinds)
	u.namespace = crds.Namespace(t, u.client, "matrix-")
	u.await(u.old.kinds)
	const kept, news = "kept", "news"
	const byOld = "01234567-0000-0000-0000-000000000000" // what the old release writes
	before := map[*crds.Kind]map[string]*unstructured.Unstructured{}
	for _, k := range u.old.kinds {
		u.create(k, latest(k), kept)
		before[k] = u.inEachVersion(k, kept)
	}
	newHub := u.next.kinds
	oldHub := storing(newHub, u.old.kinds[0].Hub)
	cell := func(name string, run func()) {
		t.Helper()
		if !t.Failed() {
			t.Log(name)
			run()
		}
	}
	all := func(when string) {
		t.Helper()
		for _, k := range u.old.kinds {
			u.same(when, k, kept, before[k])
		}
	}

	cell("new webhook, old CRDs", func() {
		early := u.read(tier.IsSoak())
		u.serve(u.next, u.old.kinds)
		u.await(u.old.kinds)
		all("with the new webhook")
		u.written("with the new webhook", early)
	})
	cell("old webhook again, old CRDs", func() {
		early := u.read(tier.IsSoak())
		u.serve(u.old, u.old.kinds)
		u.await(u.old.kinds)
		all("with the old webhook again")
		u.written("with the old webhook again", early)
	})
	cell("new webhook, new CRDs: clients that have read before write now", func() {
		u.serve(u.next, u.old.kinds)
		u.await(u.old.kinds)
		early := u.read(true)
		u.serve(u.next, newHub)
		u.await(newHub)
		all("in the old hub, with the new CRDs")
		u.written("after the hub has moved", early)
		for _, r := range early {
			if got := u.storedVersion(r.kind, r.was.GetName()); got != newHub[0].Hub {
				t.Errorf("%s is stored in %s", r.was.GetName(), got)
			}
		}
		u.rewrite(newHub)
		all("in the new hub")
	})
	var fresh map[*crds.Kind]map[string]*unstructured.Unstructured
	cell("new writes, through the new version", func() {
		fresh = map[*crds.Kind]map[string]*unstructured.Unstructured{}
		for _, k := range newHub {
			u.create(k, latest(k), news)
			fresh[k] = u.inEachVersion(k, news)
		}
	})
	cell("old webhook, objects of the new hub: it refuses, and nothing is lost", func() {
		u.serve(u.old, newHub)
		for _, k := range u.old.kinds {
			shared.Eventually(t, 2*crds.Patience, "an old webhook that refuses "+k.Name, func() error {
				_, err := u.in(k).Through(latest(k)).Get(t.Context(), kept, metav1.GetOptions{})
				if err == nil || !strings.Contains(err.Error(), newHub[0].Hub) || !strings.Contains(err.Error(), k.Versions[0]) {
					return fmt.Errorf("the error is %v", err) //nolint:errorlint // it may be nil
				}
				return nil
			})
			labelled := []byte(`{"metadata":{"labels":{"a":"b"}}}`)
			if _, err := u.in(k).Through(latest(k)).Patch(t.Context(), kept, types.MergePatchType, labelled, metav1.PatchOptions{}); err == nil {
				t.Errorf("the old webhook let a write of %s through", k.Name)
			}
		}
		u.serve(u.next, newHub)
		u.await(newHub)
		all("after the old webhook")
	})
	cell("old CRDs, objects of the new hub: the API server refuses them", func() {
		if err := u.apply(u.old.kinds[0]); err == nil || !strings.Contains(err.Error(), "storedVersions") {
			t.Errorf("the CRD without a stored version: %v", err)
		}
	})
	cell("rollback after new writes: new webhook, new CRDs, the old hub", func() {
		early := u.read(tier.IsSoak())
		u.serve(u.next, oldHub)
		u.await(oldHub)
		all("after the hub has moved back")
		u.written("after the hub has moved back", early)
		u.rewrite(oldHub)
		all("in the old hub again")
		for _, k := range newHub {
			u.same("in the old hub again", k, news, fresh[k])
		}
	})
	cell("rollback after new writes: old webhook, old CRDs", func() {
		u.prune(u.old.kinds)
		u.serve(u.old, u.old.kinds)
		u.await(u.old.kinds)
		all("in the old release again")
		for i, k := range u.old.kinds {
			old := map[string]*unstructured.Unstructured{}
			for _, version := range k.Versions {
				old[version] = fresh[newHub[i]][version]
			}
			u.same("written by the new release", k, news, old)
		}
		u.written("in the old release again", u.read(tier.IsSoak()))
		for _, k := range u.old.kinds { // what the old release does not know must outlive its writes
			was := u.in(k).Get(k.Versions[0], news)
			if !lacking(k, k.Versions[0], was) {
				shared.Must(t)(u.in(k).Through(k.Versions[0]).Update(t.Context(), changed(was, edited[k.Spec.Names.Kind], byOld), metav1.UpdateOptions{}))
			}
		}
	})
	cell("upgrade again", func() {
		u.serve(u.next, newHub)
		u.await(newHub)
		u.rewrite(newHub)
		all("in the new hub again")
		for _, k := range newHub {
			want := values(fresh[k][latest(k)])
			_ = unstructured.SetNestedField(want, byOld, edited[k.Spec.Names.Kind]...)
			if diff := cmp.Diff(want, values(u.in(k).Get(latest(k), news))); diff != "" {
				t.Errorf("%s after a write of the old release (-want +got):\n%s", k.Name, diff)
			}
		}
	})
	cell("after pruning: no former hub, and no way back", func() {
		u.prune(newHub)
		pruned := without(newHub, u.old.kinds[0].Hub)
		u.serve(u.next, pruned)
		u.await(pruned)
		all("after pruning")
		u.written("after pruning", u.read(tier.IsSoak()))
		if err := u.apply(u.old.kinds[0]); err == nil || !strings.Contains(err.Error(), "storedVersions") {
			t.Errorf("the old CRD after pruning: %v", err)
		}
	})
}

// TestFiveReleasesAtOnce upgrades from a release to the fifth one after it. Clients of the old
// release read before the upgrade, and write after it.
func TestFiveReleasesAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds two releases of the worked example")
	}
	tier.Long(t, "upgrades over five releases")
	u := openPair(t, six(t))
	u.serve(u.old, u.old.kinds)
	u.namespace = crds.Namespace(t, u.client, "five-")
	u.await(u.old.kinds)
	person := u.old.kinds[0]
	u.create(person, latest(person), "kept")
	before, early := u.inEachVersion(person, "kept"), u.read(tier.IsSoak())
	u.serve(u.next, u.next.kinds)
	u.await(u.next.kinds)
	u.same("five releases later", person, "kept", before)
	u.written("five releases later", early)
	u.rewrite(u.next.kinds)
	u.same("stored anew", person, "kept", before)
}

// apply applies the CRD of a kind as it is, with the webhook that the cluster has.
func (u *pair) apply(k *crds.Kind) error {
	d := k.DeepCopy()
	now := shared.Must(u.t)(u.client.Resource(crds.Definitions).Get(u.t.Context(), k.Name, metav1.GetOptions{}))
	var has v1.CustomResourceDefinition
	if err := recode(now.Object, &has); err != nil {
		return err
	}
	d.Spec.Conversion.Webhook.ClientConfig = has.Spec.Conversion.Webhook.ClientConfig
	d.Status = v1.CustomResourceDefinitionStatus{}
	var object map[string]any
	if err := recode(d, &object); err != nil {
		return err
	}
	unstructured.RemoveNestedField(object, "status")
	unstructured.RemoveNestedField(object, "metadata", "creationTimestamp")
	_, err := u.client.Resource(crds.Definitions).Apply(u.t.Context(), k.Name, &unstructured.Unstructured{Object: object}, crds.Applying("tests"))
	return err
}

func recode(from, into any) error {
	data, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// rewrite writes each object once at the storage version, without a change, so that none is stored
// in another one.
func (u *pair) rewrite(kinds []*crds.Kind) {
	u.t.Helper()
	for _, k := range kinds {
		list, err := u.in(k).Through(k.Hub).List(u.t.Context(), metav1.ListOptions{})
		if err != nil {
			u.t.Fatal(err)
		}
		for _, o := range list.Items {
			of := fmt.Appendf(nil, `{"metadata":{"resourceVersion":%q}}`, o.GetResourceVersion())
			shared.Must(u.t)(u.in(k).Through(k.Hub).Patch(u.t.Context(), o.GetName(), types.MergePatchType, of, metav1.PatchOptions{}))
			if got := u.storedVersion(k, o.GetName()); got != k.Hub {
				u.t.Errorf("%s of %s is stored in %s", o.GetName(), k.Name, got)
			}
		}
	}
}

// prune shortens storedVersions to the storage version of kinds. All objects must be stored in it.
func (u *pair) prune(kinds []*crds.Kind) {
	u.t.Helper()
	for _, k := range kinds {
		d := shared.Must(u.t)(u.client.Resource(crds.Definitions).Get(u.t.Context(), k.Name, metav1.GetOptions{}))
		_ = unstructured.SetNestedStringSlice(d.Object, []string{k.Hub}, "status", "storedVersions")
		shared.Must(u.t)(u.client.Resource(crds.Definitions).UpdateStatus(context.WithoutCancel(u.t.Context()), d, metav1.UpdateOptions{}))
	}
}

// without returns copies of kinds whose CRDs lack a version.
func without(kinds []*crds.Kind, version string) []*crds.Kind {
	var out []*crds.Kind
	for _, k := range kinds {
		other := *k
		other.CustomResourceDefinition = k.DeepCopy()
		other.Spec.Versions = slices.DeleteFunc(other.Spec.Versions, func(v v1.CustomResourceDefinitionVersion) bool { return v.Name == version })
		out = append(out, &other)
	}
	return out
}
