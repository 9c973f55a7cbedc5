package reconciler_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/internal/packed"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// own is the share of a process with one namespace.
type own string

func (o own) Begin(namespace string) (end func(), retry time.Duration) {
	if namespace != string(o) {
		return nil, 0
	}
	return func() {}, 0
}

// lateCache is the cache of one process. It shows all writes in their order, and is as late as a
// cache can be: it follows only when the process reads an object.
type lateCache struct {
	client.Client
	world  *world
	pauses func()

	mu      sync.Mutex
	objects map[string][]unstructured.Unstructured // by kind
}

func (c *lateCache) follow(ctx context.Context, kind string) error {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(c.world.kind(kind).Hub.GroupVersion().WithKind(kind + "List"))
	if err := c.Client.List(ctx, list); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.objects[kind] = list.Items
	return nil
}

func (c *lateCache) Get(ctx context.Context, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
	u, ok := into.(*unstructured.Unstructured)
	if !ok {
		return c.Client.Get(ctx, key, into, opts...)
	}
	c.pauses()
	if err := c.follow(ctx, u.GetKind()); err != nil {
		return err
	}
	return c.Client.Get(ctx, key, into, opts...)
}

func (c *lateCache) List(ctx context.Context, into client.ObjectList, opts ...client.ListOption) error {
	list, ok := into.(*packed.List)
	if !ok {
		return c.Client.List(ctx, into, opts...)
	}
	c.pauses()
	var how client.ListOptions
	how.ApplyOptions(opts)
	kind := list.GetKind()[:len(list.GetKind())-len("List")]
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.objects[kind] {
		if how.FieldSelector == nil || matches(c.world, kind, &one, how) {
			list.Items = append(list.Items, one.DeepCopy())
		}
	}
	return nil
}

// matches reports whether an index has an object under the value of a selector.
func matches(w *world, kind string, object *unstructured.Unstructured, how client.ListOptions) bool {
	for _, r := range how.FieldSelector.Requirements() {
		if !slices.Contains(reconciler.Indexes(w.kind(kind))[r.Field](object), r.Value) {
			return false
		}
	}
	return true
}

func (c *lateCache) Patch(ctx context.Context, object client.Object, p client.Patch, opts ...client.PatchOption) error {
	c.pauses()
	return c.Client.Patch(ctx, object, p, opts...)
}

// process returns the reconciler of persons of another process, which has one namespace. Its clock
// is ahead, and it pauses before each read and write.
func (w *world) process(namespace string, ahead, pause time.Duration) *reconciler.Reconciler {
	o := w.options
	o.Client = &lateCache{Client: w.client, world: w, objects: map[string][]unstructured.Unstructured{}, pauses: func() { time.Sleep(pause) }}
	o.Claims, o.Share, o.Now = &reconciler.Claims{}, own(namespace), func() time.Time { return time.Now().Add(ahead) }
	return reconciler.New(w.kind("Person"), o)
}

// personIn returns the request of a person in a namespace.
func personIn(namespace, name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
}

// meetsAnother makes a pass over an object whose claim precedes that of an object of another
// process. That one was written just before, and the resource was not created.
func meetsAnother(w *world) {
	w.object("Person", "ada", person())
	w.there("Person", "ada", person())
	other, isFirst := w.process(apart, 0, 0), true
	w.cloud.Before(func(call fakeprovider.Call) error {
		if call.Verb == "Apply" {
			return fakeprovider.Fail(v2.Reason_REASON_TRANSIENT, "later", 0)
		}
		return nil
	})
	w.writes = func(do func() error) error {
		if isFirst {
			isFirst = false
			if _, err := other.Reconcile(w.Context(), personIn(apart, "ada")); err != nil {
				return err
			}
		}
		return do()
	}
	if _, err := w.process(namespace, -time.Minute, 0).Reconcile(w.Context(), personIn(namespace, "ada")); err != nil {
		w.Fatal(err)
	}
}

// TestProcessesClaimOneResource lets two processes reconcile two objects of two namespaces that
// mean one resource, at the same time. Their caches are late, and one of their clocks is wrong.
// Only one of them sends a create. In the end one object is Ready, and the other names it as the
// owner.
func TestProcessesClaimOneResource(t *testing.T) {
	rounds := 20
	if isLong() {
		rounds = 60
	}
	for round := range rounds {
		random := rand.New(rand.NewPCG(uint64(round), 0))
		w := newWorld(t)
		w.object("Person", "ada", person())
		w.there("Person", "ada", person())
		var creates sync.Map
		w.cloud.Before(func(call fakeprovider.Call) error {
			if call.Verb == "Apply" {
				if n, has := creates.LoadOrStore(call.ID, 1); has {
					creates.Store(call.ID, n.(int)+1)
				}
			}
			return nil
		})
		var all sync.WaitGroup
		skew := time.Duration(random.IntN(3)-1) * 5 * time.Second
		for i, namespace := range []string{namespace, apart} {
			r := w.process(namespace, time.Duration(i)*skew, time.Duration(random.IntN(3000))*time.Microsecond)
			all.Go(func() {
				for pass := range 6 {
					result, err := r.Reconcile(w.Context(), personIn(namespace, "ada"))
					if err != nil {
						t.Errorf("round %d, pass %d over %s: %v", round, pass, namespace, err)
					}
					time.Sleep(min(result.RequeueAfter, time.Millisecond))
				}
			})
		}
		all.Wait()
		creates.Range(func(id, n any) bool {
			if n.(int) != 1 {
				t.Errorf("round %d: %d creates of %v were sent, want 1", round, n, id)
			}
			return true
		})
		ready := 0
		for _, c := range []string{w.condition("Person", "ada", reconciler.Ready).Reason, w.readyThere("Person", "ada").Reason} {
			switch c {
			case reconciler.Succeeded:
				ready++
			case reconciler.OwnedByAnother:
			default:
				t.Errorf("round %d: an object is not Ready for %s", round, c)
			}
		}
		if ready != 1 {
			t.Errorf("round %d: %d objects are Ready, want 1", round, ready)
		}
		if t.Failed() {
			return
		}
	}
}

// TestOthersAreLeftAlone makes no pass over an object of another process.
func TestOthersAreLeftAlone(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.options.Share = own(apart)
	w.all["Person"] = reconciler.New(w.kind("Person"), w.options)
	if result := w.pass("Person", "ada"); result.RequeueAfter != 0 || len(w.cloud.Calls("")) > 0 || w.made > 0 {
		t.Errorf("after %v there are %d calls and %d writes", result, len(w.cloud.Calls("")), w.made)
	}
}

// TestForgetsOthers removes the claim of an object, which only the process that has made it knows.
// A process that has given the namespace to another one since then must not restore what it knew.
func TestForgetsOthers(t *testing.T) {
	for given, owned := range map[string]bool{apart: true, namespace: false} {
		w := newWorld(t)
		w.object("Person", "ada", person())
		w.pass("Person", "ada")
		w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.SetAnnotations(nil) })
		w.all["Person"].Forget(func(namespace string) bool { return namespace == given })
		w.pass("Person", "ada")
		if is := w.recorded("Person", "ada").Owned; is != owned {
			t.Errorf("after %s was given away, the object has its claim: %t, want %t", given, is, owned)
		}
	}
}
