package reconciler_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/operator/reconciler"
)

// apart is another namespace.
const apart = "apart"

// there creates an object in another namespace, and the Secret of that namespace if it has
// values.
func (w *world) there(kind, name string, spec map[string]any, notes ...string) {
	w.Helper()
	u := w.blank(kind)
	u.SetNamespace(apart)
	u.SetName(name)
	u.SetUID(types.UID("uid-there-of-" + name))
	annotations := map[string]string{}
	for i := 0; i+1 < len(notes); i += 2 {
		annotations[notes[i]] = notes[i+1]
	}
	u.SetAnnotations(annotations)
	u.Object["spec"] = spec
	if err := w.client.Create(w.Context(), u); err != nil {
		w.Fatal(err)
	}
}

// secretThere creates the Secret of the other namespace.
func (w *world) secretThere(values ...string) {
	w.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: apart, Name: "strata-credentials"}, Data: map[string][]byte{}}
	for i := 0; i+1 < len(values); i += 2 {
		s.Data[values[i]] = []byte(values[i+1])
	}
	if err := w.client.Create(w.Context(), s); err != nil {
		w.Fatal(err)
	}
}

func (w *world) passThere(kind, name string) reconcile.Result {
	w.Helper()
	result, err := w.all[kind].Reconcile(w.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: apart, Name: name}})
	if err != nil {
		w.Fatal(err)
	}
	return result
}

// readyThere returns the condition Ready of an object in the other namespace.
func (w *world) readyThere(kind, name string) (c metav1.Condition) {
	w.Helper()
	for _, one := range conditionsOf(w, w.getThere(kind, name)) {
		if one.Type == reconciler.Ready {
			c = one
		}
	}
	return c
}

func (w *world) getThere(kind, name string) *unstructured.Unstructured {
	w.Helper()
	u := w.blank(kind)
	if err := w.client.Get(w.Context(), client.ObjectKey{Namespace: apart, Name: name}, u); err != nil {
		w.Fatal(err)
	}
	return u
}

// below returns the spec of a note whose owner is an identifier.
func below(id string) map[string]any {
	spec := note("")
	spec["owner"] = map[string]any{"armId": id}
	return spec
}

// goes fails the test unless the deletion of a person ends, or is held up.
func (w *world) goes(name string, isBlocked bool) {
	w.Helper()
	w.delete("Person", name)
	result := w.pass("Person", name)
	if w.isGone("Person", name) == isBlocked {
		w.Errorf("the object is gone: %t", !isBlocked)
	}
	if isBlocked {
		w.wants("Person", name, "False", "HasChildren")
		if result.RequeueAfter <= 0 || result.RequeueAfter > time.Minute {
			w.Errorf("it looks again after %v", result.RequeueAfter)
		}
	}
}

// tenants creates two namespaces with credentials.
func tenants(w *world, here, there string) {
	w.secret("strata-credentials", "AZURE_TENANT_ID", here)
	w.secretThere("AZURE_TENANT_ID", there)
}

