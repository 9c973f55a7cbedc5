package operator

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	framework "k8s.io/client-go/tools/cache/testing"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/internal/packed"
	"github.com/stratakube/strata/operator/reconciler"
)

// person returns an object as an API server has it.
func person(name, shelf string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "crm.example.com/v1", "kind": "Person",
		"metadata": map[string]any{
			"name": name, "namespace": "here", "uid": "uid-" + name, "labels": map[string]any{"name": name},
			"managedFields": []any{map[string]any{"manager": "m", "operation": "Update", "apiVersion": "crm.example.com/v1"}},
		},
		"spec": map[string]any{"shelf": shelf, "size": int64(7)},
	}}
}

// TestCachedObjects reads packed objects from a cache of controller-runtime, by name, by index and
// in lists. Nobody changes what others read. Events have packed objects, too. A cache of several
// namespaces does the same.
func TestCachedObjects(t *testing.T) {
	for _, namespaces := range [][]string{nil, {"here"}, {"here", "there"}} {
		t.Run(strings.Join(namespaces, " and "), func(t *testing.T) { cachesObjects(t, namespaces) })
	}
}

func cachesObjects(t *testing.T, namespaces []string) {
	kind := schema.GroupVersionKind{Group: "crm.example.com", Version: "v1", Kind: "Person"}
	var sources []*framework.FakeControllerSource // of each namespace
	for range max(1, len(namespaces)) {
		source := framework.NewFakeControllerSource()
		for _, name := range []string{"ann", "bea", "cleo"} {
			source.Add(person(name, "a"))
		}
		sources = append(sources, source)
	}
	used := 0
	options := cacheOptions(Options{Namespaces: namespaces})
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(kind, meta.RESTScopeNamespace)
	mapper.Add(kind.GroupVersion().WithKind("PersonList"), meta.RESTScopeNamespace)
	options.Scheme, options.Mapper = k8sruntime.NewScheme(), mapper
	options.NewInformer = func(_ toolscache.ListerWatcher, object k8sruntime.Object, resync time.Duration, by toolscache.Indexers) toolscache.SharedIndexInformer {
		used++
		return toolscache.NewSharedIndexInformer(sources[used-1], object, resync, by)
	}
	c, err := cache.New(&rest.Config{}, options)
	if err != nil {
		t.Fatal(err)
	}
	one := &unstructured.Unstructured{}
	one.SetGroupVersionKind(kind)
	err = c.IndexField(t.Context(), one, "shelf", func(object client.Object) []string {
		shelf, _, _ := unstructured.NestedString(packed.Of(object).Object, "spec", "shelf")
		return []string{shelf}
	})
	if err != nil {
		t.Fatal(err)
	}
	informer, err := c.GetInformer(t.Context(), one, cache.BlockUntilSynced(false))
	if err != nil {
		t.Fatal(err)
	}
	events := make(chan string, 100)
	seen := func(object any) string {
		u := packed.Of(object.(k8sruntime.Object))
		shelf, _, _ := unstructured.NestedString(u.Object, "spec", "shelf")
		return fmt.Sprintf("%T %s %s", object, u.GetName(), shelf)
	}
	if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		UpdateFunc: func(before, after any) { events <- seen(before) + ", " + seen(after) },
	}); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Start(ctx) }()
	t.Cleanup(func() {
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	if !c.WaitForCacheSync(t.Context()) {
		t.Fatal("the cache is not filled")
	}

	want := person("bea", "a")
	reconciler.Slim(want)
	for range 2 { // the first reader changes what it has read
		got := &unstructured.Unstructured{}
		got.SetGroupVersionKind(kind)
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: "here", Name: "bea"}, got); err != nil {
			t.Fatal(err)
		}
		want.SetResourceVersion(got.GetResourceVersion())
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("the object of the cache (-want +got):\n%s", diff)
		}
		got.SetLabels(nil)
		delete(got.Object, "spec")
	}

	for _, source := range sources {
		source.Modify(person("cleo", "b"))
	}
	for range max(1, len(namespaces)) {
		select {
		case got := <-events:
			if want := "*packed.Object cleo a, *packed.Object cleo b"; got != want {
				t.Errorf("the event is %q, want %q", got, want)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("no event")
		}
	}
	for shelf, want := range map[string]int{"a": 2, "b": 1, "c": 0} {
		decoded := &unstructured.UnstructuredList{}
		decoded.SetGroupVersionKind(kind.GroupVersion().WithKind("PersonList"))
		if err := c.List(t.Context(), decoded, client.InNamespace("here"), client.MatchingFields{"shelf": shelf}); err != nil {
			t.Fatal(err)
		}
		names := packed.ListOf(kind)
		if err := c.List(t.Context(), names, client.MatchingFields{"shelf": shelf}, client.UnsafeDisableDeepCopy); err != nil {
			t.Fatal(err)
		}
		all := max(1, len(namespaces)) * want // the source of each namespace has all objects
		if len(decoded.Items) != want || len(names.Items) != all {
			t.Errorf("%d and %d objects have the shelf %s, want %d and %d", len(decoded.Items), len(names.Items), shelf, want, all)
		}
		for i, item := range names.Items {
			if o, isPacked := item.(*packed.Object); !isPacked || o.GetLabels()["name"] != o.GetName() {
				t.Errorf("item %d of the shelf %s is a %T", i, shelf, item)
			}
		}
	}
}
