package reconciler_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// byron is a resource of another client.
var byron = fakeprovider.Resource{Version: "2018-08-08", Body: []byte(`{"properties":{"familyName":"Byron"}}`)}

// named returns the spec of a person with a name in the external API.
func named(azureName string) map[string]any {
	spec := person()
	spec["azureName"] = azureName
	return spec
}

// secret creates or replaces a Secret. Without values it deletes the Secret.
func (w *world) secret(name string, values ...string) {
	w.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: uuid.NewUUID()}, Data: map[string][]byte{}}
	for i := 0; i+1 < len(values); i += 2 {
		s.Data[values[i]] = []byte(values[i+1])
	}
	if err := w.client.Delete(w.Context(), s.DeepCopy()); err != nil && !apierrors.IsNotFound(err) {
		w.Fatal(err)
	}
	if len(values) == 0 {
		return
	}
	if err := w.client.Create(w.Context(), s); err != nil {
		w.Fatal(err)
	}
}

// annotate sets an annotation.
func (w *world) annotate(kind, name, annotation, value string) {
	w.Helper()
	w.edit(kind, name, func(u *unstructured.Unstructured) {
		annotations := u.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[annotation] = value
		u.SetAnnotations(annotations)
	})
}

// mutations returns the calls that may change something.
func (w *world) mutations() (all []fakeprovider.Call) {
	return append(w.cloud.Calls("Apply"), w.cloud.Calls("Delete")...)
}

// isByron fails the test if a resource is no longer that of another client.
func (w *world) isByron(id string) {
	w.Helper()
	if r := w.cloud.Get(id); r == nil || string(r.Body) != string(byron.Body) {
		w.Errorf("the foreign resource %s is %+v", id, r)
	}
}

// applyFails makes each Apply fail.
func applyFails(has v2.Effect, reason v2.Reason) func(fakeprovider.Call) error {
	return func(c fakeprovider.Call) error {
		if c.Verb != "Apply" {
			return nil
		}
		return fakeprovider.FailAfter(has, reason, "it was not applied")
	}
}

// failsOnce makes the next call of a method fail, before or after its effect.
func (w *world) failsOnce(method string, has v2.Effect, reason v2.Reason) {
	isDone := false
	once := func(c fakeprovider.Call) error {
		if c.Verb != method || isDone {
			return nil
		}
		isDone = true
		return fakeprovider.FailAfter(has, reason, "the connection was cut")
	}
	w.cloud.Before(nil)
	w.cloud.After(nil)
	if has == effect.Certain {
		w.cloud.After(once)
	} else {
		w.cloud.Before(once)
	}
}

