package reconciler_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// rivalry is a random sequence of events for three objects that mean one resource: two of one
// namespace, and one of another.
type rivalry struct {
	*world
	random  *rand.Rand
	keys    []types.NamespacedName
	history []string
}

// blows are the events of a rivalry, each for one of the objects.
var blows = []struct {
	name string
	do   func(*rivalry, types.NamespacedName)
}{
	{"a pass", func(r *rivalry, at types.NamespacedName) { r.step(at) }},
	{"a restart", func(r *rivalry, _ types.NamespacedName) { r.restart() }},
	{"time passes", func(r *rivalry, _ types.NamespacedName) {
		r.later += time.Duration(r.random.IntN(600)) * time.Second
	}},
	{"the cache is late", func(r *rivalry, at types.NamespacedName) {
		r.stale = true
		r.step(at)
		r.stale = false
	}},
	{"a call is refused", func(r *rivalry, at types.NamespacedName) { r.fails(at, effect.None) }},
	{"a call is cut off", func(r *rivalry, at types.NamespacedName) { r.fails(at, effect.Possible) }},
	{"an answer is lost", func(r *rivalry, at types.NamespacedName) { r.fails(at, effect.Certain) }},
	{"the process ends", func(r *rivalry, at types.NamespacedName) {
		left := r.random.IntN(5)
		r.writes = func(do func() error) error {
			if left--; left < 0 {
				return errForbidden
			}
			return do()
		}
		r.cloud.Before(func(fakeprovider.Call) error {
			if left < 0 {
				return fakeprovider.FailAfter(effect.None, v2.Reason_REASON_TRANSIENT, "the process has ended")
			}
			return nil
		})
		r.step(at)
		r.cloud.Before(nil)
		r.writes = nil
		r.restart()
	}},
	{"an edit", func(r *rivalry, at types.NamespacedName) {
		u := r.read(at)
		u.Object["spec"].(map[string]any)["tags"] = map[string]any{"edit": fmt.Sprint(r.random.IntN(3))}
		if err := r.client.Update(r.Context(), u); err != nil {
			r.Fatal(err)
		}
	}},
}

func (r *rivalry) fails(at types.NamespacedName, has v2.Effect) {
	r.failsOnce("Apply", has, v2.Reason_REASON_TRANSIENT)
	r.step(at)
	r.cloud.Before(nil)
	r.cloud.After(nil)
}

func (r *rivalry) step(at types.NamespacedName) {
	_, _ = r.all["Person"].Reconcile(r.Context(), reconcile.Request{NamespacedName: at})
}

func (r *rivalry) read(at types.NamespacedName) *unstructured.Unstructured {
	r.Helper()
	u := r.blank("Person")
	if err := r.client.Get(r.Context(), at, u); err != nil {
		r.Fatal(err)
	}
	return u
}

// owners returns the objects that are Ready.
func (r *rivalry) owners() (all []types.NamespacedName) {
	r.Helper()
	for _, at := range r.keys {
		c := meta.FindStatusCondition(conditionsOf(r, r.read(at)), reconciler.Ready)
		switch {
		case c != nil && c.Status == metav1.ConditionTrue:
			all = append(all, at)
		case c == nil || c.Reason != reconciler.OwnedByAnother:
			r.Errorf("%s is %+v", at, c)
		}
	}
	return all
}

// settles makes passes until nothing changes any more. The operator may apply nothing after that.
func (r *rivalry) settles() {
	r.Helper()
	for i := range 6 {
		if i == 4 {
			r.cloud.Forget()
		}
		r.later += 20 * time.Second
		for _, at := range r.keys {
			r.step(at)
		}
	}
	if calls := r.mutations(); len(calls) > 0 {
		r.Errorf("they fight for it: %v", calls)
	}
}

// ends deletes the objects one after the other. The last one deletes the resource.
func (r *rivalry) ends() {
	r.Helper()
	for len(r.keys) > 0 {
		if r.settles(); len(r.owners()) != 1 {
			r.Errorf("the owners are %v", r.owners())
		}
		i := r.random.IntN(len(r.keys))
		at := r.keys[i]
		isOwner := len(r.owners()) == 1 && r.owners()[0] == at
		before := r.cloud.Get(ada)
		if err := r.client.Delete(r.Context(), r.read(at)); err != nil {
			r.Fatal(err)
		}
		for range 30 { // while a create without an answer may take effect
			r.later += 20 * time.Second
			r.step(at)
		}
		if err := r.client.Get(r.Context(), at, r.blank("Person")); client.IgnoreNotFound(err) != nil || err == nil {
			r.Fatalf("%s is still there", at)
		}
		r.keys = append(r.keys[:i:i], r.keys[i+1:]...)
		after := r.cloud.Get(ada)
		if !isOwner && (after == nil || string(after.Body) != string(before.Body)) {
			r.Errorf("%s owned nothing, and after its deletion there is %+v", at, after)
		}
	}
	if r.cloud.Get(ada) != nil {
		r.Error("the resource is left outside")
	}
}

// TestRandomRivals draws events for three objects that mean one resource. In the end one of them
// owns it and the others wait. The deletion of an object that owns nothing does not change the
// resource.
func TestRandomRivals(t *testing.T) {
	for seed := *firstSeed; seed < *firstSeed+*sequences/2; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := &rivalry{world: newWorld(t), random: rand.New(rand.NewPCG(seed, 2))}
			if seed%2 == 1 {
				r.cloud.Untagged()
			}
			tenants(r.world, "a", "a")
			for i, name := range []string{"ada", "augusta"} {
				spec := named("ada")
				spec["location"] = fmt.Sprint("region", i)
				r.object("Person", name, spec)
				r.keys = append(r.keys, types.NamespacedName{Namespace: namespace, Name: name})
			}
			r.there("Person", "ada", person())
			r.keys = append(r.keys, types.NamespacedName{Namespace: apart, Name: "ada"})
			for range 25 {
				one, at := blows[r.random.IntN(len(blows))], r.keys[r.random.IntN(len(r.keys))]
				r.history = append(r.history, one.name+" of "+at.String())
				one.do(r, at)
			}
			if r.ends(); t.Failed() {
				t.Fatalf("after %q", r.history)
			}
		})
	}
}
