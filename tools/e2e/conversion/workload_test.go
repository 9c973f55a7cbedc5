package conversion_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// workload is many objects of one kind, with clients that continuously read and edit them through
// all versions. Only one client edits each object, so that its expected values are known.
type workload struct {
	view
	texts []atomic.Pointer[string] // what was written last, by number of the object; nil for what it was created with

	failures atomic.Int64 // of clients, except for requests that are refused with Retry-After
	done     atomic.Int64
	patient  atomic.Bool // failures are tried again and not complained of
}

const editors, readers = 2, 2

// pause is how long a client waits after each thing that it does. The webhook is in use all the
// time nevertheless, and the machine has time for other tests; with STRATA_SOAK clients do not
// wait.
func pause() {
	if !tier.IsSoak() {
		time.Sleep(100 * time.Millisecond)
	}
}

func name(i int) string { return fmt.Sprintf("one-%d", i) }

// newWorkload creates objects with all properties.
func newWorkload(p view, size int) *workload {
	p.t.Helper()
	c := &workload{view: p, texts: make([]atomic.Pointer[string], size)}
	const creators = 8
	var all sync.WaitGroup
	for creator := range creators {
		all.Go(func() {
			for i := creator; i < size; i += creators {
				_, err := p.Through(p.kind.latest()).Create(p.t.Context(), p.kind.of(p.kind.latest(), name(i)), metav1.CreateOptions{})
				if err != nil {
					p.t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	return c
}

// use lets clients use the objects until ctx is done, and returns what waits for the last of them.
func (c *workload) use(ctx context.Context) (wait func()) {
	var all sync.WaitGroup
	for editor := range editors {
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				i := rand.IntN(len(c.texts)/editors)*editors + editor
				c.try(ctx, func() error { return c.edit(i, fmt.Sprintf("00000000-0000-0000-%04d-%012d", editor, n)) })
				pause()
			}
		})
	}
	for range readers {
		all.Go(func() {
			for ctx.Err() == nil {
				version := c.kind.Versions[rand.IntN(len(c.kind.Versions))]
				c.try(ctx, func() error { return c.read(version, rand.IntN(len(c.texts))) })
				pause()
			}
		})
	}
	return all.Wait
}

// try repeats do until it succeeds. It waits if the API server asks for that, and counts every
// other failure. The context is that of the workload: a call that has begun is completed.
func (c *workload) try(ctx context.Context, do func() error) {
	for {
		err := do()
		if err == nil {
			c.done.Add(1)
			return
		}
		switch {
		case apierrors.IsTooManyRequests(err):
		case c.patient.Load():
			c.failures.Add(1)
		default:
			c.failures.Add(1)
			c.t.Errorf("a client of %s: %v", c.kind.name, err)
			return
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-c.t.Context().Done():
			return
		}
	}
}

// edit writes a text through some version. Where it is not known whether an edit before got
// through, this one does the same.
func (c *workload) edit(i int, text string) error {
	version := c.kind.Versions[rand.IntN(len(c.kind.Versions))]
	object, err := c.Through(version).Get(c.t.Context(), name(i), metav1.GetOptions{})
	if err != nil {
		return err
	}
	if len(c.kind.lacks(version, object)) > 0 {
		return fmt.Errorf("%s through %s lacks %v", name(i), version, c.kind.lacks(version, object))
	}
	if err := unstructured.SetNestedField(object.Object, text, c.kind.text...); err != nil {
		return err
	}
	c.texts[i].Store(&text)
	_, err = c.Through(version).Update(c.t.Context(), object, metav1.UpdateOptions{})
	return err
}

// read reads an object, which must be there as a whole.
func (c *workload) read(version string, i int) error {
	object, err := c.Through(version).Get(c.t.Context(), name(i), metav1.GetOptions{})
	if err != nil || version != c.kind.latest() {
		return err
	}
	want := c.kind.filled(version, "spec")
	text, _, _ := unstructured.NestedString(object.Object, c.kind.text...)
	if err := unstructured.SetNestedField(want, text, c.kind.text[1:]...); err != nil {
		return err
	}
	if diff := cmp.Diff(want, object.Object["spec"]); diff != "" {
		return fmt.Errorf("%s through %s (-want +got):\n%s", name(i), version, diff)
	}
	return nil
}

// check compares all objects with their expected values.
func (c *workload) check() {
	c.t.Helper()
	list, err := c.Through(c.kind.Hub).List(c.t.Context(), metav1.ListOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	if len(list.Items) != len(c.texts) {
		c.t.Errorf("there are %d objects of %d", len(list.Items), len(c.texts))
	}
	found := map[string]*unstructured.Unstructured{}
	for i := range list.Items {
		found[list.Items[i].GetName()] = &list.Items[i]
	}
	for i := range c.texts {
		object := found[name(i)]
		if object == nil {
			c.t.Errorf("%s is lost", name(i))
			continue
		}
		want := &unstructured.Unstructured{Object: map[string]any{"spec": c.kind.filled(c.kind.latest(), "spec")}}
		if text := c.texts[i].Load(); text != nil {
			set(c.t, want, *text, c.kind.text...)
		}
		if diff := cmp.Diff(want.Object["spec"], content(object)["spec"]); diff != "" {
			c.t.Errorf("%s (-want +got):\n%s", name(i), diff)
		}
	}
}

// remove deletes all objects.
func (c *workload) remove(t testing.TB) {
	t.Helper()
	if err := c.Through(c.kind.Hub).DeleteCollection(shared.Afterwards(t), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
}
