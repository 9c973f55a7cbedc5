package reconciler_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestRecreatedResourcesStay covers another client that creates a resource with the same
// identifier as soon as the old one is deleted. The last rows are for external APIs without UIDs
// or entity tags.
func TestRecreatedResourcesStay(t *testing.T) {
	const (
		uids     = "UIDs"
		etags    = "entity tags"
		nameless = "neither"
	)
	for _, test := range []struct {
		tells, reason string
		polls         int
		fails         string // the method that fails once, after its effect
		isLeft        bool
	}{
		{uids, "a delete at once", 0, "", true},
		{uids, "a delete whose answer is lost", 0, "Delete", true},
		{uids, "an operation", 2, "", true},
		{uids, "an operation, and then a process that ends before it looks", 2, "Observe", true},
		{etags, "a delete at once", 0, "", true},
		{etags, "an operation", 2, "", true},
		{etags, "a delete whose answer is lost", 0, "Delete", false},
		{nameless, "a delete at once", 0, "", false},
		{nameless, "an operation", 2, "", false},
	} {
		t.Run(test.tells+", "+test.reason, func(t *testing.T) {
			w := newWorld(t)
			switch test.tells {
			case etags:
				w.cloud.Poor()
			case nameless:
				w.cloud.Nameless()
			}
			made(w)
			w.cloud.Slow(test.polls, false)
			method, isDone := "Delete", false
			if test.polls > 0 {
				method = "Poll"
			}
			w.cloud.Meanwhile(method, func() {
				if isDone || w.cloud.Get(ada) != nil {
					return
				}
				isDone = true
				w.cloud.Put(ada, byron)
				if test.fails == "Observe" {
					w.failsOnce("Observe", v2.Effect_EFFECT_POSSIBLE, v2.Reason_REASON_TRANSIENT)
				}
			})
			if test.fails == "Delete" {
				isCut := false
				w.cloud.After(func(c fakeprovider.Call) error {
					if c.Verb != "Delete" || isCut {
						return nil
					}
					isCut = true
					return errors.New("the connection was cut")
				})
			}
			w.delete("Person", "ada")
			w.reported()
			for range 8 {
				w.later += 10 * time.Second
				w.pass("Person", "ada")
				if isDone && test.fails == "Observe" {
					w.restart()
				}
			}
			if !isDone || !w.isGone("Person", "ada") || (w.cloud.Get(ada) != nil) != test.isLeft {
				t.Errorf("outside are %v", w.cloud.IDs())
			}
			if reported := w.reported(); strings.Contains(reported, reconciler.NotDeleted) != test.isLeft {
				t.Errorf("it reported %q", reported)
			}
		})
	}
}

// TestDeleteThatFailsIsTriedAgain covers a failed delete during which the entity tag changes:
// the resource is still the same.
func TestDeleteThatFailsIsTriedAgain(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.cloud.Slow(9, false)
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	w.cloud.Put(ada, byron) // changes the entity tag
	w.cloud.Slow(0, false)
	w.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_INVALID})
	w.pass("Person", "ada")
	w.cloud.Before(nil)
	w.pass("Person", "ada")
	if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
		t.Errorf("outside are %v: %s", w.cloud.IDs(), w.reported())
	}
}

// TestReplacedResourceIsLeftAlone covers another client that replaces a resource before its
// object is deleted.
func TestReplacedResourceIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.cloud.Remove(ada)
	w.cloud.Put(ada, byron)
	w.restart()
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	w.isByron(ada)
	if reported := w.reported(); !w.isGone("Person", "ada") || !strings.Contains(reported, reconciler.NotDeleted) {
		t.Errorf("it reported %q", reported)
	}
}

// TestMarkedResourceIsDeletedAgain covers a resource with the mark of the object that exists
// after the delete, as after a late create of the object.
func TestMarkedResourceIsDeletedAgain(t *testing.T) {
	w := newWorld(t)
	w.cloud.Marked()
	made(w)
	late := byron
	late.Mark = w.cloud.Get(ada).Mark
	w.cloud.Meanwhile("Delete", func() {
		w.cloud.Meanwhile("Delete", nil)
		w.cloud.Put(ada, late)
	})
	w.delete("Person", "ada")
	for range 2 {
		w.pass("Person", "ada")
	}
	if w.cloud.Get(ada) != nil || !w.isGone("Person", "ada") {
		t.Errorf("outside are %v: %s", w.cloud.IDs(), w.reported())
	}
}

