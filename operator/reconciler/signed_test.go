package reconciler_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/reconciler"
)

// forge writes a claim to ada to an object in the other namespace that is older than any other.
func (w *world) forge(name string, annotations map[string]string) {
	w.Helper()
	w.editThere("Person", name, func(u *unstructured.Unstructured) {
		u.SetCreationTimestamp(metav1.NewTime(time.Now().Add(-time.Hour)))
		u.SetAnnotations(annotations)
	})
}

// forgery is what a client writes to a forged object: with its UID, and older than all others.
func forgery(name string) map[string]string {
	return map[string]string{
		annotation.Claim: fmt.Sprintf(`{"uid":"uid-there-of-%s","id":"%s","key":"%s","since":"1970-01-01T00:00:00Z","made":"2999-01-01T00:00:00Z"}`, name, ada, strings.ToLower(ada)),
		annotation.ID:    ada,
	}
}

// keepsAda fails the test unless ada owns its resource, and the other object does nothing to it, in
// any order of passes, and also if the other one is deleted.
func (w *world) keepsAda(other string) {
	w.Helper()
	w.cloud.Forget()
	for i := range 4 {
		if i == 2 {
			w.restart()
		}
		w.passThere("Person", other)
		if c := w.readyThere("Person", other); c.Reason != reconciler.OwnedByAnother {
			w.Errorf("the other object is %s: %s", c.Reason, c.Message)
		}
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		w.later += 11 * time.Minute
	}
	if err := w.client.Delete(w.Context(), w.getThere("Person", other)); err != nil {
		w.Fatal(err)
	}
	w.passThere("Person", other)
	if changes := w.mutations(); w.cloud.Get(ada) == nil || len(changes) > 0 {
		w.Errorf("the resource of ada is changed: %+v", changes)
	}
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
}

// TestSignedClaimPrecedesWritesOfClients covers two namespaces that share the credentials of the
// operator. A client writes a claim to an object that is older, and whose spec means the resource.
func TestSignedClaimPrecedesWritesOfClients(t *testing.T) {
	for reason, annotations := range map[string]func(*world) map[string]string{
		"a claim without a signature": func(*world) map[string]string { return forgery("old") },
		"a signature of another object": func(w *world) map[string]string {
			annotations := forgery("old")
			annotations[annotation.Signature] = w.get("Person", "ada").GetAnnotations()[annotation.Signature]
			return annotations
		},
		"all annotations of another object, with its UID replaced": func(w *world) map[string]string {
			annotations := maps.Clone(w.get("Person", "ada").GetAnnotations())
			annotations[annotation.Claim] = strings.ReplaceAll(annotations[annotation.Claim], "uid-of-ada", "uid-there-of-old")
			return annotations
		},
		"a signature with an unknown key": func(*world) map[string]string {
			annotations := forgery("old")
			annotations[annotation.Signature] = "none:AAAA"
			return annotations
		},
		"an empty signature of a key": func(*world) map[string]string {
			annotations := forgery("old")
			annotations[annotation.Signature] = "first:"
			return annotations
		},
		"a create that is sent": func(w *world) map[string]string {
			annotations := forgery("old")
			delete(annotations, annotation.ID)
			annotations[annotation.Sent] = `{"digest":"d","version":"2018-08-08","accepted":true,"at":"` + w.now().UTC().Format(time.RFC3339) + `"}`
			return annotations
		},
	} {
		for _, isAdopted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, adopted %t", reason, isAdopted), func(t *testing.T) {
				w := newWorld(t)
				if isAdopted {
					w.object("Person", "first", named("ada"))
					w.pass("Person", "first")
					w.annotate("Person", "first", annotation.ReconcilePolicy, string(annotation.Detach))
					w.delete("Person", "first")
					w.pass("Person", "first")
				}
				made(w, annotation.Adopt, fmt.Sprint(isAdopted))
				w.there("Person", "old", named("ada"))
				w.forge("old", annotations(w))
				w.keepsAda("old")
			})
		}
	}
}

// TestForgedCreateProvesNothing covers a create whose answer is lost with the process. An object
// of another namespace has a forged claim with an equal create.
func TestForgedCreateProvesNothing(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.cloud.After(func(c fakeprovider.Call) error {
		if c.Verb == "Apply" {
			w.writes = func(func() error) error { return errForbidden }
		}
		return nil
	})
	_, _ = w.try("Person", "ada")
	w.cloud.After(nil)
	w.writes = nil
	w.restart()
	if m := w.recorded("Person", "ada"); m.ID != "" || m.Sent == nil || w.cloud.Get(ada) == nil {
		t.Fatalf("it is %+v", m)
	}
	w.there("Person", "old", named("ada"))
	annotations := maps.Clone(w.get("Person", "ada").GetAnnotations())
	annotations[annotation.Claim] = strings.ReplaceAll(annotations[annotation.Claim], "uid-of-ada", "uid-there-of-old")
	w.forge("old", annotations)
	w.passThere("Person", "old")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	w.keepsAda("old")
}

