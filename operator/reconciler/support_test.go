package reconciler_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/api"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/operator/reconciler"
	"github.com/stratakube/strata/operator/resource"
)

const namespace = "default"

// world is a cluster without an API server, an external API in memory, and a reconciler between
// them.
type world struct {
	testing.TB
	cloud  *fakeprovider.Cloud
	kinds  *resource.Set
	scheme *k8sruntime.Scheme
	client client.WithWatch
	events *events.FakeRecorder
	// frozen is the object that a late cache always returns; nil for a cache that is not late.
	frozen *unstructured.Unstructured
	// stale makes indexes of the cache show no claim.
	stale bool
	// required makes reconcilers require Secrets with credentials.
	required bool
	// provider is the name under which reconcilers have the provider.
	provider string
	// entries are the entries of providers. If there are none, the only provider serves all
	// types.
	entries []provider.Entry
	// writes wraps every write; nil for none.
	writes func(do func() error) error
	// counting guards made, conditions and reads, for tests with many workers.
	counting sync.Mutex
	made     int
	// conditions has all conditions that were ever written, as "Type Status Reason".
	conditions map[string]bool
	// later is how far the clock of reconcilers is ahead.
	later time.Duration
	// stands is the time at which the clock of reconcilers is stopped; zero for a running clock.
	stands time.Time
	// patience is the time limit of calls.
	patience time.Duration
	// live is the error of reads of the API server; nil for none. reads counts them.
	live  error
	reads int
	// hidden is the kind that no client may read; empty for none.
	hidden string

	// keys sign claims; nil if claims are not signed.
	keys *annotation.Keys

	options reconciler.Options
	all     map[string]*reconciler.Reconciler
}

func newWorld(t testing.TB, objects ...client.Object) *world {
	t.Helper()
	w := &world{TB: t, provider: fakeprovider.Name, cloud: &fakeprovider.Cloud{}, scheme: k8sruntime.NewScheme(), events: events.NewFakeRecorder(100), conditions: map[string]bool{}, patience: 10 * time.Second, keys: keysOf(t, "first")}
	if err := api.AddToScheme(w.scheme); err != nil {
		t.Fatal(err)
	}
	addCore(w.scheme)
	var err error
	if w.kinds, err = resource.Read(w.scheme); err != nil {
		t.Fatal(err)
	}
	// With this converter, the fake client does not build a scheme of all types of Kubernetes.
	b := fake.NewClientBuilder().WithScheme(w.scheme).WithTypeConverters(managedfields.NewDeducedTypeConverter()).WithObjects(objects...)
	for _, k := range w.kinds.All() {
		hub := w.blank(k.Hub.Kind)
		b = b.WithStatusSubresource(hub)
		for field, of := range reconciler.Indexes(k) {
			b = b.WithIndex(hub, field, func(o client.Object) []string {
				content, err := k8sruntime.DefaultUnstructuredConverter.ToUnstructured(o)
				if err != nil {
					return nil
				}
				return of(&unstructured.Unstructured{Object: content})
			})
		}
	}
	w.client = interceptor.NewClient(b.Build(), interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			before := o.DeepCopyObject().(client.Object)
			if err := c.Get(ctx, client.ObjectKeyFromObject(o), before); err != nil {
				return err
			}
			return w.write(func() error {
				err := c.Patch(ctx, o, p, opts...)
				if err == nil {
					w.writesClaim(before, o)
				}
				return err
			})
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			w.counting.Lock()
			for _, c := range conditionsOf(w, o.(*unstructured.Unstructured)) {
				w.conditions[c.Type+" "+string(c.Status)+" "+c.Reason] = true
			}
			w.counting.Unlock()
			return w.write(func() error { return c.SubResource(sub).Update(ctx, o, opts...) })
		},
	})
	w.restart()
	return w
}