// TestDeleteThatHasEndedIsForgotten covers a delete whose operation ends without deleting the
// resource, and a next delete that fails. The operator does not poll the ended operation again.
func TestDeleteThatHasEndedIsForgotten(t *testing.T) {
	w := newWorld(t)
	made(w)
	there := *w.cloud.Get(ada)
	w.cloud.Slow(1, false)
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	w.cloud.Meanwhile("Poll", func() { w.cloud.Put(ada, there) })
	w.failsAll(map[string]v2.Reason{"Delete": v2.Reason_REASON_TRANSIENT})
	w.pass("Person", "ada")
	if m := w.recorded("Person", "ada"); m.Operation != nil {
		t.Errorf("it remembers %+v", m.Operation)
	}
	w.cloud.Before(nil)
	w.cloud.Meanwhile("Poll", nil)
	for range 3 {
		w.pass("Person", "ada")
	}
	if w.cloud.Get(ada) != nil || !w.isGone("Person", "ada") {
		t.Errorf("outside are %v", w.cloud.IDs())
	}
}

// TestEntityTagAloneProvesNoOther covers a delete that the API accepts and that then fails, in
// an API without UIDs. The resource remains, with another entity tag.
func TestEntityTagAloneProvesNoOther(t *testing.T) {
	w := newWorld(t)
	w.cloud.Poor()
	made(w)
	there := *w.cloud.Get(ada)
	w.cloud.Meanwhile("Delete", func() {
		w.cloud.Meanwhile("Delete", nil)
		w.cloud.Put(ada, there)
	})
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.Deleting)
	w.cloud.Put(ada, fakeprovider.Resource{Type: there.Type, Version: there.Version, Body: there.Body, Facts: bad}) // the delete has failed
	for range 4 {
		w.pass("Person", "ada")
	}
	if w.cloud.Get(ada) != nil {
		t.Errorf("the resource of the object is left outside, and the object is gone %t: %s", w.isGone("Person", "ada"), w.reported())
	}
}

// TestReplacedResourceIsNotChanged covers another client that replaces a resource between two
// observations. Since the UID differs, the operator does not change the resource until the user
// adopts it or it is deleted.
func TestReplacedResourceIsNotChanged(t *testing.T) {
	for reason, test := range map[string]struct {
		then func(*world)
		want string
	}{
		"the user adopts it": {func(w *world) { w.annotate("Person", "ada", annotation.Adopt, "true") }, "True"},
		"it is gone":         {func(w *world) { w.cloud.Remove(ada) }, "True"},
		"it stays":           {func(*world) {}, "False"},
	} {
		for _, restarts := range []bool{false, true} {
			w := newWorld(t)
			w.cloud.Untagged()
			made(w)
			w.cloud.Remove(ada)
			w.cloud.Put(ada, byron)
			w.cloud.Forget()
			for range 3 {
				if restarts {
					w.restart()
				}
				w.pass("Person", "ada")
				w.wants("Person", "ada", "False", reconciler.Exists)
			}
			if calls := w.mutations(); len(calls) > 0 {
				t.Errorf("%s: there were %v", reason, calls)
			}
			w.isByron(ada)
			test.then(w)
			w.pass("Person", "ada")
			if c := w.condition("Person", "ada", reconciler.Ready); string(c.Status) != test.want {
				t.Errorf("%s: it is %+v", reason, c)
			}
			w.delete("Person", "ada")
			w.pass("Person", "ada")
			if isLeft := w.cloud.Get(ada) != nil; !w.isGone("Person", "ada") || isLeft != (test.want == "False") {
				t.Errorf("%s: the object is gone %t, and outside are %v", reason, w.isGone("Person", "ada"), w.cloud.IDs())
			}
		}
	}
}