// TestSignedClaimThatIsEditedIsSignedNoMore covers an object that has made a resource of its own,
// and whose spec and claim a client then changes to those of another object. It is a table over the
// annotations that the client edits; the others remain, with the signature.
func TestSignedClaimThatIsEditedIsSignedNoMore(t *testing.T) {
	covered := []string{annotation.Claim, annotation.ID, annotation.Place}
	for edits := 1; edits < 1<<len(covered); edits++ {
		for _, removes := range []bool{false, true} {
			var edited []string
			for i, name := range covered {
				if edits&(1<<i) != 0 {
					edited = append(edited, name)
				}
			}
			t.Run(fmt.Sprintf("%v, removed %t", edited, removes), func(t *testing.T) {
				w := newWorld(t)
				w.there("Person", "old", named("else"))
				w.passThere("Person", "old")
				if !w.keys.Read(w.getThere("Person", "old")).Signed {
					t.Fatal("the claim is not signed")
				}
				made(w)
				w.editThere("Person", "old", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["azureName"] = "ada" })
				annotations := maps.Clone(w.getThere("Person", "old").GetAnnotations())
				for _, name := range edited {
					if removes {
						delete(annotations, name)
						continue
					}
					was := annotations[name]
					if annotations[name] = strings.ReplaceAll(strings.ReplaceAll(was, "persons/else", "persons/ada"), `"else"`, `"ada"`); annotations[name] == was {
						t.Fatalf("%s has nothing to edit: %s", name, was)
					}
				}
				w.forge("old", annotations)
				if w.keys.Read(w.getThere("Person", "old")).Signed {
					t.Error("the edited claim counts as signed")
				}
				w.restart()
				w.touchesNothing("old")
			})
		}
	}
}

// touchesNothing fails the test unless ada keeps its resource, whatever the other object, which is
// not Ready, does, and whether it is deleted.
func (w *world) touchesNothing(other string) {
	w.Helper()
	w.cloud.Forget()
	for i := range 4 {
		if i == 2 {
			w.restart()
		}
		w.passThere("Person", other)
		if c := w.readyThere("Person", other); c.Status != metav1.ConditionFalse {
			w.Errorf("the other object is %s %s: %s", c.Status, c.Reason, c.Message)
		}
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		w.later += 11 * time.Minute
	}
	if err := w.client.Delete(w.Context(), w.getThere("Person", other)); err != nil {
		w.Fatal(err)
	}
	for range 3 {
		w.passThere("Person", other)
		w.later += 11 * time.Minute
	}
	for _, change := range w.mutations() {
		if change.ID == ada {
			w.Errorf("the resource of ada is changed: %+v", change)
		}
	}
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
}

// TestOldSignatureIsNoNewerClaim covers an object that had the resource, and gave it up by an
// edit of its annotations. When another object has made the resource, a client puts the old
// annotations back, with their valid signature.
func TestOldSignatureIsNoNewerClaim(t *testing.T) {
	w := newWorld(t)
	w.there("Person", "old", named("ada"))
	w.passThere("Person", "old")
	annotations := w.getThere("Person", "old").GetAnnotations()
	w.forge("old", nil)
	w.restart()
	w.cloud.Remove(ada)
	w.later = time.Minute
	made(w)
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	w.forge("old", annotations)
	w.restart()
	w.keepsAda("old")
}

// TestClaimOfEarlierReleaseIsSigned covers claims that no operator has signed, and claims of a
// key that is lost or replaced. The first pass signs a claim, unless another object has one too.
func TestClaimOfEarlierReleaseIsSigned(t *testing.T) {
	for reason, test := range map[string]struct {
		before, after []string
		isSame        bool // the claim is as old as before
	}{
		"an earlier release": {nil, []string{"second"}, false},
		"a lost key":         {[]string{"first"}, []string{"second"}, false},
		"a key that joins":   {[]string{"first"}, []string{"first", "second"}, true},
	} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			if w.keys = nil; len(test.before) > 0 {
				w.keys = keysOf(t, test.before...)
			}
			w.restart()
			made(w)
			was := w.recorded("Person", "ada")
			w.keys = keysOf(t, test.after...)
			w.restart()
			w.cloud.Forget()
			w.later = time.Minute
			w.pass("Person", "ada")
			w.wants("Person", "ada", "True", reconciler.Succeeded)
			if changes := w.mutations(); len(changes) > 0 {
				t.Errorf("it changes the resource: %+v", changes)
			}
			object := w.get("Person", "ada")
			is := keysOf(t, "second").Read(object)
			if !is.Signed || is.ID != was.ID || is.Since.Equal(was.Since) != test.isSame {
				t.Errorf("it was %+v, and is %+v with %v", was, is, object.GetAnnotations())
			}
			written := w.made
			w.pass("Person", "ada")
			if w.made != written {
				t.Errorf("another pass makes %d writes", w.made-written)
			}
			w.there("Person", "old", named("ada"))
			w.forge("old", forgery("old"))
			w.keepsAda("old")
		})
	}
}