// TestClaimsNameResource covers a create that succeeded or has an unknown outcome. A change
// then makes the object mean another resource, which belongs to another client.
func TestClaimsNameResource(t *testing.T) {
	const first, second = "/subscriptions/1", "/subscriptions/2"
	for _, begun := range []struct {
		reason string
		fails  bool
	}{{"a create of unknown outcome", true}, {"a resource that is there", false}} {
		for _, test := range []struct {
			reason       string
			before, then func(*world)
			want         string
			keeps        bool // the resource cannot be deleted while that is so
		}{
			{"another parent in the configuration", func(w *world) { w.cloud.Root(first) }, func(w *world) { w.cloud.Root(second) }, reconciler.PlaceChanged, false},
			{
				"another subscription in the Secret",
				func(w *world) { w.secret("strata-credentials", "AZURE_SUBSCRIPTION_ID", "1") },
				func(w *world) { w.secret("strata-credentials", "AZURE_SUBSCRIPTION_ID", "2") }, reconciler.PlaceChanged, true,
			},
			{
				"the Secret is gone, and the provider has credentials of its own",
				func(w *world) { w.cloud.Secured(); w.secret("strata-credentials", "AZURE_SUBSCRIPTION_ID", "1") },
				func(w *world) { w.cloud.Root(second); w.secret("strata-credentials") }, "SecretNotFound", true,
			},
			{
				"the named Secret is named no more",
				func(w *world) {
					w.secret("mine", "AZURE_SUBSCRIPTION_ID", "1")
					w.annotate("Person", "ada", annotation.Credentials, "mine")
				},
				func(w *world) { w.cloud.Root(second); w.annotate("Person", "ada", annotation.Credentials, "") }, "SecretNotFound", true,
			},
			{
				"another tenant, in which the identifiers are the same",
				func(w *world) { w.cloud.Root(first); w.secret("strata-credentials", "AZURE_TENANT_ID", "a") },
				func(w *world) { w.secret("strata-credentials", "AZURE_TENANT_ID", "b"); w.cloud.Put(first+ada, byron) },
				reconciler.CredentialsChanged, true,
			},
		} {
			t.Run(begun.reason+", "+test.reason, func(t *testing.T) {
				w := newWorld(t)
				w.object("Person", "ada", person())
				test.before(w)
				w.cloud.Put(second+ada, byron)
				if begun.fails {
					w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
				}
				w.pass("Person", "ada")
				if m := w.recorded("Person", "ada"); !m.Owned || m.Target.ID != first+ada || m.Since.IsZero() || (m.Sent != nil) != begun.fails {
					t.Fatalf("the claim is %+v", m)
				}
				w.restart()
				test.then(w)
				w.cloud.Forget()
				w.pass("Person", "ada")
				w.wants("Person", "ada", "False", test.want)
				w.delete("Person", "ada")
				w.later = 6 * time.Minute // while the create may take effect
				w.pass("Person", "ada")
				w.isByron(second + ada)
				if w.isGone("Person", "ada") == test.keeps {
					t.Errorf("the object is gone: %t", !test.keeps)
				}
				for _, c := range w.mutations() {
					if test.keeps || c.ID != first+ada {
						t.Errorf("it made the call %+v", c)
					}
				}
				if test.keeps { // until the user decides about the resource
					w.annotate("Person", "ada", annotation.ReconcilePolicy, string(annotation.Detach))
					w.pass("Person", "ada")
				}
				if !w.isGone("Person", "ada") {
					t.Errorf("the object is still there: %+v", w.condition("Person", "ada", reconciler.Ready))
				}
			})
		}
	}
}

// TestOtherCredentialsCanBeAccepted moves an object to another tenant with the user's permission.
func TestOtherCredentialsCanBeAccepted(t *testing.T) {
	w := newWorld(t)
	w.secret("strata-credentials", "AZURE_TENANT_ID", "a")
	made(w)
	w.secret("strata-credentials", "AZURE_TENANT_ID", "b")
	w.annotate("Person", "ada", annotation.Adopt, "true") // as imported objects have it permanently
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.CredentialsChanged)
	w.annotate("Person", "ada", annotation.Adopt, annotation.WithCredentials)
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	w.annotate("Person", "ada", annotation.Adopt, "")
	w.restart()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
}

