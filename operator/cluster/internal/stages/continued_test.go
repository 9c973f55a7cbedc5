package stages

import (
	"slices"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	metadatafake "k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/record"
	"github.com/stratakube/strata/operator/cluster/internal/rewrite"
)

// TestRewriteGoesOn continues a rewrite of which an earlier process has done a part. Objects past
// the marker get no write, unless the marker is about another generation of the CRD.
func TestRewriteGoesOn(t *testing.T) {
	for generation, want := range map[int64][]string{1: {"left"}, 2: {"done", "left"}} {
		r := run(t, upgraded(record.Kind{CRD: "notes.example.com", UID: "x", From: "v1", To: "v2", Rewrite: true}), notes("x", hook, "v2", "v1"), "")
		of := r.upgrade.Status.Of("notes.example.com")
		of.Marker, of.Generation = "7", generation
		scheme := metadatafake.NewTestScheme()
		_ = metav1.AddMetaToScheme(scheme)
		note := func(name, version string) *metav1.PartialObjectMetadata {
			return &metav1.PartialObjectMetadata{
				TypeMeta:   metav1.TypeMeta{APIVersion: "example.com/v2", Kind: "Note"},
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, ResourceVersion: version},
			}
		}
		client := metadatafake.NewSimpleMetadataClient(scheme, note("done", "8"), note("left", "6"))
		var lock sync.Mutex
		var written []string
		client.PrependReactor("patch", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
			lock.Lock()
			defer lock.Unlock()
			name := a.(clienttesting.PatchAction).GetName()
			written = append(written, name)
			return true, note(name, "9"), nil
		})
		r.Progress = func(string, rewrite.Report, int64) {}
		r.Rewriting = func(d *crd.CRD, _ []string) (rewrite.Options, error) {
			owners := rewrite.Owners{Group: d.Group, Target: func(version string) string { return version }}
			return rewrite.Options{Client: client, Resource: d.Resource(d.Hub()), Owners: owners, Pace: rewrite.NewPace(1000), Progress: func(rewrite.Report, int64) {}}, nil
		}
		if err := rewriteAll(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		slices.Sort(written)
		if of := r.status(&r.upgrade.Spec.Kinds[0]); !slices.Equal(written, want) || of.Objects != 2 || of.Written != len(want) {
			t.Errorf("generation %d: %q were written, want %q; the status is %+v", generation, written, want, of)
		}
	}
}
