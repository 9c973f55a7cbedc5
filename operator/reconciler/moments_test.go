package reconciler_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// withoutSecretThere deletes the Secret of the other namespace.
func (w *world) withoutSecretThere() {
	w.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: apart, Name: "strata-credentials"}}
	if err := w.client.Delete(w.Context(), s); err != nil {
		w.Fatal(err)
	}
}

// TestMissingSecretHoldsUpDeletion deletes the Secret of a child in another namespace, and
// creates it again or not. While it is missing, nothing is known about the child. It holds up the
// deletion of its parent for an hour, even after a restart.
func TestMissingSecretHoldsUpDeletion(t *testing.T) {
	for _, required := range []bool{true, false} {
		for _, restarts := range []bool{true, false} {
			for _, comesBack := range []bool{true, false} {
				w := newWorld(t)
				w.required = required
				w.cloud.Secured()
				w.restart()
				w.secret("strata-credentials", "AZURE_TENANT_ID", "a")
				made(w)
				w.secretThere("AZURE_TENANT_ID", "a")
				w.there("PersonsNote", "first", below(ada))
				w.passThere("PersonsNote", "first")
				if c := w.readyThere("PersonsNote", "first"); c.Status != "True" {
					t.Fatalf("the note is %+v", c)
				}
				w.withoutSecretThere()
				if restarts {
					w.restart()
				}
				w.goes("ada", true)
				if w.later = 59 * time.Minute; comesBack {
					w.secretThere("AZURE_TENANT_ID", "a")
				}
				w.pass("Person", "ada")
				w.wants("Person", "ada", "False", "HasChildren")
				w.later = 2 * time.Hour
				w.pass("Person", "ada")
				if w.isGone("Person", "ada") == comesBack {
					t.Errorf("required %t, restarts %t, comes back %t: the parent is gone %t", required, restarts, comesBack, !comesBack)
				}
			}
		}
	}
}

// TestMissingSecretOfEarlierOwner covers an owner in another namespace whose Secret is being
// replaced when another object appears that may adopt the resource.
func TestMissingSecretOfEarlierOwner(t *testing.T) {
	w := newWorld(t)
	w.secretThere("AZURE_TENANT_ID", "a")
	w.there("Person", "ada", person())
	w.passThere("Person", "ada")
	w.withoutSecretThere()
	w.restart()
	w.object("Person", "ada", person(), annotation.Adopt, "true")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.OwnedByAnother)
	w.secretThere("AZURE_TENANT_ID", "a")
	w.later = time.Minute
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.OwnedByAnother)
}

// repairs is a table over changes of the Secret of the other namespace, from the refused token b
// to a valid one.
var repairs = map[string]func(*world){
	"it is changed": func(w *world) {
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: apart, Name: "strata-credentials"}, Data: map[string][]byte{"AZURE_ACCESS_TOKEN": []byte("c")}}
		if err := w.client.Update(w.Context(), s); err != nil {
			w.Fatal(err)
		}
	},
	"it is made anew": func(w *world) {
		w.withoutSecretThere()
		w.secretThere("AZURE_ACCESS_TOKEN", "c")
	},
}

// TestRepairedSecretCountsAtOnce covers refused credentials of a child in another namespace, and
// of an earlier owner, that are then repaired. The earlier finding is no longer valid.
func TestRepairedSecretCountsAtOnce(t *testing.T) {
	for reason, repair := range repairs {
		t.Run("a child: "+reason, func(t *testing.T) {
			w := newWorld(t)
			made(w)
			w.secretThere("AZURE_ACCESS_TOKEN", "b")
			w.there("PersonsNote", "first", below(ada))
			w.passThere("PersonsNote", "first")
			w.cloud.Before(func(c fakeprovider.Call) error {
				switch {
				case c.Token == "b":
					return fakeprovider.Fail(v2.Reason_REASON_UNAUTHORIZED, "expired", 0)
				case c.Verb == "Delete":
					return fakeprovider.Fail(v2.Reason_REASON_CONFLICT, "busy", 0)
				}
				return nil
			})
			w.delete("Person", "ada")
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", "Conflict")
			repair(w)
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", "HasChildren")
		})
		t.Run("an owner: "+reason, func(t *testing.T) {
			w := newWorld(t)
			w.secretThere("AZURE_ACCESS_TOKEN", "b")
			w.there("Person", "ada", person())
			w.passThere("Person", "ada")
			w.deniesB(v2.Reason_REASON_UNAUTHORIZED)
			w.object("Person", "ada", person())
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", reconciler.Exists)
			repair(w)
			w.annotate("Person", "ada", annotation.Adopt, "true")
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", reconciler.OwnedByAnother)
		})
	}
}