// TestUnfinishedClaims is a table over the outcome of a create, and the resource found afterwards.
func TestUnfinishedClaims(t *testing.T) {
	for _, test := range []struct {
		reason  string
		has     v2.Effect
		fail    v2.Reason
		holds   bool
		there   bool // another client creates the resource
		want    string
		creates int
	}{
		{"a call that may have had an effect, and had none", effect.Possible, v2.Reason_REASON_TRANSIENT, true, false, reconciler.Succeeded, 1},
		{"what is there is not what was sent", effect.Possible, v2.Reason_REASON_TRANSIENT, true, true, reconciler.Exists, 0},
		{"a call that took effect", effect.Certain, v2.Reason_REASON_TRANSIENT, true, false, reconciler.Succeeded, 1},
		{"a call that took effect and was not accepted", effect.Certain, v2.Reason_REASON_INVALID, true, false, reconciler.Succeeded, 1},
		{"throttling", effect.None, v2.Reason_REASON_THROTTLED, false, false, reconciler.Succeeded, 1},
		{"throttling, and another client is faster", effect.None, v2.Reason_REASON_THROTTLED, false, true, reconciler.Exists, 0},
		{"a refusal, and another client makes it", effect.None, v2.Reason_REASON_INVALID, false, true, reconciler.Exists, 0},
		{"no rights, and another client makes it", effect.None, v2.Reason_REASON_UNAUTHORIZED, false, true, reconciler.Exists, 0},
		{"a connection that never came about", effect.None, v2.Reason_REASON_TRANSIENT, false, true, reconciler.Exists, 0},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			w.object("Person", "ada", person())
			w.failsOnce("Apply", test.has, test.fail)
			w.pass("Person", "ada")
			object := w.get("Person", "ada")
			if m := annotation.Read(object); m.Owned != test.holds || m.ID != "" || (m.Sent != nil && m.Sent.Accepted) != (test.has == effect.Certain) || (len(object.GetFinalizers()) == 1) != test.holds {
				t.Errorf("the claim is %+v", m)
			}
			if test.there {
				w.cloud.Put(ada, byron)
			}
			w.restart()
			result := w.pass("Person", "ada")
			if after := result.RequeueAfter; test.there && test.holds && (after < 300*time.Millisecond || after > time.Second) {
				t.Errorf("what may not be complete yet is looked at after %v", after)
			}
			status := metav1.ConditionTrue
			if test.there {
				status = metav1.ConditionFalse
				w.isByron(ada)
			}
			w.wants("Person", "ada", status, test.want)
			if n := w.cloud.Creates(ada); n != test.creates {
				t.Errorf("it was made %d times", n)
			}
			w.delete("Person", "ada")
			w.pass("Person", "ada")
			if !w.isGone("Person", "ada") {
				t.Error("the object is still there")
			}
			if test.there {
				w.isByron(ada)
			} else if w.cloud.Get(ada) != nil {
				t.Error("the resource is still there")
			}
		})
	}
}

// TestSentResourcesAreFound covers a create that takes effect without an answer, and a spec that
// changes before the next observation.
func TestSentResourcesAreFound(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.cloud.After(func(c fakeprovider.Call) error {
		if c.Verb == "Apply" {
			return errors.New("the connection was cut")
		}
		return nil
	})
	w.pass("Person", "ada")
	w.cloud.After(nil)
	w.restart()
	w.edit("Person", "ada", func(u *unstructured.Unstructured) {
		u.Object["spec"].(map[string]any)["location"] = "north"
		u.SetGeneration(2)
	})
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if r := w.cloud.Get(ada); !strings.Contains(string(r.Body), "north") || w.cloud.Creates(ada) != 1 {
		t.Errorf("outside is %s", r.Body)
	}
	if n := len(w.cloud.Calls("Apply")); n != 2 {
		t.Errorf("there were %d applies", n)
	}
}

// TestRefusedRetryKeepsClaim covers a create of unknown outcome that takes effect late. It
// does so after the next process has observed nothing, and before the external API refuses that
// process's own create.
func TestRefusedRetryKeepsClaim(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
	w.pass("Person", "ada")
	sent := w.recorded("Person", "ada").Sent
	w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["location"] = "north" })
	w.restart()
	w.failsOnce("Apply", effect.None, v2.Reason_REASON_CONFLICT)
	w.pass("Person", "ada")
	m := w.recorded("Person", "ada")
	w.wants("Person", "ada", "False", "Conflict")
	if !m.Owned || m.Sent == nil || *m.Sent != *sent {
		t.Fatalf("the claim of the call before is %+v", m)
	}
	w.cloud.Put(ada, fakeprovider.Resource{Version: sent.Version, Body: []byte(sent.Body)})
	w.restart()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	if w.cloud.Get(ada) != nil {
		t.Error("the resource is left outside")
	}
}

// TestVanishedResourceIsClaimedAnew covers a resource of the object that disappears, a create
// that is refused, and another client that creates the resource.
func TestVanishedResourceIsClaimedAnew(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.cloud.Remove(ada)
	w.failsOnce("Apply", effect.None, v2.Reason_REASON_INVALID)
	w.pass("Person", "ada")
	if m := w.recorded("Person", "ada"); m.ID != "" {
		t.Errorf("it claims %+v", m)
	}
	w.cloud.Put(ada, byron)
	w.leavesByron()
}