// TestNoOwnerWithoutSignature covers a lost key, and a forged claim that is there already.
// Neither object touches the resource, whatever is deleted, until a user decides.
func TestNoOwnerWithoutSignature(t *testing.T) {
	for _, isForgerFirst := range []bool{false, true} {
		w := newWorld(t)
		made(w)
		w.there("Person", "old", named("ada"))
		w.forge("old", forgery("old"))
		w.keys = keysOf(t, "second")
		w.restart()
		w.cloud.Forget()
		if isForgerFirst {
			w.passThere("Person", "old")
		}
		w.pass("Person", "ada")
		w.passThere("Person", "old")
		w.wants("Person", "ada", "False", reconciler.OwnedByAnother)
		if c := w.readyThere("Person", "old"); c.Reason != reconciler.OwnedByAnother {
			t.Errorf("the other object is %s: %s", c.Reason, c.Message)
		}
		if err := w.client.Delete(w.Context(), w.getThere("Person", "old")); err != nil {
			t.Fatal(err)
		}
		w.passThere("Person", "old")
		if changes := w.mutations(); len(changes) > 0 || w.cloud.Get(ada) == nil {
			t.Errorf("the resource is changed: %+v", changes)
		}
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		w.delete("Person", "ada")
		w.pass("Person", "ada")
		if w.cloud.Get(ada) != nil {
			t.Errorf("the resource is left: %s", w.reported())
		}
	}
}

// TestObjectOfBackupIsAnotherObject covers an object that is created again in another cluster,
// with all its annotations and the same key. Its UID differs, so that it has no claim.
func TestObjectOfBackupIsAnotherObject(t *testing.T) {
	w := newWorld(t)
	made(w)
	annotations := w.get("Person", "ada").GetAnnotations()
	other := newWorld(t)
	other.cloud.Put(ada, *w.cloud.Get(ada))
	other.there("Person", "ada", person())
	other.editThere("Person", "ada", func(u *unstructured.Unstructured) { u.SetAnnotations(annotations) })
	other.passThere("Person", "ada")
	if c := other.readyThere("Person", "ada"); c.Reason != reconciler.Exists {
		t.Errorf("it is %+v", c)
	}
	other.editThere("Person", "ada", func(u *unstructured.Unstructured) {
		u.SetAnnotations(map[string]string{annotation.Adopt: "true"})
	})
	other.passThere("Person", "ada")
	if c := other.readyThere("Person", "ada"); c.Status != metav1.ConditionTrue || !other.keys.Read(other.getThere("Person", "ada")).Signed {
		t.Errorf("it is %+v", c)
	}
}

// TestUnclearOwnerKeepsItsResource covers a forged claim while the external API answers nothing
// about the resource of the object that has the signed one.
func TestUnclearOwnerKeepsItsResource(t *testing.T) {
	w := newWorld(t)
	w.secretThere("AZURE_ACCESS_TOKEN", "theirs")
	w.there("Person", "old", named("ada"))
	w.passThere("Person", "old")
	silence["calls fail"](w)
	w.object("Person", "ada", person())
	w.edit("Person", "ada", func(u *unstructured.Unstructured) {
		u.SetCreationTimestamp(metav1.NewTime(time.Now().Add(-time.Hour)))
		annotations := forgery("ada")
		annotations[annotation.Claim] = strings.ReplaceAll(annotations[annotation.Claim], "uid-there-of-ada", "uid-of-ada")
		u.SetAnnotations(annotations)
	})
	w.cloud.Forget()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.OwnedByAnother)
	w.later = 61 * time.Minute
	w.pass("Person", "ada")
	if w.options.Keys.Read(w.get("Person", "ada")).Signed {
		t.Error("the forged claim is signed, although that of the other object may count")
	}
}

// TestClaimThatIsMadeUnreadableComesBack covers a client that replaces the claim by one that was
// not written to the object. The operator has the claim in memory.
func TestClaimThatIsMadeUnreadableComesBack(t *testing.T) {
	for _, text := range []string{"{}", "{", "-", `{"uid":"another"}`} {
		w := newWorld(t)
		made(w)
		was := w.recorded("Person", "ada")
		w.annotate("Person", "ada", annotation.Claim, text)
		w.cloud.Forget()
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		if is := w.options.Keys.Read(w.get("Person", "ada")); is.ID != was.ID || !is.Signed || len(w.mutations()) > 0 {
			t.Errorf("%s: it was %+v, and is %+v, after %+v", text, was, is, w.mutations())
		}
	}
}
