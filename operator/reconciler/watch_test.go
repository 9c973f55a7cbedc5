package reconciler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/internal/packed"
	"github.com/stratakube/strata/operator/resource"
)

// annotated returns an object with annotations and a spec.
func annotated(spec map[string]any, pairs ...string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "crm.example.com/v20190909storage", "kind": "Person"}}
	u.SetName("ada")
	u.SetUID("u")
	if spec != nil {
		u.Object["spec"] = spec
	}
	all := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		all[pairs[i]] = pairs[i+1]
	}
	u.SetAnnotations(all)
	return u
}

// TestIndexes is a table over the index keys of objects.
func TestIndexes(t *testing.T) {
	owner := func(name, value string) map[string]any {
		return map[string]any{"owner": map[string]any{name: value}}
	}
	deep := strings.Repeat("/x", 100)
	for _, test := range []struct {
		reason, index string
		object        client.Object
		want          []string
	}{
		{"an owner by its name", ByOwner, annotated(owner("name", "ada")), []string{"ada"}},
		{"an owner by its identifier", ByOwner, annotated(owner("armId", "/a")), nil},
		{"metadata alone", ByOwner, &metav1.PartialObjectMetadata{}, nil},

		{"a claim to what was made", ByIdentity, annotated(nil, annotation.Claim, "u", annotation.ID, "/A/b/"), []string{"/a/b"}},
		{"a claim to what is to be made", ByIdentity, annotated(nil, annotation.Claim, `{"uid":"u","id":"/A","key":"/a"}`), []string{"/a"}},
		{"a claim to what is to be made, and its place", ByIdentity, annotated(nil, annotation.Claim, `{"uid":"u","id":"/A","key":"/a"}`, annotation.Place, `{"parent":"/P/","name":"N"}`), []string{"/a", ":/p/n"}},
		{"a claim that names nothing", ByIdentity, annotated(nil, annotation.Claim, "u"), nil},
		{"an observer claims nothing", ByIdentity, annotated(nil, annotation.Claim, "observed/u", annotation.ID, "/a"), nil},
		{"a claim of another object", ByIdentity, annotated(nil, annotation.Claim, "v", annotation.ID, "/a"), nil},

		{"all above what was made", ByAncestor, annotated(nil, annotation.Claim, "u", annotation.ID, "/A/b/c"), []string{"/a", "/a/b"}},
		{"all above what is to be made", ByAncestor, annotated(nil, annotation.Claim, `{"uid":"u","id":"/A/b/c"}`), []string{"/a", "/a/b"}},
		{"what was made counts before what was to be", ByAncestor, annotated(nil, annotation.Claim, `{"uid":"u","id":"/d/e"}`, annotation.ID, "/a/b"), []string{"/a"}},
		{"an observer, too", ByAncestor, annotated(nil, annotation.Claim, "observed/u", annotation.ID, "/a/b"), []string{"/a"}},
		{"the owner and all above it", ByAncestor, annotated(owner("armId", "/A/B/")), []string{"/a", "/a/b"}},
		{"each once", ByAncestor, annotated(owner("armId", "/a/b"), annotation.Claim, "u", annotation.ID, "/a/b/c"), []string{"/a", "/a/b"}},
		{"nothing is above a name", ByAncestor, annotated(nil, annotation.Claim, "u", annotation.ID, "name"), nil},
		{"nothing is above the first segment", ByAncestor, annotated(nil, annotation.Claim, "u", annotation.ID, "/a"), nil},
		{"the claim of metadata alone", ByAncestor, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: "u", Annotations: map[string]string{annotation.Claim: "u", annotation.ID: "/a/b"}}}, []string{"/a"}},

		{"the credentials of a namespace", BySecret, annotated(nil), []string{"strata-credentials"}},
		{"credentials of its own", BySecret, annotated(nil, annotation.Credentials, "mine"), []string{"mine"}},
		{"inputs and outputs, each once", BySecret, annotated(
			map[string]any{"secretRefs": []any{map[string]any{"path": "p", "name": "in", "key": "k"}, map[string]any{"path": "listKeys().k", "name": "in", "key": "l"}, "none"}},
			annotation.Outputs, `[{"path":"listKeys().key1","name":"out","key":"k"}]`,
		), []string{"in", "out", "strata-credentials"}},
		{"outputs that cannot be read name none", BySecret, annotated(nil, annotation.Outputs, `[{"path":"p","name":"out","key":"k"}]`), []string{"strata-credentials"}},
		{"metadata alone has no Secrets", BySecret, &metav1.PartialObjectMetadata{}, nil},
	} {
		if test.index == ByIdentity || test.index == ByAncestor {
			for i, id := range test.want {
				test.want[i] = shortKey(id)
			}
		}
		if diff := cmp.Diff(test.want, Indexes(&resource.Kind{Owner: "owner"})[test.index](test.object)); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", test.index, test.reason, diff)
		}
	}
	if all := above(deep); len(all) != 64 || all[0] != deep[:len(deep)-2] {
		t.Errorf("of 99 identifiers above, %d are indexed, and the first is %s", len(all), all[0])
	}
}

