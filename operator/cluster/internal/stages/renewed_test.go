package stages

import (
	"context"
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/metadata"
	metadatafake "k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/record"
	"github.com/stratakube/strata/operator/cluster/internal/rewrite"
)

// TestRotatedCABundle has another program write the CA bundle of a CRD at each moment of an upgrade
// and of its end. The process takes a new marker and finishes by itself. One that has changed
// the CRD too often ends the process.
func TestRotatedCABundle(t *testing.T) {
	for _, test := range []struct {
		goal      record.Goal
		when      string
		rotations int
		reached   bool
	}{
		{record.Upgraded, "Settle", 1, true}, {record.Upgraded, "marker", 1, true}, {record.Upgraded, "list", 1, true}, {record.Upgraded, "list", renewals, true},
		{record.Upgraded, "Settle", 100, false}, {record.Upgraded, "list", 100, false},
		{record.Pruned, "Settle", 1, true}, {record.Pruned, "list", 1, true}, {record.Pruned, "list", 100, false},
	} {
		spec := upgraded(record.Kind{CRD: "notes.example.com", UID: "x", From: "v1", To: "v2", Rewrite: true})
		spec.Goal = test.goal
		r := run(t, spec, notes("x", hook, map[record.Goal][]string{record.Upgraded: {"v1", "v2"}, record.Pruned: {"v2", "v1"}}[test.goal]...), notes("", hook, "v2", "v1"))
		r.Plan, r.Pace = planOf(r), rewrite.NewPace(1000)
		left, marked := test.rotations, false
		rotates := func(when string) {
			if when != test.when || left == 0 {
				return
			}
			left--
			d, o := r.installed(t)
			_ = unstructured.SetNestedField(o.Object, "Yg==", "spec", "conversion", "webhook", "clientConfig", "caBundle")
			o.SetGeneration(d.Generation + 1)
			if _, err := r.CRDs.Resource(crd.Resource).Update(t.Context(), o, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		r.Await = func(context.Context, *crd.CRD, []string) error {
			rotates("Settle")
			marked = false
			return nil
		}
		r.Progress = func(string, rewrite.Report, int64) {}
		client := clientOf(func() {
			if rotates(map[bool]string{false: "marker", true: "list"}[marked]); !marked {
				marked = true
			}
		})
		r.Rewriting = func(d *crd.CRD, _ []string) (rewrite.Options, error) {
			return rewrite.Options{Client: client, Resource: d.Resource(d.Hub()), Pace: r.Pace, Progress: func(rewrite.Report, int64) {}}, nil
		}
		u, err := Work(t.Context(), "u", r.Tools)
		if (err == nil) != test.reached || !test.reached && !errors.Is(err, errChanged) || meta.IsStatusConditionTrue(u.Status.Conditions, record.Done) != test.reached {
			t.Errorf("%s, %d rotations at %s: %v", test.goal, test.rotations, test.when, err)
			continue
		}
		d, o := r.installed(t)
		bundle, _, _ := unstructured.NestedString(o.Object, "spec", "conversion", "webhook", "clientConfig", "caBundle")
		if test.reached && (d.Hub() != "v2" || left != 0 || bundle == "" || u.Status.Of(d.Name()).Evidence.Generation != d.Generation) {
			t.Errorf("%s, %d rotations at %s: it stores %s, %d rotations are left, the bundle is %q, the evidence is about generation %d of %d",
				test.goal, test.rotations, test.when, d.Hub(), left, bundle, u.Status.Of(d.Name()).Evidence.Generation, d.Generation)
		}
	}
}

// clientOf returns a client of no objects, and calls a function for each list.
func clientOf(lists func()) metadata.Interface {
	scheme := metadatafake.NewTestScheme()
	_ = metav1.AddMetaToScheme(scheme)
	c := metadatafake.NewSimpleMetadataClient(scheme)
	c.PrependReactor("list", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		lists()
		return true, &metav1.List{ListMeta: metav1.ListMeta{ResourceVersion: "7"}}, nil
	})
	return c
}
