package reconciler_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// silence makes the note of another namespace unknown: its calls fail, or its credentials come
// from a source that does not run.
var silence = map[string]func(*world){
	"calls fail": func(w *world) {
		w.cloud.Before(func(c fakeprovider.Call) error {
			if c.Token == "theirs" {
				return fakeprovider.Fail(v2.Reason_REASON_TRANSIENT, "no answer", 0)
			}
			return nil
		})
	},
	"the source of its token does not run": func(w *world) {
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: apart, Name: "strata-credentials"}}
		if err := w.client.Delete(w.Context(), s); err != nil {
			w.Fatal(err)
		}
		w.secretThere("source", "not.running/now")
	},
}

// TestSilenceHoldsUpDeletion covers an existing note of another namespace about which nothing
// can be learned, from before the deletion of its parent, or after an observation. It holds up
// the deletion for an hour, since no user could end that otherwise.
func TestSilenceHoldsUpDeletion(t *testing.T) {
	for reason, silent := range silence {
		for _, isFound := range []bool{false, true} {
			t.Run(reason, func(t *testing.T) {
				w := newWorld(t)
				made(w)
				w.secretThere("AZURE_ACCESS_TOKEN", "theirs")
				w.there("PersonsNote", "first", below(ada))
				w.passThere("PersonsNote", "first")
				if c := w.readyThere("PersonsNote", "first"); c.Status != "True" {
					t.Fatalf("the note is %+v", c)
				}
				from := time.Duration(0)
				if isFound {
					w.delete("Person", "ada")
					from = 24 * time.Hour
					w.later = from
					w.pass("Person", "ada")
					silent(w)
				} else {
					silent(w)
					w.goes("ada", true)
				}
				for _, after := range []time.Duration{time.Minute, 59 * time.Minute} {
					w.later = from + after
					w.pass("Person", "ada")
					w.wants("Person", "ada", "False", "HasChildren")
				}
				w.later = from + 61*time.Minute
				w.pass("Person", "ada")
				if !w.isGone("Person", "ada") {
					t.Errorf("it is held up: %+v", w.condition("Person", "ada", reconciler.Ready))
				}
			})
		}
	}
}

// TestSilenceHoldsUpNothingForEver covers a claim forged long before, in a namespace whose
// credentials never work.
func TestSilenceHoldsUpNothingForEver(t *testing.T) {
	for reason, silent := range silence {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			made(w)
			w.secretThere("AZURE_ACCESS_TOKEN", "theirs")
			const id = ada + "/notes/n"
			w.there("PersonsNote", "n", below(ada), annotation.Claim, `{"uid":"uid-there-of-n","id":"`+id+`","key":"`+id+`"}`, annotation.ID, id)
			silent(w)
			w.delete("Person", "ada")
			w.later = 24 * time.Hour
			w.restart()
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", "HasChildren") // this process cannot know that the note never existed
			w.later += 61 * time.Minute
			w.pass("Person", "ada")
			if !w.isGone("Person", "ada") {
				t.Errorf("it is held up: %+v", w.condition("Person", "ada", reconciler.Ready))
			}
		})
	}
}

// TestSilenceAfterRestartHoldsUpDeletion covers a deletion that waits for a child of another
// namespace for long. The operator restarts while calls for the child fail.
func TestSilenceAfterRestartHoldsUpDeletion(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.secretThere("AZURE_ACCESS_TOKEN", "theirs")
	w.there("PersonsNote", "first", below(ada))
	w.passThere("PersonsNote", "first")
	w.delete("Person", "ada")
	w.later = 5 * time.Hour
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", "HasChildren")
	w.restart()
	silence["calls fail"](w)
	w.later += time.Minute
	w.pass("Person", "ada")
	if w.isGone("Person", "ada") || w.cloud.Get(ada) == nil {
		t.Error("the parent was deleted, though the child was there a minute before")
	}
}

// TestEachChildHasItsHour covers two notes of another namespace, whose calls begin to fail one
// after the other. Each holds up the deletion of the parent for an hour.
func TestEachChildHasItsHour(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.secretThere("AZURE_ACCESS_TOKEN", "theirs")
	w.there("PersonsNote", "first", below(ada))
	w.passThere("PersonsNote", "first")
	silence["calls fail"](w)
	w.goes("ada", true)
	w.cloud.Before(nil)
	w.there("PersonsNote", "second", below(ada))
	w.passThere("PersonsNote", "second")
	silence["calls fail"](w)
	w.later = 50 * time.Minute
	w.pass("Person", "ada")
	for _, after := range []time.Duration{61 * time.Minute, 109 * time.Minute} {
		w.later = after
		w.pass("Person", "ada")
		w.wants("Person", "ada", "False", "HasChildren")
	}
	w.later = 111 * time.Minute
	w.pass("Person", "ada")
	if !w.isGone("Person", "ada") {
		t.Errorf("it is held up: %+v", w.condition("Person", "ada", reconciler.Ready))
	}
}

// TestNewChildrenHoldUpNothingForEver covers a client that forges a claim every half hour after
// the deletion began, in a namespace whose credentials never work.
func TestNewChildrenHoldUpNothingForEver(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.secretThere("AZURE_ACCESS_TOKEN", "theirs")
	silence["calls fail"](w)
	forge := func(name string) {
		id := ada + "/notes/" + name
		w.there("PersonsNote", name, below(ada), annotation.Claim, `{"uid":"uid-there-of-`+name+`","id":"`+id+`","key":"`+id+`"}`, annotation.ID, id)
		u := w.getThere("PersonsNote", name)
		u.SetCreationTimestamp(metav1.NewTime(time.Now().Add(time.Hour)))
		if err := w.client.Update(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	forge("n0")
	w.goes("ada", true)
	for i := range 2 {
		w.later += 31 * time.Minute
		forge(fmt.Sprint("n", i+1))
		w.pass("Person", "ada")
	}
	if !w.isGone("Person", "ada") {
		t.Errorf("it is held up: %+v", w.condition("Person", "ada", reconciler.Ready))
	}
}