// TestRefusedCreateProvesNothing covers a resource of the object that disappears, a create that is
// refused, and another client that creates an equal resource. The refused create has not made it:
// the operator neither takes nor deletes it.
func TestRefusedCreateProvesNothing(t *testing.T) {
	for _, isDeleted := range []bool{false, true} {
		w := newWorld(t)
		made(w)
		equal := fakeprovider.Resource{Type: w.cloud.Get(ada).Type, Version: w.cloud.Get(ada).Version, Body: w.cloud.Get(ada).Body}
		w.cloud.Remove(ada)
		w.failsOnce("Apply", effect.None, v2.Reason_REASON_INVALID)
		w.pass("Person", "ada")
		w.cloud.Put(ada, equal)
		w.cloud.Forget()
		if isDeleted {
			w.delete("Person", "ada")
		}
		w.restart()
		w.pass("Person", "ada")
		if calls := w.cloud.Calls("Apply"); len(calls) > 0 {
			t.Errorf("deleted %t: the resource of another client was applied: %+v", isDeleted, calls)
		}
		if w.cloud.Get(ada) == nil {
			t.Errorf("deleted %t: the resource of another client was deleted", isDeleted)
		}
		if !isDeleted {
			w.wants("Person", "ada", "False", reconciler.Exists)
			if m := w.recorded("Person", "ada"); m.ID != "" {
				t.Errorf("the object claims %+v", m)
			}
		}
	}
}

// TestCancelledCreateIsDeleted deletes an object while its create runs, and the service changes
// the resource meanwhile.
func TestCancelledCreateIsDeleted(t *testing.T) {
	w := newWorld(t)
	w.cloud.Slow(1, false)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	w.delete("Person", "ada")
	w.cloud.Slow(0, false)
	w.cloud.Meanwhile("Poll", func() { w.cloud.Put(ada, byron) }) // as a service that completes resources
	w.pass("Person", "ada")
	if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
		t.Errorf("outside are %v", w.cloud.IDs())
	}
}

// TestUnfinishedClaimIsReadAnew covers a process that reads an unfinished claim from a late
// cache, although its predecessor has finished it. The process must find that out without a
// conflict.
func TestUnfinishedClaimIsReadAnew(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
	w.pass("Person", "ada")
	frozen := w.get("Person", "ada")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	w.frozen = frozen
	w.restart()
	w.cloud.Forget()
	result := w.pass("Person", "ada")
	if calls := w.cloud.Calls(""); len(calls) != 1 || calls[0].Verb != "Observe" || result.RequeueAfter < time.Second {
		t.Errorf("it made the calls %+v, and goes on after %v", calls, result.RequeueAfter)
	}
}

// TestDeletingLooksFirst checks that the operator deletes only a resource that the claim proves
// to belong to the object.
func TestDeletingLooksFirst(t *testing.T) {
	foreign := "/Microsoft.Crm/persons/byron"
	for _, test := range []struct {
		reason      string
		annotations map[string]string
		deletes     string // the resource that is deleted
		stays       bool   // whether the object stays
	}{
		{"the resource that the object has made", nil, ada, false},
		{"the claim is that of another object, of which this is a copy", map[string]string{annotation.Claim: "uid-of-byron", annotation.ID: foreign}, "", false},
		{"in the newer form, too", map[string]string{annotation.Claim: `{"uid":"uid-of-byron","id":"` + foreign + `"}`, annotation.ID: foreign}, "", false},
		{"the claim names nothing", map[string]string{annotation.Claim: "uid-of-ada", annotation.ID: ""}, "", false},
		{"the identifier is of another type", map[string]string{annotation.Claim: "uid-of-ada", annotation.ID: "/Microsoft.Crm/parties/byron"}, "", true},
		{"the identifier climbs", map[string]string{annotation.Claim: "uid-of-ada", annotation.ID: "/Microsoft.Crm/persons/../byron"}, "", true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			w.cloud.Put(foreign, byron)
			w.cloud.Put("/Microsoft.Crm/parties/byron", byron)
			made(w)
			w.edit("Person", "ada", func(u *unstructured.Unstructured) {
				annotations := u.GetAnnotations()
				for name, value := range test.annotations {
					if annotations[name] = value; value == "" {
						delete(annotations, name)
					}
				}
				u.SetAnnotations(annotations)
			})
			if test.annotations != nil {
				w.cloud.Put(ada, byron)
			}
			w.restart()
			w.cloud.Forget()
			w.delete("Person", "ada")
			w.pass("Person", "ada")
			w.isByron(foreign)
			calls := w.cloud.Calls("")
			if len(calls) > 0 && calls[0].Verb != "Observe" || len(calls) > 0 && strings.Contains(test.annotations[annotation.Claim], "uid-of-byron") {
				t.Errorf("it made the calls %+v", calls)
			}
			deletes := w.cloud.Calls("Delete")
			if test.deletes == "" && len(deletes) > 0 || test.deletes != "" && (len(deletes) != 1 || deletes[0].ID != test.deletes) {
				t.Errorf("it made the calls %+v", deletes)
			}
			if w.isGone("Person", "ada") == test.stays {
				t.Errorf("the object stays: %t", !test.stays)
			}
		})
	}
}