// TestFindingIsOfOneMeaning covers an object that first means a resource of another tenant, and
// then the one that another object owns.
func TestFindingIsOfOneMeaning(t *testing.T) {
	w := newWorld(t)
	w.there("Person", "ada", person())
	w.secretThere("AZURE_TENANT_ID", "a", "AZURE_ACCESS_TOKEN", "theirs")
	w.passThere("Person", "ada")
	w.editThere("Person", "ada", func(u *unstructured.Unstructured) { // like a claim of an earlier release, which names no scope
		annotations := u.GetAnnotations()
		annotations[annotation.Claim] = fmt.Sprintf(`{"uid":"%s","id":"%s","key":"%s"}`, u.GetUID(), ada, strings.ToLower(ada))
		u.SetAnnotations(annotations)
	})
	w.secret("strata-credentials", "AZURE_TENANT_ID", "b")
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.Exists)
	w.secret("strata-credentials", "AZURE_TENANT_ID", "a")
	w.annotate("Person", "ada", annotation.Adopt, "true")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.OwnedByAnother)
}

// TestForgedClaimsReadFewSecrets covers many claims with a Secret each, to the resource of an
// object and to those below it. The provider cannot identify resources, so that only credentials
// distinguish tenants.
func TestForgedClaimsReadFewSecrets(t *testing.T) {
	const forged, most = 60, 80 // reads in one pass: at most a few for each of ten looks
	for _, kind := range []string{"Person", "PersonsNote"} {
		w := newWorld(t)
		w.keys = nil // a signed claim precedes forged ones, and examines none
		w.restart()
		w.cloud.Poor()
		w.secret("strata-credentials", "AZURE_TENANT_ID", "a")
		made(w)
		for i := range forged {
			name := fmt.Sprint("n", i)
			s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: apart, Name: name}, Data: map[string][]byte{"AZURE_TENANT_ID": []byte(name)}}
			if err := w.client.Create(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			id, address, key, spec := ada, `{"name":"ada"}`, "microsoft.crm/persons:/ada", person()
			if kind == "PersonsNote" {
				id, address, key, spec = ada+"/notes/"+name, `{"parent":"`+ada+`","name":"`+name+`"}`, "microsoft.crm/persons/notes:"+strings.ToLower(ada)+"/"+name, below(ada)
			}
			w.there(kind, name, spec, annotation.Credentials, name, annotation.ID, id, annotation.Place, address,
				annotation.Claim, `{"uid":"uid-there-of-`+name+`","since":"1970-01-01T00:00:00Z","key":"`+key+`","credentials":"`+name+`"}`)
		}
		w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.SetCreationTimestamp(metav1.NewTime(time.Now().Add(time.Hour))) })
		if kind == "PersonsNote" {
			w.delete("Person", "ada")
		}
		looked := 0
		for range 2 * forged / 10 {
			w.reads = 0
			result := w.pass("Person", "ada")
			if looked = max(looked, w.reads); w.reads > most {
				t.Fatalf("%s: %d reads of the API server in one pass", kind, w.reads)
			}
			if w.isGone("Person", "ada") {
				break
			}
			if kind == "PersonsNote" && result.RequeueAfter > 2*time.Second {
				t.Fatalf("the next pass is after %v", result.RequeueAfter)
			}
		}
		if looked < 10 {
			t.Errorf("%s: only %d reads: the test does not test what it should", kind, looked)
		}
		if isGone := w.isGone("Person", "ada"); isGone != (kind == "PersonsNote") {
			t.Errorf("%s: it is gone %t: %+v", kind, isGone, w.reported())
		} else if !isGone {
			w.wants("Person", "ada", "True", reconciler.Succeeded)
		}
	}
}