// TestTenantsDoNotMeet covers two tenants with resources under the same identifiers. No object
// waits for, or blocks, one of the other tenant. If the provider cannot identify resources, only
// the credentials distinguish the tenants.
func TestTenantsDoNotMeet(t *testing.T) {
	for _, test := range []struct {
		reason      string
		poor        bool
		here, there string
		meets       bool
	}{
		{"two tenants", false, "a", "b", false},
		{"two tenants of a provider that tells less", true, "a", "b", false},
		{"one tenant with two Secrets", false, "a", "a", true},
		{"one tenant with two Secrets of a provider that tells less", true, "a", "a", true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			start := func(t *testing.T) *world {
				w := newWorld(t)
				if test.poor {
					w.cloud.Poor()
				}
				tenants(w, test.here, test.there)
				return w
			}
			t.Run("deleting", func(t *testing.T) {
				w := start(t)
				made(w)
				w.there("PersonsNote", "first", below(ada))
				w.passThere("PersonsNote", "first")
				if c := w.readyThere("PersonsNote", "first"); c.Status != "True" {
					t.Fatalf("the note is %+v", c)
				}
				w.goes("ada", test.meets)
			})
			t.Run("deleting, with a forged claim that names no tenant", func(t *testing.T) {
				w := start(t)
				made(w)
				const first = ada + "/notes/first"
				w.cloud.Put(first, byron)
				w.there("PersonsNote", "first", below(ada), annotation.Claim, `{"uid":"uid-there-of-first","key":"`+strings.ToLower(first)+`"}`, annotation.ID, first)
				w.goes("ada", test.meets && !test.poor) // a claim to an address names its Secret
			})
			t.Run("owning", func(t *testing.T) {
				for _, stale := range []bool{false, true} {
					w := start(t)
					w.stale = stale
					made(w, annotation.Adopt, "true")
					w.there("Person", "ada", person(), annotation.Adopt, "true")
					w.passThere("Person", "ada")
					c := w.readyThere("Person", "ada")
					if (c.Reason == reconciler.OwnedByAnother) != test.meets {
						t.Errorf("the other one is %+v", c)
					}
					w.pass("Person", "ada")
					w.wants("Person", "ada", "True", reconciler.Succeeded)
					w.delete("Person", "ada")
					w.pass("Person", "ada")
					if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
						t.Error("the resource is left to an object of another tenant")
					}
				}
			})
		})
	}
}

// TestTenantsAtTime makes a pass for one tenant while a pass for the other one is about to write
// its claim.
func TestTenantsAtTime(t *testing.T) {
	for there, meets := range map[string]bool{"a": true, "b": false} {
		w := newWorld(t)
		tenants(w, "a", there)
		w.object("Person", "ada", person(), annotation.Adopt, "true")
		w.there("Person", "ada", person(), annotation.Adopt, "true")
		w.writes = func(do func() error) error {
			w.writes = nil
			w.passThere("Person", "ada")
			return do()
		}
		w.pass("Person", "ada")
		if c := w.readyThere("Person", "ada"); (c.Reason == reconciler.OwnedByAnother) != meets {
			t.Errorf("the other one, of tenant %s, is %+v", there, c)
		}
	}
}

// TestTeamsOfTenant covers two teams with credentials of two subscriptions of one tenant. The
// identifiers name the subscription, so that both mean the same resources.
func TestTeamsOfTenant(t *testing.T) {
	w := newWorld(t)
	w.secret("strata-credentials", "AZURE_TENANT_ID", "a", "AZURE_SUBSCRIPTION_ID", "1")
	w.secretThere("AZURE_TENANT_ID", "a", "AZURE_SUBSCRIPTION_ID", "2")
	made(w)
	w.there("PersonsNote", "first", below("/subscriptions/1"+ada))
	w.passThere("PersonsNote", "first")
	if c := w.readyThere("PersonsNote", "first"); c.Status != "True" {
		t.Fatalf("the note is %+v", c)
	}
	w.goes("ada", true)
}

// TestParentOfAnotherTenantEnds covers a long deletion of an object of another tenant in the
// same namespace.
func TestParentOfAnotherTenantEnds(t *testing.T) {
	for tenant, want := range map[string]string{"a": "OwnerNotReady", "b": reconciler.Succeeded} {
		t.Run(tenant, func(t *testing.T) {
			w := newWorld(t)
			w.secret("strata-credentials", "AZURE_TENANT_ID", "a")
			w.secret("other", "AZURE_TENANT_ID", tenant)
			w.object("Person", "ada", person(), annotation.Credentials, "other")
			w.pass("Person", "ada")
			w.cloud.Before(failing("Delete", v2.Reason_REASON_UNAUTHORIZED))
			w.delete("Person", "ada")
			w.pass("Person", "ada")
			w.object("PersonsNote", "first", below(ada))
			result := w.pass("PersonsNote", "first")
			if c := w.condition("PersonsNote", "first", reconciler.Ready); c.Reason != want {
				t.Errorf("it is %+v, want %s", c, want)
			}
			if want == "OwnerNotReady" && (result.RequeueAfter <= 0 || result.RequeueAfter > time.Minute) {
				t.Errorf("it looks again after %v", result.RequeueAfter)
			}
		})
	}
}