// TestOneObjectOwnsResource creates two objects for one resource.
func TestOneObjectOwnsResource(t *testing.T) {
	for _, name := range []string{"ada", "ADA"} {
		w := newWorld(t)
		w.object("Person", "ada", person())
		w.object("Person", "augusta", named(name), annotation.Adopt, "true")
		w.pass("Person", "ada")
		for range 2 {
			w.restart()
			w.cloud.Forget()
			w.pass("Person", "augusta")
			w.wants("Person", "augusta", "False", reconciler.OwnedByAnother)
			if c := w.condition("Person", "augusta", reconciler.Ready); !strings.Contains(c.Message, "Person default/ada") {
				t.Errorf("it says %q", c.Message)
			}
			w.pass("Person", "ada")
			w.wants("Person", "ada", "True", reconciler.Succeeded)
			if calls := w.mutations(); len(calls) > 0 {
				t.Errorf("they made the calls %+v", calls)
			}
		}
		w.delete("Person", "ada")
		w.pass("Person", "ada")
		if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
			t.Error("the first object is deleted, and its resource is not")
		}
		w.pass("Person", "augusta")
		w.wants("Person", "augusta", "True", reconciler.Succeeded)
	}
}

// TestClaimPassesOnByDetaching detaches the first object from the resource.
func TestClaimPassesOnByDetaching(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person(), annotation.ReconcilePolicy, string(annotation.Detach))
	w.object("Person", "augusta", named("ada"), annotation.Adopt, "true")
	w.pass("Person", "ada")
	w.pass("Person", "augusta")
	w.wants("Person", "augusta", "False", reconciler.OwnedByAnother)
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	w.pass("Person", "augusta")
	w.wants("Person", "augusta", "True", reconciler.Succeeded)
	if n := w.cloud.Creates(ada); n != 1 {
		t.Errorf("it was made %d times", n)
	}
}

// TestTwoClaims covers two objects with a claim to one resource, as earlier releases allowed. The
// earlier claim counts, and the operator deletes the other object without the resource.
func TestTwoClaims(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.object("Person", "augusta", named("ada"))
	w.pass("Person", "ada")
	for _, name := range []string{"ada", "augusta"} {
		w.edit("Person", name, func(u *unstructured.Unstructured) {
			u.SetAnnotations(map[string]string{annotation.Claim: "uid-of-" + name, annotation.ID: ada})
			u.SetFinalizers([]string{annotation.Finalizer})
			if name == "augusta" {
				u.SetAnnotations(map[string]string{annotation.Claim: `{"uid":"uid-of-augusta","since":"2026-01-01T00:00:00Z"}`, annotation.ID: ada})
			}
		})
	}
	w.restart()
	w.cloud.Forget()
	w.pass("Person", "ada")
	w.pass("Person", "augusta")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	w.wants("Person", "augusta", "False", reconciler.OwnedByAnother)
	w.delete("Person", "augusta")
	w.pass("Person", "augusta")
	if !w.isGone("Person", "augusta") || w.cloud.Get(ada) == nil || len(w.cloud.Calls("Delete")) > 0 {
		t.Error("the resource of the first object is deleted with the second")
	}
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
}

