package packed_test

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/stratakube/strata/operator/internal/packed"
)

// TestListOfClientWithoutCache lists objects by a client that reads JSON. Package operator's tests
// list those of a cache.
func TestListOfClientWithoutCache(t *testing.T) {
	objects := []*unstructured.Unstructured{object(t, "ann"), object(t, "bea")}
	b := fake.NewClientBuilder().WithScheme(runtime.NewScheme())
	for _, o := range objects {
		o.SetDeletionTimestamp(nil)
		b = b.WithObjects(o)
	}
	list := packed.ListOf(objects[0].GroupVersionKind())
	if err := b.Build().List(t.Context(), list, client.UnsafeDisableDeepCopy); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, item := range list.Items {
		names = append(names, packed.Of(item).GetName())
	}
	if !slices.Equal(names, []string{"ann", "bea"}) {
		t.Errorf("the list has %v", names)
	}
}