// TestNamespacesDoNotWaitForEachOther covers a client that forges a claim to the parent of other
// objects, in its own namespace, and deletes it.
func TestNamespacesDoNotWaitForEachOther(t *testing.T) {
	w := newWorld(t)
	w.there("Person", "forged", named("else"), annotation.Claim, `{"uid":"uid-there-of-forged","id":"`+ada+`","key":"`+strings.ToLower(ada)+`"}`, annotation.ID, ada)
	u := w.getThere("Person", "forged")
	u.SetFinalizers([]string{annotation.Finalizer})
	if err := w.client.Update(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	if err := w.client.Delete(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	w.object("PersonsNote", "first", below(ada))
	w.pass("PersonsNote", "first")
	w.wants("PersonsNote", "first", "True", reconciler.Succeeded)
}

// TestProvidersDoNotMeet covers kinds of two providers whose identifiers are equal by chance.
func TestProvidersDoNotMeet(t *testing.T) {
	persons, notes := []string{"Microsoft.Crm/persons"}, []string{"Microsoft.Crm/persons/*"}
	for _, test := range []struct {
		reason  string
		entries []provider.Entry
		meets   bool
	}{
		{"one provider", []provider.Entry{{Name: fakeprovider.Name}}, true},
		{"one provider with two rates", []provider.Entry{{Name: fakeprovider.Name, Types: persons}, {Name: fakeprovider.Name, Types: notes, Rate: provider.Rate{PerSecond: 1000}}}, true},
		{"two configurations", []provider.Entry{{Name: fakeprovider.Name, Types: persons, Config: map[string]string{"a": "1"}}, {Name: fakeprovider.Name, Types: notes, Config: map[string]string{"a": "2"}}}, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			w.entries = test.entries
			w.restart()
			made(w)
			w.object("PersonsNote", "first", below(ada))
			w.pass("PersonsNote", "first")
			w.wants("PersonsNote", "first", "True", reconciler.Succeeded)
			w.goes("ada", test.meets)
		})
	}
}

// TestBlockersOfDeletions is a table over objects whose resources are below a person that is
// being deleted.
func TestBlockersOfDeletions(t *testing.T) {
	forged := func(id, target string) []string {
		return []string{annotation.Claim, `{"uid":"uid-there-of-first","id":"` + target + `","key":"` + strings.ToLower(target) + `"}`, annotation.ID, id}
	}
	const first = ada + "/notes/first"
	for _, test := range []struct {
		reason string
		child  func(*world)
		waits  bool
	}{
		{"one that was made", func(w *world) { w.object("PersonsNote", "first", note("ada")); w.pass("PersonsNote", "first") }, true},
		{"one that was never made", func(w *world) { w.object("PersonsNote", "first", note("ada")) }, false},
		{"one that was never made, with an identifier", func(w *world) { w.object("PersonsNote", "first", below(ada)) }, false},
		{"one that may have been made", func(w *world) {
			w.object("PersonsNote", "first", below(ada))
			w.cloud.Before(failing("Apply", v2.Reason_REASON_TRANSIENT))
			w.pass("PersonsNote", "first")
			w.cloud.Before(nil)
		}, true},
		{"one of another namespace", func(w *world) { w.there("PersonsNote", "first", below(ada)); w.passThere("PersonsNote", "first") }, true},
		{"one of another namespace that was never made", func(w *world) { w.there("PersonsNote", "first", below(ada)) }, false},
		{"one of another namespace that only looks", func(w *world) {
			w.cloud.Put(first, byron)
			w.there("PersonsNote", "first", below(ada), annotation.ReconcilePolicy, "observe")
			w.passThere("PersonsNote", "first")
		}, false},
		{"one of another namespace, while the API throttles", func(w *world) {
			w.there("PersonsNote", "first", below(ada))
			w.passThere("PersonsNote", "first")
			w.cloud.Before(func(c fakeprovider.Call) error {
				if c.ID == first {
					return fakeprovider.Fail(v2.Reason_REASON_THROTTLED, "later", 0)
				}
				return nil
			})
		}, true},
		{"a forged claim to what is not there", func(w *world) { w.there("PersonsNote", "first", below(ada), forged(first, first)...) }, false},
		{"a forged claim to what its credentials do not reach", func(w *world) {
			w.cloud.Put(first, byron)
			w.secretThere("AZURE_ACCESS_TOKEN", "b")
			w.there("PersonsNote", "first", below(ada), forged(first, first)...)
			w.cloud.Before(func(c fakeprovider.Call) error {
				if c.Token == "b" {
					return fakeprovider.Fail(v2.Reason_REASON_UNAUTHORIZED, "no", 0)
				}
				return nil
			})
		}, false},
		{"a forged claim whose credentials are not there", func(w *world) {
			w.cloud.Put(first, byron)
			w.there("PersonsNote", "first", below(ada), append(forged(first, first), annotation.Credentials, "none")...)
		}, false},
		{"a forged claim to something elsewhere", func(w *world) {
			w.cloud.Put("/Microsoft.Crm/persons/eve/notes/first", byron)
			w.there("PersonsNote", "first", below(ada), forged(first, "/Microsoft.Crm/persons/eve/notes/first")...)
		}, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			made(w)
			test.child(w)
			w.goes("ada", test.waits)
			if test.waits && strings.Contains(w.condition("Person", "ada", reconciler.Ready).Message, apart) {
				t.Errorf("it says %q", w.condition("Person", "ada", reconciler.Ready).Message)
			}
		})
	}
}