// TestTwoClaimsAtTime covers two objects that claim an existing resource while the cache shows
// neither claim.
func TestTwoClaimsAtTime(t *testing.T) {
	w := newWorld(t)
	w.cloud.Put(ada, byron)
	w.object("Person", "ada", person(), annotation.Adopt, "true")
	w.object("Person", "augusta", named("ada"), annotation.Adopt, "true")
	w.stale = true
	w.pass("Person", "ada")
	w.pass("Person", "augusta")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	w.wants("Person", "augusta", "False", reconciler.OwnedByAnother)
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	w.pass("Person", "augusta")
	w.wants("Person", "augusta", "True", reconciler.Succeeded)
}

// TestProviderThatReportsLess uses a provider that neither identifies nor compares resources. The
// address replaces the identifier, and the status is compared.
func TestProviderThatReportsLess(t *testing.T) {
	for reason, found := range map[string]string{"what was sent": reconciler.Succeeded, "what another client has made": reconciler.Exists} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			w.cloud.Poor()
			w.object("Person", "ada", person())
			w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
			w.pass("Person", "ada")
			sent := w.recorded("Person", "ada").Sent
			there := fakeprovider.Resource{Version: sent.Version, Body: []byte(sent.Body)}
			if found == reconciler.Exists {
				there = byron
			}
			w.cloud.Put(ada, there)
			w.restart()
			w.pass("Person", "ada")
			status := metav1.ConditionTrue
			if found == reconciler.Exists {
				status = metav1.ConditionFalse
				w.isByron(ada)
			}
			w.wants("Person", "ada", status, found)
			w.object("Person", "augusta", named("ADA"), annotation.Adopt, "true")
			w.pass("Person", "augusta")
			w.wants("Person", "augusta", "False", reconciler.OwnedByAnother)
			w.delete("Person", "ada")
			w.pass("Person", "ada")
			if left := w.cloud.Get(ada) != nil; left != (found == reconciler.Exists) || !w.isGone("Person", "ada") {
				t.Errorf("the resource is left: %t", left)
			}
		})
	}
}

// TestChildrenByIdentifier deletes a person who has notes, in each form in which notes name the
// person.
func TestChildrenByIdentifier(t *testing.T) {
	byID := func(id string) map[string]any {
		return map[string]any{"originalVersion": "v20130303", "owner": map[string]any{"armId": id}, "properties": map[string]any{"text": "looms"}}
	}
	both := byID("/Microsoft.Crm/persons/adam")
	both["owner"].(map[string]any)["name"] = "ada" // the identifier counts
	for _, test := range []struct {
		reason  string
		spec    map[string]any
		waits   bool
		isMade  bool
		observe bool
		moves   bool // its spec names another owner then
	}{
		{"an imported note", byID(ada), true, true, false, false},
		{"one whose owner is written otherwise", byID(strings.ToUpper(ada) + "/"), true, true, false, false},
		{"one that is not made yet", byID(ada), false, false, false, false},
		{"one that is only looked at", byID(ada), true, true, true, false},
		{"one whose spec names another owner by now", byID(ada), true, true, false, true},
		{"one of another client", byID("/Microsoft.Crm/persons/adam"), false, true, false, false},
		{"one of another client, which names the person too", both, false, true, false, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			made(w)
			annotations := []string{annotation.Adopt, "true"}
			if test.observe {
				annotations = []string{annotation.ReconcilePolicy, string(annotation.Observe)}
				w.cloud.Put(ada+"/notes/first", byron)
			}
			w.object("PersonsNote", "first", test.spec, annotations...)
			if test.isMade {
				w.pass("PersonsNote", "first")
			}
			if test.moves {
				w.edit("PersonsNote", "first", func(u *unstructured.Unstructured) {
					u.Object["spec"].(map[string]any)["owner"] = map[string]any{"name": "nobody"}
				})
			}
			w.delete("Person", "ada")
			result := w.pass("Person", "ada")
			if !test.waits {
				if !w.isGone("Person", "ada") {
					t.Errorf("it waits: %+v", w.condition("Person", "ada", reconciler.Ready))
				}
				return
			}
			w.wants("Person", "ada", "False", "HasChildren")
			if c := w.condition("Person", "ada", reconciler.Ready); !strings.Contains(c.Message, "PersonsNote first") || result.RequeueAfter > time.Minute {
				t.Errorf("it says %q, and looks again after %v", c.Message, result.RequeueAfter)
			}
			w.delete("PersonsNote", "first")
			if test.isMade {
				w.pass("PersonsNote", "first")
			}
			w.pass("Person", "ada")
			if !w.isGone("Person", "ada") {
				t.Error("it waits for nobody")
			}
		})
	}
}