// TestCreateThatTakesEffectAfterDeletion is a table over creates of unknown outcome, at once
// followed by a deletion of the object, also after a restart. The operator deletes the resources
// that they create meanwhile, and nothing else.
func TestCreateThatTakesEffectAfterDeletion(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		for _, test := range []struct {
			reason string
			comes  func(w *world, sent *annotation.SentCreate)
			after  time.Duration
			isLeft bool
		}{
			{"it takes effect", func(w *world, sent *annotation.SentCreate) {
				w.cloud.Put(ada, fakeprovider.Resource{Version: sent.Version, Body: []byte(sent.Body)})
			}, 4 * time.Minute, false},
			{"it never does", func(*world, *annotation.SentCreate) {}, 6 * time.Minute, false},
			{"another client makes something else", func(w *world, _ *annotation.SentCreate) { w.cloud.Put(ada, byron) }, 4 * time.Minute, true},
			{"the user lets it go", func(w *world, _ *annotation.SentCreate) {
				w.annotate("Person", "ada", annotation.ReconcilePolicy, string(annotation.Detach))
			}, time.Second, false},
		} {
			t.Run(test.reason, func(t *testing.T) {
				w := newWorld(t)
				w.failsOnce("Apply", v2.Effect_EFFECT_POSSIBLE, v2.Reason_REASON_TRANSIENT)
				made(w)
				sent := w.recorded("Person", "ada").Sent
				w.delete("Person", "ada")
				for range 3 {
					if restarts {
						w.restart()
					}
					result := w.pass("Person", "ada")
					w.wants("Person", "ada", "False", reconciler.Deleting)
					if result.RequeueAfter > 15*time.Second {
						t.Errorf("the next look is after %v", result.RequeueAfter)
					}
				}
				test.comes(w, sent)
				w.later = test.after
				w.pass("Person", "ada")
				if !w.isGone("Person", "ada") || (w.cloud.Get(ada) != nil) != test.isLeft {
					t.Errorf("outside are %v, and the object is gone %t", w.cloud.IDs(), w.isGone("Person", "ada"))
				}
			})
		}
	}
}

// TestChangeThatTakesEffectAfterDeletion covers a change of unknown outcome that takes effect
// after the deletion of its resource, and so creates it again. An API with entity tags refuses
// such a change.
func TestChangeThatTakesEffectAfterDeletion(t *testing.T) {
	for _, hasTags := range []bool{false, true} {
		w := newWorld(t)
		if !hasTags {
			w.cloud.Nameless()
		}
		made(w)
		was := *w.cloud.Get(ada)
		w.cloud.Put(ada, byron)
		w.failsOnce("Apply", v2.Effect_EFFECT_POSSIBLE, v2.Reason_REASON_TRANSIENT)
		w.pass("Person", "ada")
		w.delete("Person", "ada")
		w.pass("Person", "ada")
		if w.isGone("Person", "ada") != hasTags || w.cloud.Get(ada) != nil {
			t.Fatalf("tags %t: the object is gone %t, and outside are %v", hasTags, w.isGone("Person", "ada"), w.cloud.IDs())
		}
		if hasTags {
			continue
		}
		w.cloud.Put(ada, was)
		w.later = time.Minute
		w.pass("Person", "ada")
		w.later = 6 * time.Minute
		w.pass("Person", "ada")
		if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
			t.Errorf("outside are %v, and the object is gone %t", w.cloud.IDs(), w.isGone("Person", "ada"))
		}
	}
}