// TestParentAndChildDoNotWaitForEachOther creates a child while its parent is being deleted, and
// continues the deletion.
func TestParentAndChildDoNotWaitForEachOther(t *testing.T) {
	for reason, spec := range map[string]map[string]any{"by name": note("ada"), "by identifier": below(ada)} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			made(w)
			w.cloud.Before(failing("Delete", v2.Reason_REASON_TRANSIENT))
			w.delete("Person", "ada")
			w.pass("Person", "ada")
			w.object("PersonsNote", "first", spec)
			w.pass("PersonsNote", "first")
			w.wants("PersonsNote", "first", "False", "OwnerNotReady")
			w.cloud.Before(nil)
			w.pass("Person", "ada")
			if !w.isGone("Person", "ada") {
				t.Errorf("it waits: %+v", w.condition("Person", "ada", reconciler.Ready))
			}
		})
	}
}

// TestNamesOfOtherNamespaces checks that objects show no names of another namespace. The log of the
// operator, which its administrators read, names the owner.
func TestNamesOfOtherNamespaces(t *testing.T) {
	const private = "payroll-of-finance"
	w := newWorld(t)
	w.there("Person", private, named("ada"))
	w.passThere("Person", private)
	w.object("Person", "ada", person())
	if logged, err := w.logged("Person", "ada", 0); err != nil || !strings.Contains(logged, apart+"/"+private) {
		t.Errorf("the log does not name the owner (error %v):\n%s", err, logged)
	}
	w.wants("Person", "ada", "False", reconciler.OwnedByAnother)
	message := w.condition("Person", "ada", reconciler.Ready).Message + w.reported()
	if !strings.Contains(message, "an object in another namespace") {
		t.Errorf("it says %q", message)
	}
	w.edit("Person", "ada", func(u *unstructured.Unstructured) { // as earlier releases allowed
		u.SetAnnotations(map[string]string{annotation.Claim: "uid-of-ada", annotation.ID: ada})
		u.SetCreationTimestamp(metav1.NewTime(time.Now().Add(time.Hour)))
		u.SetFinalizers([]string{annotation.Finalizer})
	})
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	if message += w.reported(); !strings.Contains(message, reconciler.NotDeleted) {
		t.Errorf("it says %q", message)
	}
	w.there("PersonsNote", private, below(w.getThere("Person", private).GetAnnotations()[annotation.ID]))
	if strings.Contains(message, private) || strings.Contains(message, apart) {
		t.Errorf("it names an object of another namespace: %q", message)
	}
}