// TestChildrenByName deletes a person who has a note without an identifier: its create has no
// answer, and the provider identifies nothing.
func TestChildrenByName(t *testing.T) {
	w := newWorld(t)
	w.cloud.Poor()
	made(w)
	w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
	w.object("PersonsNote", "first", note("ada"))
	w.pass("PersonsNote", "first")
	if m := w.recorded("PersonsNote", "first"); !m.Owned || m.ID != "" || m.Target.ID != "" {
		t.Fatalf("the note has the marks %+v", m)
	}
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", "HasChildren")
	if w.cloud.Get(ada) == nil {
		t.Error("the person was deleted before the note")
	}
	w.object("PersonsNote", "second", note("bertha")) // of another person
	w.delete("PersonsNote", "first")
	w.later = 10 * time.Minute // until the create can take effect no more
	w.pass("PersonsNote", "first")
	w.pass("Person", "ada")
	if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
		t.Errorf("the person is still there: %+v", w.condition("Person", "ada", reconciler.Ready))
	}
}

// TestNoCreateBelowEndingParent creates a note for a person that is being deleted.
func TestNoCreateBelowEndingParent(t *testing.T) {
	for reason, owner := range map[string]map[string]any{"by name": {"name": "ada"}, "by identifier": {"armId": ada}} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			made(w)
			w.cloud.Before(failing("Delete", v2.Reason_REASON_UNAUTHORIZED))
			w.delete("Person", "ada")
			w.pass("Person", "ada")
			spec := note("ada")
			spec["owner"] = owner
			w.object("PersonsNote", "first", spec)
			w.pass("PersonsNote", "first")
			w.wants("PersonsNote", "first", "False", "OwnerNotReady")
			if len(w.cloud.IDs()) != 1 {
				t.Errorf("outside are %v", w.cloud.IDs())
			}
		})
	}
}

// TestAdoptingSendsSecrets adopts a resource that equals the object in all visible values.
func TestAdoptingSendsSecrets(t *testing.T) {
	w := newWorld(t)
	made(w)
	there := *w.cloud.Get(ada)
	w = newWorld(t)
	w.cloud.Put(ada, there)
	w.secret("keys", "password", "hunter22")
	w.object("Person", "ada", person(), annotation.Adopt, "true")
	w.frozen = w.get("Person", "ada") // since the worked example has no secrets, the API server here would drop them
	w.frozen.Object["spec"].(map[string]any)["secretRefs"] = []any{map[string]any{"path": "properties.password", "name": "keys", "key": "password"}}
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if r := w.cloud.Get(ada); r.Secrets["properties.password"] != "hunter22" {
		t.Errorf("outside are the secrets %v", r.Secrets)
	}
	if n := len(w.cloud.Calls("Apply")); n != 1 {
		t.Errorf("there were %d applies", n)
	}
}