// keysOf returns keys by their names. The last one signs.
func keysOf(t testing.TB, names ...string) *annotation.Keys {
	t.Helper()
	all := map[string][]byte{}
	for _, name := range names {
		all[name] = []byte(strings.Repeat(name, annotation.MinKey))
	}
	keys, err := annotation.NewKeys(all)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// addCore adds the kinds of Kubernetes that the operator reads and writes. The fake client goes
// through all kinds of a scheme for each write.
func addCore(scheme *k8sruntime.Scheme) {
	scheme.AddKnownTypes(corev1.SchemeGroupVersion, &corev1.Namespace{}, &corev1.NamespaceList{}, &corev1.Secret{}, &corev1.SecretList{}, &corev1.ConfigMap{}, &corev1.ConfigMapList{})
	metav1.AddToGroupVersion(scheme, corev1.SchemeGroupVersion)
}

// restart starts a new process with an empty memory.
func (w *world) restart() {
	w.Helper()
	h := plugintest.InMemory(w, w.cloud.Register)
	entries := w.entries
	if len(entries) == 0 {
		entries = []provider.Entry{{Name: w.provider}}
	}
	w.options = reconciler.Options{
		Scheme: w.scheme, Kinds: w.kinds, Client: cached{w.client, w}, Live: live{w.client, w}, Events: w.events,
		Providers:   provider.Open(h, entries, provider.Options{Timeout: w.patience}),
		Credentials: &provider.Credentials{Reader: live{w.client, w}, Host: h},
		Claims:      &reconciler.Claims{}, Keys: w.keys, RequireCredentials: w.required,
		Patience: 10 * time.Millisecond,
		Now:      w.now,
	}
	w.all = map[string]*reconciler.Reconciler{}
	for _, k := range w.kinds.All() {
		w.all[k.Hub.Kind] = reconciler.New(k, w.options)
	}
}

// now returns the time of the clock of reconcilers.
func (w *world) now() time.Time {
	if !w.stands.IsZero() {
		return w.stands
	}
	return time.Now().Add(w.later)
}

// cached is a client that returns the frozen object.
type cached struct {
	client.Client
	world *world
}

func (c cached) Get(ctx context.Context, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
	if u, ok := into.(*unstructured.Unstructured); ok && c.world.frozen != nil {
		c.world.frozen.DeepCopyInto(u)
		return nil
	}
	return c.Client.Get(ctx, key, into, opts...)
}

// live is a reader of the API server that may fail.
type live struct {
	client.Reader
	world *world
}

func (l live) Get(ctx context.Context, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
	if l.world.count(&l.world.reads); l.world.live != nil {
		return l.world.live
	}
	if kind := reflect.TypeOf(into).Elem().Name(); kind == l.world.hidden {
		return apierrors.NewForbidden(schema.GroupResource{Resource: kind}, key.Name, errors.New("no"))
	}
	return l.Reader.Get(ctx, key, into, opts...)
}

func (c cached) List(ctx context.Context, into client.ObjectList, opts ...client.ListOption) error {
	for _, o := range opts {
		if by, is := o.(client.MatchingFields); is && by[reconciler.ByIdentity] != "" && c.world.stale {
			return nil
		}
	}
	return c.Client.List(ctx, into, opts...)
}

func (w *world) count(what *int) {
	w.counting.Lock()
	defer w.counting.Unlock()
	*what++
}

func (w *world) write(do func() error) error {
	w.count(&w.made)
	if w.writes != nil {
		return w.writes(do)
	}
	return do()
}

func (w *world) kind(name string) *resource.Kind {
	return w.kinds.Of(schema.GroupKind{Group: "crm.example.com", Kind: name})
}

func (w *world) blank(name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(w.kind(name).Hub)
	return u
}

// object creates an object in the form that the webhook stores.
func (w *world) object(kind, name string, spec map[string]any, pairs ...string) *unstructured.Unstructured {
	w.Helper()
	u := w.blank(kind)
	u.SetNamespace(namespace)
	u.SetName(name)
	u.SetUID(types.UID("uid-of-" + name))
	u.SetGeneration(1)
	annotations := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		annotations[pairs[i]] = pairs[i+1]
	}
	u.SetAnnotations(annotations)
	u.Object["spec"] = spec
	if err := w.client.Create(w.Context(), u); err != nil {
		w.Fatal(err)
	}
	return u
}

// person returns the spec of a person.
func person() map[string]any {
	return map[string]any{
		"originalVersion": "v20180808",
		"location":        "westeurope",
		"properties":      map[string]any{"familyName": "Lovelace", "legalName": "Augusta Ada King"},
	}
}

func note(owner string) map[string]any {
	return map[string]any{"originalVersion": "v20130303", "owner": map[string]any{"name": owner}, "properties": map[string]any{"text": "looms"}}
}

// pass makes one pass over an object.
func (w *world) pass(kind, name string) reconcile.Result {
	w.Helper()
	result, err := w.try(kind, name)
	if err != nil {
		w.Fatal(err)
	}
	return result
}

func (w *world) try(kind, name string) (reconcile.Result, error) {
	return w.all[kind].Reconcile(w.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}})
}

// logged does a pass, and returns what it logs up to a verbosity.
func (w *world) logged(kind, name string, verbosity int) (string, error) {
	var out strings.Builder
	to := funcr.New(func(_, text string) { out.WriteString(text + "\n") }, funcr.Options{Verbosity: verbosity})
	request := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
	_, err := w.all[kind].Reconcile(log.IntoContext(w.Context(), to), request)
	return out.String(), err
}

func (w *world) get(kind, name string) *unstructured.Unstructured {
	w.Helper()
	u := w.blank(kind)
	if err := w.client.Get(w.Context(), client.ObjectKey{Namespace: namespace, Name: name}, u); err != nil {
		w.Fatal(err)
	}
	return u
}

func conditionsOf(t testing.TB, object *unstructured.Unstructured) (all []metav1.Condition) {
	t.Helper()
	list, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, one := range list {
		var c metav1.Condition
		if err := k8sruntime.DefaultUnstructuredConverter.FromUnstructured(one.(map[string]any), &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// condition returns a condition of an object; its status is empty if there is none.
func (w *world) condition(kind, name, of string) metav1.Condition {
	w.Helper()
	if c := meta.FindStatusCondition(conditionsOf(w, w.get(kind, name)), of); c != nil {
		return *c
	}
	return metav1.Condition{}
}

// wants fails the test unless Ready has a status and a reason.
func (w *world) wants(kind, name string, status metav1.ConditionStatus, reason string) {
	w.Helper()
	if c := w.condition(kind, name, reconciler.Ready); c.Status != status || c.Reason != reason {
		w.Errorf("%s is %s for %s (%s), want %s for %s", name, c.Status, c.Reason, c.Message, status, reason)
	}
}

func (w *world) recorded(kind, name string) annotation.State {
	return annotation.Read(w.get(kind, name))
}

func (w *world) edit(kind, name string, edit func(*unstructured.Unstructured)) {
	w.Helper()
	u := w.get(kind, name)
	edit(u)
	if err := w.client.Update(w.Context(), u); err != nil {
		w.Fatal(err)
	}
}

func (w *world) delete(kind, name string) {
	w.Helper()
	if err := w.client.Delete(w.Context(), w.get(kind, name)); err != nil {
		w.Fatal(err)
	}
}

func (w *world) isGone(kind, name string) bool {
	err := w.client.Get(w.Context(), client.ObjectKey{Namespace: namespace, Name: name}, w.blank(kind))
	return client.IgnoreNotFound(err) == nil && err != nil
}

const ada = "/Microsoft.Crm/persons/ada"