// TestTagsOfOtherNamespaces checks what an object shows of a resource with the mark of another
// namespace.
func TestTagsOfOtherNamespaces(t *testing.T) {
	w := newWorld(t)
	w.cloud.Marked()
	made(w)
	r := *w.cloud.Get(ada)
	r.Mark = "uid-of-byron finance/payroll"
	w.cloud.Put(ada, r)
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.OwnedByAnother)
	message := w.condition("Person", "ada", reconciler.Ready).Message + w.reported()
	if strings.Contains(message, "payroll") || !strings.Contains(message, annotation.Adopt+"=uid-of-byron") {
		t.Errorf("it says %q", message)
	}
}

// TestScopeStays covers a Secret of a claim that names less of the scope for a while.
func TestScopeStays(t *testing.T) {
	w := newWorld(t)
	w.secret("strata-credentials", "AZURE_TENANT_ID", "a")
	made(w)
	w.secret("strata-credentials", "AZURE_ACCESS_TOKEN", "opaque")
	w.edit("Person", "ada", func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(u.Object, "King", "spec", "properties", "familyName")
	})
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if scope := w.recorded("Person", "ada").Target.Scope; scope["tenant"] != "a" {
		t.Errorf("the claim has the scope %v", scope)
	}
	w.secret("strata-credentials", "AZURE_TENANT_ID", "b")
	w.restart()
	w.cloud.Forget()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.CredentialsChanged)
	if calls := w.cloud.Calls(""); len(calls) > 0 {
		t.Errorf("it made the calls %+v", calls)
	}
}

// TestTokenRotatesInPause changes the token of a Secret, as another program does, while its
// calls are paused.
func TestTokenRotatesInPause(t *testing.T) {
	w := newWorld(t)
	w.secret("strata-credentials", "AZURE_ACCESS_TOKEN", "1")
	made(w)
	w.cloud.Before(func(fakeprovider.Call) error {
		return fakeprovider.Fail(v2.Reason_REASON_THROTTLED, "later", time.Hour)
	})
	w.pass("Person", "ada")
	w.cloud.Before(nil)
	w.cloud.Forget()
	w.secret("strata-credentials", "AZURE_ACCESS_TOKEN", "2")
	w.pass("Person", "ada")
	if calls := w.cloud.Calls(""); len(calls) > 0 {
		t.Errorf("it made the calls %+v", calls)
	}
	if c := w.condition("Person", "ada", reconciler.Reachable); c.Reason != "Throttled" {
		t.Errorf("it is %+v", c)
	}
}

// TestChildOfEndingParentStays covers a parent that waits for its child, which remains in sync
// meanwhile.
func TestChildOfEndingParentStays(t *testing.T) {
	for reason, spec := range map[string]map[string]any{"by name": note("ada"), "by identifier": below(ada)} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			made(w)
			w.object("PersonsNote", "first", spec)
			w.pass("PersonsNote", "first")
			w.goes("ada", true)
			w.pass("PersonsNote", "first")
			w.wants("PersonsNote", "first", "True", reconciler.Succeeded)
		})
	}
}

// TestObjectsDoNotWaitForThemselves covers a person whose spec names itself as its owner, by the
// identifier.
func TestObjectsDoNotWaitForThemselves(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.edit("Person", "ada", func(u *unstructured.Unstructured) {
		u.Object["spec"].(map[string]any)["owner"] = map[string]any{"armId": ada}
	})
	w.goes("ada", false)
}