// TestRequiredCredentials uses an operator that never uses its own credentials.
func TestRequiredCredentials(t *testing.T) {
	w := newWorld(t)
	w.required = true
	w.restart()
	w.object("Person", "ada", person())
	w.pass("Person", "ada") // the API requires no credentials
	w.wants("Person", "ada", "True", reconciler.Succeeded)

	w.cloud.Secured()
	w.object("Person", "augusta", person())
	w.pass("Person", "augusta")
	w.wants("Person", "augusta", "False", "SecretNotFound")
	if m := w.recorded("Person", "augusta"); m.Owned || len(w.cloud.Calls("Apply")) != 1 {
		t.Errorf("it claims %+v, and made the calls %+v", m, w.cloud.Calls("Apply"))
	}
	w.secret("strata-credentials", "AZURE_TENANT_ID", "a")
	w.pass("Person", "augusta")
	w.wants("Person", "augusta", "True", reconciler.Succeeded)
}

// TestNamespaceIsDeleted deletes the Secret with the credentials before the objects.
func TestNamespaceIsDeleted(t *testing.T) {
	for _, test := range []struct {
		reason      string
		restarts    bool
		terminating bool
		stays, gone bool // whether the object stays, and whether the resource is gone
	}{
		{"the process still knows the credentials", false, true, false, true},
		{"nobody knows them", true, true, false, false},
		{"only the Secret is deleted", false, false, true, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			w.cloud.Secured()
			home := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace, Finalizers: []string{"kubernetes"}}}
			if err := w.client.Create(t.Context(), home); err != nil {
				t.Fatal(err)
			}
			w.secret("strata-credentials", "AZURE_TENANT_ID", "a")
			made(w)
			if test.terminating {
				if err := w.client.Delete(t.Context(), home); err != nil {
					t.Fatal(err)
				}
			}
			w.secret("strata-credentials")
			if test.restarts {
				w.restart()
			}
			w.delete("Person", "ada")
			w.reported()
			w.pass("Person", "ada")
			if w.isGone("Person", "ada") == test.stays || (w.cloud.Get(ada) == nil) != test.gone {
				t.Errorf("the object is gone: %t; the resource: %t", w.isGone("Person", "ada"), w.cloud.Get(ada) == nil)
			}
			if reported := w.reported(); test.restarts && !strings.Contains(reported, "NotDeleted") || test.restarts && !strings.Contains(reported, ada) {
				t.Errorf("it reported %q", reported)
			}
			if test.stays {
				w.wants("Person", "ada", "False", "SecretNotFound")
			}
		})
	}
}

// reported returns the events so far.
func (w *world) reported() (all string) {
	for {
		select {
		case one := <-w.events.Events:
			all += one + "\n"
		default:
			return all
		}
	}
}

// TestMarkedResources covers an API that stores marks, and an operator of another cluster that uses
// it.
func TestMarkedResources(t *testing.T) {
	w := newWorld(t)
	w.cloud.Marked()
	made(w)
	r := *w.cloud.Get(ada)
	if !strings.HasPrefix(r.Mark, "uid-of-ada ") {
		t.Errorf("it is marked with %q", r.Mark)
	}
	r.Mark = "uid-of-byron there/byron"
	w.cloud.Put(ada, r)
	w.annotate("Person", "ada", annotation.Adopt, "true")
	w.cloud.Forget()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.OwnedByAnother)
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	if !w.isGone("Person", "ada") || w.cloud.Get(ada) == nil || len(w.mutations()) > 0 {
		t.Error("the resource of another cluster's object was changed")
	}
	w.object("Person", "augusta", named("ada"), annotation.Adopt, "true")
	w.pass("Person", "augusta")
	w.wants("Person", "augusta", "False", reconciler.OwnedByAnother)
	w.annotate("Person", "augusta", annotation.Adopt, "uid-of-byron")
	w.pass("Person", "augusta")
	w.wants("Person", "augusta", "True", reconciler.Succeeded)
}

// TestMarkProves covers a create of unknown outcome, whose resource another client has changed
// since.
func TestMarkProves(t *testing.T) {
	w := newWorld(t)
	w.cloud.Marked()
	w.object("Person", "ada", person())
	w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
	w.pass("Person", "ada")
	changed := byron
	changed.Mark = "uid-of-ada default/ada"
	w.cloud.Put(ada, changed)
	w.restart()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
}