// kept returns the object with the finalizer.
func kept(object *unstructured.Unstructured) *unstructured.Unstructured {
	object.SetFinalizers([]string{annotation.Finalizer})
	return object
}

// TestEventsThatMatter is a table over events that cause a pass.
func TestEventsThatMatter(t *testing.T) {
	change := func(edit func(*unstructured.Unstructured)) event.UpdateEvent {
		after := annotated(nil)
		edit(after)
		return event.UpdateEvent{ObjectOld: annotated(nil), ObjectNew: after}
	}
	annotate := func(name, value string) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) { u.SetAnnotations(map[string]string{name: value}) }
	}
	identified := func(before, after string) event.UpdateEvent {
		return event.UpdateEvent{ObjectOld: annotated(nil, annotation.Claim, "u", annotation.ID, before), ObjectNew: annotated(nil, annotation.Claim, "u", annotation.ID, after)}
	}
	now := metav1.Now()
	for _, test := range []struct {
		reason string
		of     predicate.Predicate
		event  event.UpdateEvent
		want   bool
	}{
		{"nothing", matters(), change(func(*unstructured.Unstructured) {}), false},
		{"another object of that name", matters(), change(func(u *unstructured.Unstructured) { u.SetUID("v") }), true},
		{"another spec", matters(), change(func(u *unstructured.Unstructured) { u.SetGeneration(2) }), true},
		{"another policy", matters(), change(annotate(annotation.ReconcilePolicy, "observe")), true},
		{"adoption", matters(), change(annotate(annotation.Adopt, "true")), true},
		{"other credentials", matters(), change(annotate(annotation.Credentials, "mine")), true},
		{"other outputs", matters(), change(annotate(annotation.Outputs, "[]")), true},
		{"deletion", matters(), change(func(u *unstructured.Unstructured) { u.SetDeletionTimestamp(&now) }), true},
		{"the version that the user wrote", matters(), change(func(u *unstructured.Unstructured) { u.Object["spec"] = map[string]any{"originalVersion": "v20180808"} }), true},
		{"the version that it was declared in", matters(), change(annotate(declaredAnnotation, "v20180808 "+byServer)), true},
		{"what the operator remembers", matters(), change(annotate(annotation.ID, "/a")), false},
		{"what another client makes it forget", matters(), event.UpdateEvent{
			ObjectOld: annotated(nil, annotation.Claim, "u", annotation.ID, "/a"), ObjectNew: annotated(nil),
		}, true},
		{"an identifier of another client", matters(), identified("/a", "/b"), true},
		{"another spelling of an identifier", matters(), identified("/a", "/A/"), false},
		{"a resource that is created again", matters(), identified("/a", ""), false},
		{"an unfinished claim that another client removes", matters(), event.UpdateEvent{ObjectOld: kept(annotated(nil, annotation.Claim, "u")), ObjectNew: kept(annotated(nil))}, true},
		{"an unfinished claim that another client makes unreadable", matters(), event.UpdateEvent{
			ObjectOld: kept(annotated(nil, annotation.Claim, "u")), ObjectNew: kept(annotated(nil, annotation.Claim, "{}")),
		}, true},
		{"an unfinished claim that the operator releases", matters(), event.UpdateEvent{ObjectOld: kept(annotated(nil, annotation.Claim, "u")), ObjectNew: annotated(nil)}, false},
		{"a create without an effect", matters(), event.UpdateEvent{ObjectOld: annotated(nil, annotation.Claim, "u"), ObjectNew: annotated(nil)}, false},
		{"a status", matters(), change(func(u *unstructured.Unstructured) { u.Object["status"] = map[string]any{"location": "north"} }), false},

		{"a parent that was made", made(), identified("", "/a"), true},
		{"a parent that is another one now", made(), identified("/a", "/b"), true},
		{"a parent as before", made(), identified("/a", "/a"), false},
		{"a parent that is gone", made(), identified("/a", ""), false},

		{"a child that changed", gone(), change(func(u *unstructured.Unstructured) { u.SetGeneration(2) }), false},

		{"a Secret that is listed anew", changes(), change(func(*unstructured.Unstructured) {}), false},
		{"a Secret that was written", changes(), change(func(u *unstructured.Unstructured) { u.SetResourceVersion("2") }), true},
	} {
		if got := test.of.Update(test.event); got != test.want {
			t.Errorf("%s makes a pass: %t", test.reason, got)
		}
	}
	for _, test := range []struct {
		reason                                          string
		of                                              predicate.Predicate
		isListed, isCreated, isDeleted, isSomethingElse bool
	}{
		{"an object", matters(), true, true, true, true},
		{"a parent", made(), false, false, false, false},
		{"a child", gone(), false, false, true, false},
		{"a Secret", changes(), false, true, true, true},
	} {
		got := []bool{
			test.of.Create(event.CreateEvent{Object: annotated(nil), IsInInitialList: true}), test.of.Create(event.CreateEvent{Object: annotated(nil)}),
			test.of.Delete(event.DeleteEvent{Object: annotated(nil)}), test.of.Generic(event.GenericEvent{Object: annotated(nil)}),
		}
		if diff := cmp.Diff([]bool{test.isListed, test.isCreated, test.isDeleted, test.isSomethingElse}, got); diff != "" {
			t.Errorf("%s that is listed, created, deleted, or something else (-want +got):\n%s", test.reason, diff)
		}
	}
}