// TestDeletionThatChangesEntityTag covers an API that deletes a resource at once, but shows
// it for a while with another entity tag and without a UID. It may belong to the object, which
// stays until that is clear. Nothing is deleted twice.
func TestDeletionThatChangesEntityTag(t *testing.T) {
	for _, test := range []struct {
		reason string
		polls  int
		facts  []*v1.Fact
		looks  int
		goes   bool
		isLeft bool
	}{
		{"and it goes", 0, nil, 4, true, false},
		{"by an operation, and it goes", 1, nil, 4, true, false},
		{"and it stays", 0, nil, 4, false, true},
		{"and it says that it is being deleted, and stays until it is deleted again", 0, []*v1.Fact{{Type: "Provisioned", Truth: v1.Truth_TRUTH_FALSE, Reason: "deleting"}}, 1, false, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			w.cloud.Poor()
			made(w)
			there := *w.cloud.Get(ada)
			w.cloud.Slow(test.polls, false)
			method := "Delete"
			if test.polls > 0 {
				method = "Poll"
			}
			shows := func() {
				if w.cloud.Get(ada) == nil {
					w.cloud.Meanwhile(method, nil)
					w.cloud.Put(ada, fakeprovider.Resource{Type: there.Type, Version: there.Version, Body: there.Body, Facts: test.facts})
				}
			}
			w.cloud.Meanwhile(method, shows)
			w.delete("Person", "ada")
			w.cloud.Forget()
			for range test.looks {
				w.pass("Person", "ada")
				w.wants("Person", "ada", "False", reconciler.Deleting)
			}
			if n := len(w.cloud.Calls("Delete")); n != 1 {
				t.Errorf("it was deleted %d times", n)
			}
			if test.goes {
				w.cloud.Remove(ada)
			}
			for range 6 {
				w.later += 10 * time.Second
				w.pass("Person", "ada")
			}
			if !w.isGone("Person", "ada") || (w.cloud.Get(ada) != nil) != test.isLeft {
				t.Errorf("outside are %v, and the object is gone %t", w.cloud.IDs(), w.isGone("Person", "ada"))
			}
			if reported := w.reported(); strings.Contains(reported, reconciler.NotDeleted) != test.isLeft {
				t.Errorf("it reported %q", reported)
			}
		})
	}
}

// TestResourceThatAnotherClientBroke covers a failed change of another client, after which the
// resource equals the object and does not work. The operator applies it again after each resync.
func TestResourceThatAnotherClientBroke(t *testing.T) {
	for _, works := range []bool{true, false} {
		w := newWorld(t)
		made(w)
		w.isOut(func(r *fakeprovider.Resource) { r.Facts = bad })
		if !works {
			w.cloud.Meanwhile("Apply", func() { w.isOut(func(r *fakeprovider.Resource) { r.Facts = bad }) })
		}
		w.cloud.Forget()
		for range 3 {
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", reconciler.NotProvisioned)
		}
		if n := len(w.mutations()); n != 0 {
			t.Errorf("it made %d calls at once", n)
		}
		for range 4 {
			w.later += 11 * time.Minute
			w.pass("Person", "ada")
			w.pass("Person", "ada")
		}
		if works {
			w.wants("Person", "ada", "True", reconciler.Succeeded)
		} else {
			w.wants("Person", "ada", "False", reconciler.NotProvisioned)
		}
		if n, want := len(w.mutations()), map[bool]int{true: 1, false: 4}[works]; n != want {
			t.Errorf("works %t: it was applied %d times, want %d", works, n, want)
		}
	}
}

// TestLooksTakeTime covers events that cause many observations within a moment, while a resource
// has another entity tag than the deleted one. They count as one.
func TestLooksTakeTime(t *testing.T) {
	w := newWorld(t)
	w.cloud.Poor()
	made(w)
	there := *w.cloud.Get(ada)
	w.cloud.Meanwhile("Delete", func() {
		w.cloud.Meanwhile("Delete", nil)
		w.cloud.Put(ada, fakeprovider.Resource{Type: there.Type, Version: there.Version, Body: there.Body})
	})
	w.delete("Person", "ada")
	begun := time.Now()
	for _, second := range []int{0, 0, 0, 1, 2, 5, 9, 9, 10, 19, 20, 29, 30, 39, 40, 50} {
		if w.isGone("Person", "ada") {
			t.Fatalf("the object is gone before second %d: %s", second, w.reported())
		}
		w.stands = begun.Add(time.Duration(second) * time.Second)
		w.pass("Person", "ada")
	}
	if !w.isGone("Person", "ada") || w.cloud.Get(ada) == nil {
		t.Errorf("the object is gone %t, and outside are %v", w.isGone("Person", "ada"), w.cloud.IDs())
	}
}