// informers stores the watched kinds.
type informers struct {
	informertest.FakeInformers
	mu      sync.Mutex
	watched map[string]bool
}

func (i *informers) GetInformer(_ context.Context, object client.Object, _ ...cache.InformerGetOption) (cache.Informer, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	gvk, err := apiutil.GVKForObject(object, i.Scheme)
	if err != nil {
		return nil, err
	}
	i.watched[gvk.Kind] = true
	return i.FakeInformers.GetInformerForKind(context.Background(), gvk)
}

func (i *informers) kinds() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Sorted(maps.Keys(i.watched))
}

// TestWatches checks that the controllers of two kinds watch their objects, Secrets, and
// relatives of which this process has a cache.
func TestWatches(t *testing.T) {
	scheme, kinds := kindsOf(t)
	for _, test := range []struct {
		of     string
		cached bool
		want   []string
	}{
		{"Person", true, []string{"Person", "PersonsNote", "Secret"}},
		{"PersonsNote", true, []string{"Person", "PersonsNote", "Secret"}},
		{"Party", true, []string{"Party", "Secret"}},
		{"Person", false, []string{"Person", "Secret"}},
		{"PersonsNote", false, []string{"PersonsNote", "Secret"}},
	} {
		t.Run(fmt.Sprint(test.of, " ", test.cached), func(t *testing.T) {
			all := &informers{FakeInformers: informertest.FakeInformers{Scheme: scheme}, watched: map[string]bool{}}
			m, err := manager.New(&rest.Config{Host: "http://127.0.0.1:1"}, manager.Options{
				Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"},
				NewCache:       func(*rest.Config, cache.Options) (cache.Cache, error) { return all, nil },
				MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return meta.NewDefaultRESTMapper(nil), nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			k := kinds[test.of]
			r := New(k.kind, Options{Scheme: scheme, Kinds: k.set, Cached: func(*resource.Kind) bool { return test.cached }})
			if err := r.Register(m, Controlled{Concurrency: 1}); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- m.Start(ctx) }()
			for end := time.Now().Add(10 * time.Second); len(all.kinds()) < len(test.want) && time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(test.want, all.kinds()); diff != "" {
				t.Errorf("what is watched (-want +got):\n%s", diff)
			}
		})
	}
}

// lister lists an object, and stores the options of the request.
type lister struct {
	client.Client
	err   error
	asked client.ListOptions
}

func (l *lister) List(_ context.Context, into client.ObjectList, options ...client.ListOption) error {
	l.asked = client.ListOptions{}
	l.asked.ApplyOptions(options)
	if l.err != nil {
		return l.err
	}
	found := annotated(nil)
	found.SetNamespace("here")
	into.(*packed.List).Items = []k8sruntime.Object{found}
	return nil
}

// TestOwnersOfEvents checks that events of Secrets, owners and children cause passes for the
// objects that they concern.
func TestOwnersOfEvents(t *testing.T) {
	other := annotated(map[string]any{"owner": map[string]any{"name": "bea"}})
	other.SetNamespace("here")
	other.SetName("other")
	for _, test := range []struct {
		reason string
		of     func(*Reconciler) func(context.Context, client.Object) []reconcile.Request
		index  string
	}{
		{"a Secret", func(r *Reconciler) func(context.Context, client.Object) []reconcile.Request { return r.referrers }, BySecret},
		{"an owner", func(r *Reconciler) func(context.Context, client.Object) []reconcile.Request { return r.children }, ByOwner},
	} {
		all := &lister{}
		r := passOf(t, Options{Client: all}).Reconciler
		requests := test.of(r)(t.Context(), other)
		if len(requests) != 1 || requests[0].String() != "here/ada" {
			t.Errorf("%s makes passes over %v", test.reason, requests)
		}
		if all.asked.Namespace != "here" || all.asked.FieldSelector.String() != test.index+"=other" {
			t.Errorf("%s has objects looked for by %+v", test.reason, all.asked)
		}
		all.err = errors.New("no")
		if requests := test.of(r)(t.Context(), other); len(requests) > 0 {
			t.Errorf("nobody knows for %s, and there are passes over %v", test.reason, requests)
		}
	}
	if requests := parentsOf(&resource.Kind{Owner: "owner"})(t.Context(), other); len(requests) != 1 || requests[0].String() != "here/bea" {
		t.Errorf("a child makes passes over %v", requests)
	}
	if requests := parentsOf(&resource.Kind{Owner: "owner"})(t.Context(), annotated(nil)); len(requests) > 0 {
		t.Errorf("a child without an owner makes passes over %v", requests)
	}
}
