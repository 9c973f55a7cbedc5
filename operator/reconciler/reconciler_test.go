package reconciler_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/operator/reconciler"
	"github.com/stratakube/strata/runtime"
)

// TestResourceIsMade follows a resource from its creation to Ready: one pass, three writes, and
// no unnecessary calls.
func TestResourceIsMade(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	counts := counting(t)
	w.pass("Person", "ada")

	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if w.made != 3 {
		t.Errorf("it took %d writes, want a claim, an identifier and a status", w.made)
	}
	if got := *counts; got != (conversions{spec: 1, status: 1}) {
		t.Errorf("it took the conversions %+v, want one of the spec and one of the status, each alone", got)
	}
	r := w.cloud.Get(ada)
	if r == nil || r.Version != "2018-08-08" || string(r.Body) != `{"location":"westeurope","properties":{"familyName":"Lovelace","legalName":"Augusta Ada King"}}` {
		t.Fatalf("outside is %+v", r)
	}
	if calls := w.cloud.Calls("Apply"); len(calls) != 1 || !calls[0].CreateOnly {
		t.Errorf("it was applied by %+v, want one call that only makes", calls)
	}
	object := w.get("Person", "ada")
	if m := annotation.Read(object); !m.Owned || m.ID != ada || m.Applied == "" {
		t.Errorf("it is remembered as %+v", m)
	}
	if address, _, _ := unstructured.NestedString(object.Object, "status", "location"); address != "westeurope" {
		t.Errorf("the status is %v", object.Object["status"])
	}
	if all := conditionsOf(t, object); len(all) != 1 {
		t.Errorf("its conditions are %+v, want Ready alone", all)
	}

	w.made, *counts = 0, conversions{}
	w.cloud.Forget()
	w.pass("Person", "ada")
	if calls := w.cloud.Calls(""); len(calls) != 1 || calls[0].Verb != "Observe" || w.made != 0 {
		t.Errorf("a second pass made the calls %+v and %d writes, want a look", calls, w.made)
	}
	if got := *counts; got != (conversions{spec: 1}) {
		t.Errorf("a second pass took the conversions %+v, want the spec alone", got)
	}
}

type conversions struct{ whole, spec, status int }

func (c *conversions) Observe(runtime.Event) {}

func (c *conversions) Count(part runtime.Part) {
	switch part {
	case runtime.WholeObject:
		c.whole++
	case runtime.SpecAlone:
		c.spec++
	case runtime.StatusAlone:
		c.status++
	}
}

func counting(t *testing.T) *conversions {
	c := &conversions{}
	runtime.SetObserver(c)
	t.Cleanup(func() { runtime.SetObserver(nil) })
	return c
}

// TestCrashes ends the operator before and after each of its writes, and continues with a new
// process. No resource may be created twice, and the result must be the same as without a crash.
func TestCrashes(t *testing.T) {
	crash := apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("the process has ended")) // not repeated
	for _, polls := range []int{0, 2} {
		for after := range 5 {
			for _, written := range []bool{false, true} {
				t.Run(fmt.Sprintf("polls %d, write %d, written %t", polls, after, written), func(t *testing.T) {
					w := newWorld(t)
					w.cloud.Slow(polls, false)
					w.object("Person", "ada", person())
					left, dead := after, false
					w.writes = func(do func() error) error {
						if dead {
							return crash
						}
						if left--; left >= 0 {
							return do()
						}
						if dead = true; written {
							_ = do() // the result is lost
						}
						return crash
					}
					for range 6 {
						_, _ = w.try("Person", "ada")
						if dead {
							break
						}
					}
					w.writes = nil
					w.restart()
					for range 6 {
						_, _ = w.try("Person", "ada")
					}
					w.wants("Person", "ada", "True", reconciler.Succeeded)
					if got := w.cloud.Creates(ada); got != 1 {
						t.Errorf("it was made %d times", got)
					}
					if m := w.recorded("Person", "ada"); m.ID != ada || m.Operation != nil {
						t.Errorf("it is remembered as %+v", m)
					}
				})
			}
		}
	}
}

// TestUnknownOutcome covers calls that take effect without an answer.
func TestUnknownOutcome(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	lost := false
	w.cloud.After(func(c fakeprovider.Call) error {
		if c.Verb == "Apply" && !lost {
			lost = true
			return errors.New("the connection was cut")
		}
		return nil
	})
	result := w.pass("Person", "ada")
	w.wants("Person", "ada", "False", "Failed")
	if result.RequeueAfter <= 0 || result.RequeueAfter > 100*1e6 {
		t.Errorf("it is tried again after %v", result.RequeueAfter)
	}
	w.restart()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if calls := w.cloud.Calls("Apply"); len(calls) != 1 || w.cloud.Creates(ada) != 1 {
		t.Errorf("it was applied by %+v, and what is there is as it should be", calls)
	}
}

// TestExistingResourcesAreNotOurs is a table over resources that exist before an object.
func TestExistingResourcesAreNotOurs(t *testing.T) {
	foreign := fakeprovider.Resource{Version: "2018-08-08", Body: []byte(`{"properties":{"familyName":"Byron"}}`)}
	for _, test := range []struct {
		reason      string
		annotations []string
		before      func(*world)
		want        string
		status      metav1.ConditionStatus
		touched     bool
	}{
		{"what another client has made is left alone", nil, nil, reconciler.Exists, "False", false},
		{"it is adopted if the user allows it", []string{annotation.Adopt, "true"}, nil, reconciler.Succeeded, "True", true},
		{"only the word true says so", []string{annotation.Adopt, "yes"}, nil, reconciler.Exists, "False", false},
		{"it is looked at if that is the policy", []string{annotation.ReconcilePolicy, "observe"}, nil, reconciler.Observed, "True", false},
		{"the claim of another object that was copied is none", []string{annotation.Claim, "uid-of-byron", annotation.ID, ada}, nil, reconciler.Exists, "False", false},
		{"a claim of its own that names nothing proves nothing", []string{annotation.Claim, "uid-of-ada"}, nil, reconciler.Exists, "False", false},
		{"nor does one that names the resource", []string{annotation.Claim, `{"uid":"uid-of-ada","id":"` + ada + `","key":"` + strings.ToLower(ada) + `"}`}, nil, reconciler.Exists, "False", false},
		{"an identifier without a claim is none", []string{annotation.ID, ada}, nil, reconciler.Exists, "False", false},
		{
			"a claim that names another resource stalls",
			[]string{annotation.Claim, `{"uid":"uid-of-ada","id":"/Microsoft.Crm/persons/byron","key":"/microsoft.crm/persons/byron"}`, annotation.ID, "/Microsoft.Crm/persons/byron"},
			nil, reconciler.PlaceChanged, "False", false,
		},
		{"a slip in the policy changes nothing", []string{annotation.ReconcilePolicy, "adopt"}, nil, "PolicyUnknown", "False", false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			w.cloud.Put(ada, foreign)
			w.object("Person", "ada", person(), test.annotations...)
			w.pass("Person", "ada")
			w.wants("Person", "ada", test.status, test.want)
			if touched := !strings.Contains(string(w.cloud.Get(ada).Body), "Byron"); touched != test.touched {
				t.Errorf("it is %s", w.cloud.Get(ada).Body)
			}
			if test.status == "False" {
				if c := w.condition("Person", "ada", reconciler.Stalled); c.Status != "True" {
					t.Errorf("it is not stalled: %+v", c)
				}
			}
		})
	}
}

// TestResourcesInSyncAreNotChanged adopts a resource that is in sync, like imported ones. From then
// on the operator keeps it in sync.
func TestResourcesInSyncAreNotChanged(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	made := *w.cloud.Get(ada)

	w = newWorld(t)
	w.cloud.Put(ada, made)
	w.object("Person", "ada", person(), annotation.Adopt, "true")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	w.pass("Person", "ada")
	if n := len(w.cloud.Calls("Apply")); n != 0 {
		t.Errorf("it was applied %d times", n)
	}
	w.cloud.Put(ada, fakeprovider.Resource{Version: made.Version, Body: []byte(`{"properties":{"familyName":"Byron"}}`)})
	w.pass("Person", "ada")
	if n := len(w.cloud.Calls("Apply")); n != 1 {
		t.Errorf("after it drifted, it was applied %d times", n)
	}
}

// TestAnotherClientWasFaster covers another client that creates the resource between the
// observation and the call.
func TestAnotherClientWasFaster(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.cloud.Before(applyFails(effect.None, v2.Reason_REASON_CONFLICT))
	w.cloud.Meanwhile("Apply", func() { w.cloud.Put(ada, byron) })
	w.pass("Person", "ada")
	w.cloud.Before(nil)
	w.wants("Person", "ada", "False", reconciler.Exists)
	if m := w.recorded("Person", "ada"); m.Owned {
		t.Errorf("it holds what it did not make: %+v", m)
	}
	w.restart()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.Exists)
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	if !w.isGone("Person", "ada") || w.cloud.Get(ada) == nil {
		t.Error("deleting the object should let it go, and leave the resource alone")
	}
}

// TestProcessThatLeadsNoMore covers a create that is refused because another process, which now
// leads, has created the resource and has not stored that yet. The claim belongs to that process,
// and remains.
func TestProcessThatLeadsNoMore(t *testing.T) {
	w := newWorld(t)
	w.stands = time.Now() // so that only the process distinguishes the two claims
	w.object("Person", "ada", person())
	before := w.all["Person"]
	w.restart()
	request := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: "ada"}}
	applies := 0
	w.cloud.Before(func(c fakeprovider.Call) error {
		if c.Verb != "Apply" {
			return nil
		}
		if applies++; applies > 1 {
			return nil
		}
		return fakeprovider.FailAfter(effect.None, v2.Reason_REASON_CONFLICT, "it exists")
	})
	writes, tookBack, refused, holder := 0, false, error(nil), ""
	w.writes = func(do func() error) (err error) {
		if writes++; writes != 2 {
			return do()
		}
		holder = w.recorded("Person", "ada").Holder
		// The first process is about to remove the claim. The other process continues until the
		// first write after its call.
		w.writes = func(other func() error) error {
			if w.cloud.Get(ada) != nil && !tookBack {
				if is := w.recorded("Person", "ada").Holder; holder == "" || is == "" || is == holder {
					t.Errorf("the claim names the process %q after %q, want another process", is, holder)
				}
				tookBack, err = true, do()
				refused = err
			}
			return other()
		}
		w.pass("Person", "ada")
		return err
	}
	if _, err := before.Reconcile(t.Context(), request); err != nil {
		t.Error(err)
	}
	if w.writes = nil; !tookBack {
		t.Error("nobody tried to take the claim back")
	}
	if !apierrors.IsConflict(refused) {
		t.Errorf("taking back the claim of another process ends with %v, want a conflict", refused)
	}
	if object := w.get("Person", "ada"); len(object.GetFinalizers()) != 1 || !annotation.Read(object).Owned {
		t.Errorf("the claim is gone: %v, %v", object.GetFinalizers(), object.GetAnnotations())
	}
	w.restart() // so that nothing is in memory
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if m := w.recorded("Person", "ada"); !m.Owned || m.ID != ada {
		t.Errorf("it remembers %+v", m)
	}
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
		t.Error("the resource is left outside")
	}
}

// TestOutputs is a table over requests for outputs in an annotation.
func TestOutputs(t *testing.T) {
	for _, test := range []struct {
		reason, note, want string
		given              string
	}{
		{"a value that is called for is put where it is wanted", `[{"path":"listKeys().key1","name":"keys","key":"k"}]`, reconciler.Succeeded, "key of " + ada},
		{"as in spec.outputs", `{"secrets":[{"name":"keys","key":"k","from":"listKeys().key1"}]}`, reconciler.Succeeded, "key of " + ada},
		{"a value of the status", `{"secrets":[{"name":"keys","key":"k","from":"properties.familyName"}]}`, reconciler.Succeeded, "Lovelace"},
		{"two values for one key, of which the first counts", `{"secrets":[{"name":"keys","key":"k","from":"listKeys().key1"},{"name":"keys","key":"k","from":"location"}]}`, "OutputsUnreadable", "key of " + ada},
		{"what goes outside stands in specs", `[{"path":"properties.password","name":"keys","key":"k"}]`, "OutputsUnreadable", ""},
		{"a Secret is needed", `[{"path":"listKeys().key1","key":"k"}]`, "OutputsUnreadable", ""},
		{"no list and no object", `7`, "OutputsUnreadable", ""},
		{"a slip in a name", `[{"path":"listKeys().key1","secret":"keys","key":"k"}]`, "OutputsUnreadable", ""},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			w.object("Person", "ada", person(), annotation.Outputs, test.note)
			w.pass("Person", "ada")
			status := metav1.ConditionFalse
			if test.want == reconciler.Succeeded {
				status = metav1.ConditionTrue
			}
			w.wants("Person", "ada", status, test.want)
			var secret corev1.Secret
			err := w.client.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: "keys"}, &secret)
			if got := string(secret.Data["k"]); got != test.given {
				t.Errorf("the Secret has %q (%v), want %q", got, err, test.given)
			}
		})
	}
}

// TestOutputsAreAskedFor counts how often the operator requests values: only if one is missing.
func TestOutputsAreAskedFor(t *testing.T) {
	w := newWorld(t)
	note := func(paths string) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) {
			annotations := u.GetAnnotations()
			annotations[annotation.Outputs] = paths
			u.SetAnnotations(annotations)
		}
	}
	const first, second = `{"path":"listKeys().key1","name":"keys","key":"k"}`, `{"path":"listKeys().key2","name":"more","key":"l"}`
	secret := func(name string) map[string][]byte {
		var s corev1.Secret
		_ = w.client.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: name}, &s)
		return s.Data
	}
	asked := func(reason string, times int) {
		t.Helper()
		w.cloud.Forget()
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		n := 0
		for _, call := range w.cloud.Calls("") {
			n += call.Outputs
		}
		if n != times {
			t.Errorf("%s: the API was asked for %d values, want %d", reason, n, times)
		}
	}
	w.object("Person", "ada", person(), annotation.Outputs, "["+first+"]")
	asked("the resource is made", 1)
	asked("nothing lacks", 0)
	w.restart()
	asked("another process", 0)
	w.edit("Person", "ada", note("["+first+","+second+"]"))
	asked("a second value", 2)
	if err := w.client.Delete(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "keys"}}); err != nil {
		t.Fatal(err)
	}
	asked("a Secret was deleted", 2)
	w.cloud.Put(ada, namedKing)
	asked("the resource was changed", 2)
	w.edit("Person", "ada", note("["+second+"]"))
	w.restart()
	asked("one less", 0)
	if len(secret("keys")) != 0 || len(secret("more")) != 1 {
		t.Errorf("the Secrets have %v and %v", secret("keys"), secret("more"))
	}
	w.edit("Person", "ada", note(""))
	w.restart()
	asked("none", 0)
	if len(secret("more")) != 0 || w.get("Person", "ada").GetAnnotations()[annotation.OutputSecrets] != "" {
		t.Errorf("the Secret has %v, and the object remembers %v", secret("more"), w.get("Person", "ada").GetAnnotations())
	}
}

// TestOutputsThatAreRefused checks that the condition names the outputs, since the resource
// itself is in sync.
func TestOutputsThatAreRefused(t *testing.T) {
	w := newWorld(t)
	w.cloud.Before(func(c fakeprovider.Call) error {
		if c.Outputs > 0 {
			return fakeprovider.Fail(v2.Reason_REASON_UNAUTHORIZED, "listKeys is not for you", 0)
		}
		return nil
	})
	w.object("Person", "ada", person(), annotation.Outputs, `[{"path":"listKeys().key1","name":"keys","key":"k"}]`)
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.ReasonOutputs)
	if c := w.condition("Person", "ada", reconciler.Ready); !strings.HasPrefix(c.Message, "outputs: ") {
		t.Errorf("it says %q", c.Message)
	}
	w.cloud.Before(nil)
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
}

func TestFailures(t *testing.T) {
	for _, test := range []struct {
		reason  string
		fail    v2.Reason
		want    string
		stalled bool
		slow    bool
	}{
		{"what is wrong waits for a change", v2.Reason_REASON_INVALID, "Invalid", true, true},
		{"throttling passes", v2.Reason_REASON_THROTTLED, "Throttled", false, false},
		{"what is transient passes", v2.Reason_REASON_TRANSIENT, "Failed", false, false},
		{"a parent outside is waited for", v2.Reason_REASON_NOT_FOUND, "NeedsMissing", false, false},
		{"credentials are renewed some time", v2.Reason_REASON_UNAUTHORIZED, "Unauthorized", false, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			w.object("Person", "ada", person())
			w.cloud.Before(func(c fakeprovider.Call) error {
				if c.Verb == "Apply" {
					return fakeprovider.Fail(test.fail, "no, since "+strings.Repeat("x", 5000), 0)
				}
				return nil
			})
			result := w.pass("Person", "ada")
			w.wants("Person", "ada", "False", test.want)
			if c := w.condition("Person", "ada", reconciler.Stalled); (c.Status == "True") != test.stalled {
				t.Errorf("stalled is %+v", c)
			}
			if c := w.condition("Person", "ada", reconciler.Ready); len(c.Message) > 1200 {
				t.Errorf("the message has %d bytes", len(c.Message))
			}
			if slow := result.RequeueAfter.Minutes() > 5; slow != test.slow {
				t.Errorf("it is tried again after %v", result.RequeueAfter)
			}
			w.cloud.Before(nil)
			w.pass("Person", "ada")
			w.wants("Person", "ada", "True", reconciler.Succeeded)
			if w.condition("Person", "ada", reconciler.Stalled).Status != "" || w.condition("Person", "ada", reconciler.Reconciling).Status != "" {
				t.Error("the conditions of the failure are left")
			}
		})
	}
}

func TestChildrenWaitForTheirParent(t *testing.T) {
	w := newWorld(t)
	w.object("PersonsNote", "first", note("ada"))
	w.pass("PersonsNote", "first")
	w.wants("PersonsNote", "first", "False", "OwnerNotFound")
	w.object("Person", "ada", person())
	w.pass("PersonsNote", "first")
	w.wants("PersonsNote", "first", "False", "OwnerNotReady")
	w.pass("Person", "ada")
	w.pass("PersonsNote", "first")
	w.wants("PersonsNote", "first", "True", reconciler.Succeeded)
	if r := w.cloud.Get(ada + "/notes/first"); r == nil || r.Version != "2013-03-03" {
		t.Errorf("outside are %v", w.cloud.IDs())
	}
	owners := w.get("PersonsNote", "first").GetOwnerReferences()
	if len(owners) != 1 || owners[0].UID != "uid-of-ada" || owners[0].APIVersion != "crm.example.com/v20190909" {
		t.Errorf("it belongs to %+v", owners)
	}

	w.delete("Person", "ada")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", "HasChildren")
	if c := w.condition("Person", "ada", reconciler.Ready); !strings.Contains(c.Message, "PersonsNote first") {
		t.Errorf("it says %q", c.Message)
	}
	w.delete("PersonsNote", "first")
	w.pass("PersonsNote", "first")
	w.pass("Person", "ada")
	if !w.isGone("Person", "ada") || !w.isGone("PersonsNote", "first") || len(w.cloud.IDs()) != 0 {
		t.Errorf("outside are %v", w.cloud.IDs())
	}
}

// healed is a table over objects with a claim and their actions. Each action updates the owner
// reference.
var healed = map[string]func(*world){
	"managed": func(*world) {},
	"observed": func(w *world) {
		w.annotate("PersonsNote", "first", annotation.ReconcilePolicy, string(annotation.Observe))
	},
	"of an unknown policy": func(w *world) {
		w.annotate("PersonsNote", "first", annotation.ReconcilePolicy, "perhaps")
	},
	"being deleted":               func(w *world) { w.delete("PersonsNote", "first") },
	"of an owner that is deleted": func(w *world) { w.delete("Person", "ada") },
	"in the wrong place": func(w *world) {
		w.edit("PersonsNote", "first", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["azureName"] = "second" })
	},
	"of a namespace without calls": func(w *world) { w.cloud.Before(failing("", v2.Reason_REASON_TRANSIENT)) },
	"without its owner": func(w *world) {
		w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.SetFinalizers(nil) })
		w.delete("Person", "ada")
	},
}

// TestOwnerReferencesAreHealed covers owner references of an earlier operator, in a version that
// may no longer be served. References to other objects do not change.
func TestOwnerReferencesAreHealed(t *testing.T) {
	for reason, becomes := range healed {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			w.object("Person", "ada", person())
			w.pass("Person", "ada")
			w.object("PersonsNote", "first", note("ada"))
			w.pass("PersonsNote", "first")
			yes := true
			foreign := metav1.OwnerReference{APIVersion: "crm.example.com/v20110101", Kind: "Person", Name: "bea", UID: "uid-of-bea"}
			w.edit("PersonsNote", "first", func(u *unstructured.Unstructured) {
				u.SetOwnerReferences([]metav1.OwnerReference{foreign, {
					APIVersion: "crm.example.com/v20110101", Kind: "Person", Name: "ada", UID: "uid-of-ada", BlockOwnerDeletion: &yes, Controller: &yes,
				}})
				u.SetFinalizers(append(u.GetFinalizers(), "other")) // so that the object stays
			})
			w.cloud.Slow(100, false)
			becomes(w)
			w.pass("PersonsNote", "first")
			owners := w.get("PersonsNote", "first").GetOwnerReferences()
			if len(owners) != 2 || owners[0] != foreign || owners[1].APIVersion != "crm.example.com/v20190909" || owners[1].Controller == nil {
				t.Errorf("it belongs to %+v", owners)
			}
			w.pass("PersonsNote", "first")
			w.made = 0
			w.pass("PersonsNote", "first")
			if w.made != 0 {
				t.Errorf("what is healed is written %d times", w.made)
			}
		})
	}
}

func TestDeletion(t *testing.T) {
	for _, test := range []struct {
		reason      string
		annotations []string
		slow        int
		stays       bool
	}{
		{"the resource goes with the object", nil, 0, false},
		{"it goes slowly", nil, 3, false},
		{"it stays where the object lets go of it", []string{annotation.ReconcilePolicy, string(annotation.Detach)}, 0, true},
		{"it stays where it is looked at only", []string{annotation.ReconcilePolicy, string(annotation.Observe)}, 0, true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			w.object("Person", "ada", person())
			w.pass("Person", "ada")
			w.edit("Person", "ada", func(u *unstructured.Unstructured) {
				annotations := u.GetAnnotations()
				for i := 0; i+1 < len(test.annotations); i += 2 {
					annotations[test.annotations[i]] = test.annotations[i+1]
				}
				u.SetAnnotations(annotations)
			})
			w.cloud.Slow(test.slow, false)
			w.cloud.Forget()
			w.delete("Person", "ada")
			for range test.slow + 1 {
				if w.isGone("Person", "ada") && !test.stays && w.cloud.Get(ada) != nil {
					t.Fatal("the object is gone before its resource")
				}
				w.pass("Person", "ada")
			}
			if !w.isGone("Person", "ada") {
				t.Errorf("it is there: %+v", w.condition("Person", "ada", reconciler.Ready))
			}
			if stays := w.cloud.Get(ada) != nil; stays != test.stays || test.stays && len(w.cloud.Calls("Delete")) > 0 {
				t.Errorf("the resource stays: %t, with %d deletes", stays, len(w.cloud.Calls("Delete")))
			}
		})
	}
}

// TestDeletionStopsCreate deletes an object while its create runs. The object stays for as long
// as an observation may miss a resource of the create.
func TestDeletionStopsCreate(t *testing.T) {
	w := newWorld(t)
	w.cloud.Slow(100, true)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", "Creating")
	w.delete("Person", "ada")
	w.cloud.Slow(0, true)
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", "Deleting")
	w.later = 31 * time.Second
	w.pass("Person", "ada")
	if len(w.cloud.Calls("Cancel")) != 1 || !w.isGone("Person", "ada") || w.cloud.Creates(ada) != 0 {
		t.Errorf("it made the calls %+v", w.cloud.Calls(""))
	}
}

// TestObjectStaysWhileResourceDoes covers a delete without effect in the external API.
func TestObjectStaysWhileResourceDoes(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	w.delete("Person", "ada")
	w.cloud.Before(func(c fakeprovider.Call) error {
		if c.Verb == "Delete" {
			return fakeprovider.Fail(v2.Reason_REASON_UNAUTHORIZED, "not you", 0)
		}
		return nil
	})
	for range 4 {
		w.pass("Person", "ada")
	}
	w.wants("Person", "ada", "False", "Unauthorized")
	w.cloud.Before(nil)
	w.pass("Person", "ada")
	if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
		t.Error("it should be gone by now")
	}
}

func TestDrift(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	changed := *w.cloud.Get(ada)
	changed.Body = []byte(`{"location":"westeurope","properties":{"familyName":"King","legalName":"Augusta Ada King"}}`)
	w.cloud.Put(ada, changed)
	w.pass("Person", "ada")
	if !strings.Contains(string(w.cloud.Get(ada).Body), "Lovelace") {
		t.Errorf("the drift stays: %s", w.cloud.Get(ada).Body)
	}
	w.edit("Person", "ada", func(u *unstructured.Unstructured) {
		annotations := u.GetAnnotations()
		annotations[annotation.ReconcilePolicy] = string(annotation.Observe)
		u.SetAnnotations(annotations)
	})
	w.cloud.Put(ada, changed)
	w.pass("Person", "ada")
	if c := w.condition("Person", "ada", reconciler.Drifted); c.Status != "True" || !strings.Contains(c.Message, "properties.familyName") {
		t.Errorf("drift is told as %+v", c)
	}
	if !strings.Contains(string(w.cloud.Get(ada).Body), "King") {
		t.Error("what is looked at only was changed")
	}
}

// TestGoneInExternalAPI covers a resource of the object that disappears.
func TestGoneInExternalAPI(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	w.cloud.Remove(ada)
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if calls := w.cloud.Calls("Apply"); len(calls) != 2 || !calls[1].CreateOnly {
		t.Errorf("it was applied by %+v", calls)
	}
}

// TestPlaceStays covers a client that renames an existing resource in the spec.
func TestPlaceStays(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["azureName"] = "augusta" })
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", "PlaceChanged")
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	if len(w.cloud.IDs()) != 0 || w.cloud.Creates("/Microsoft.Crm/persons/augusta") != 0 {
		t.Errorf("outside are %v", w.cloud.IDs())
	}
}

// TestReplacedObjectKeepsItsResource covers a client that replaces the object without the
// annotations of the operator.
func TestReplacedObjectKeepsItsResource(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.SetAnnotations(nil); u.SetFinalizers(nil) })
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	object := w.get("Person", "ada")
	if m := annotation.Read(object); m.ID != ada || len(object.GetFinalizers()) != 1 {
		t.Errorf("it is remembered as %+v, with %v", m, object.GetFinalizers())
	}
}

func TestAnotherVersionIsAnotherCall(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	w.edit("Person", "ada", func(u *unstructured.Unstructured) {
		u.Object["spec"].(map[string]any)["originalVersion"] = "v20190909" // without a new generation
	})
	w.pass("Person", "ada")
	if r := w.cloud.Get(ada); r.Version != "2019-09-09" {
		t.Errorf("outside is %+v", r)
	}
}

func TestVersionsThatCannot(t *testing.T) {
	w := newWorld(t)
	spec := person()
	spec["properties"].(map[string]any)["mailingAddress"] = map[string]any{"city": "London", "latitude": 51.5}
	spec["properties"].(map[string]any)["$propertyBag"] = map[string]any{"motto@v20140404preview": "x"}
	w.object("Person", "ada", spec)
	w.pass("Person", "ada")
	if c := w.condition("Person", "ada", reconciler.FullySent); strings.Contains(c.Message, "$") || !strings.Contains(c.Message, "properties.motto of v20140404preview") {
		t.Errorf("what is not sent is spelled as in storage: %s", c.Message)
	}
	if c := w.condition("Person", "ada", reconciler.FullySent); c.Status != "False" || c.Reason != "NotExpressible" || !strings.Contains(c.Message, "properties.mailingAddress.latitude") {
		t.Errorf("what is not sent is told as %+v", c)
	}
	if c := w.condition("Person", "ada", reconciler.OriginalVersionKept); c.Status != "" {
		t.Errorf("the version is kept, and it says %+v", c)
	}
	w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["originalVersion"] = "v20180101" })
	w.pass("Person", "ada")
	if c := w.condition("Person", "ada", reconciler.OriginalVersionKept); c.Status != "False" || !strings.Contains(c.Message, "v20180808") {
		t.Errorf("what stands for the version is told as %+v", c)
	}
	w.wants("Person", "ada", "True", reconciler.Succeeded)
}

// TestPoorAnswerDoesNoHarm covers an answer of the external API that contradicts its schema.
func TestPoorAnswerDoesNoHarm(t *testing.T) {
	w := newWorld(t)
	w.cloud.Put(ada, fakeprovider.Resource{Version: "2018-08-08", Body: []byte(
		`{"location":7,"properties":{"familyName":["a"],"legalName":"A"},"conditions":"x","propertyBag":"{}","id":"/x"}`)})
	w.object("Person", "ada", person(), annotation.ReconcilePolicy, string(annotation.Observe))
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Observed)
	legal, _, _ := unstructured.NestedString(w.get("Person", "ada").Object, "status", "properties", "legalName")
	if legal != "A" {
		t.Errorf("the status is %v", w.get("Person", "ada").Object["status"])
	}
}

func TestCredentials(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person(), annotation.Credentials, "mine")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", "SecretNotFound")
	mine := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "mine"}, Data: map[string][]byte{"AZURE_ACCESS_TOKEN": []byte("token-1234")}}
	if err := w.client.Create(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	w.cloud.Before(func(c fakeprovider.Call) error {
		return fakeprovider.Fail(v2.Reason_REASON_UNAUTHORIZED, "the token "+c.Token+" does not do", 0)
	})
	w.pass("Person", "ada")
	if c := w.condition("Person", "ada", reconciler.Ready); strings.Contains(c.Message, "token-1234") || !strings.Contains(c.Message, "***") {
		t.Errorf("the message shows the token: %s", c.Message)
	}
	if calls := w.cloud.Calls(""); len(calls) != 1 || calls[0].Token != "token-1234" {
		t.Errorf("it made the calls %+v", calls)
	}
}

// TestLateCache freezes the cache before the resource is created.
func TestLateCache(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.frozen = w.get("Person", "ada")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	w.made = 0
	w.pass("Person", "ada")
	if w.made != 0 || len(w.cloud.Calls("Apply")) != 1 {
		t.Errorf("the process that wrote it made %d writes, and %d applies in all", w.made, len(w.cloud.Calls("Apply")))
	}
	w.restart()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	w.cloud.Remove(ada)
	result := w.pass("Person", "ada")
	if len(w.cloud.Calls("Apply")) != 1 || result.RequeueAfter <= 0 || result.RequeueAfter > time.Second {
		t.Errorf("another process made the calls %+v, and goes on after %v", w.cloud.Calls("Apply"), result.RequeueAfter)
	}
	w.frozen = nil
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
}

// TestNoPlugin covers a provider that becomes available later.
func TestNoPlugin(t *testing.T) {
	w := newWorld(t)
	w.provider = "strata.dev/nobody"
	w.restart()
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", provider.ReasonUnavailable)
	if m := w.recorded("Person", "ada"); m.Owned {
		t.Errorf("it claims what nobody can make: %+v", m)
	}
	w.provider = fakeprovider.Name
	w.restart()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
}

// TestBodyThatIsRefused checks that a create without an effect leaves no claim.
func TestBodyThatIsRefused(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.cloud.Before(func(c fakeprovider.Call) error {
		if c.Verb == "Apply" {
			return fakeprovider.FailAfter(effect.None, v2.Reason_REASON_INVALID, "no")
		}
		return nil
	})
	w.pass("Person", "ada")
	object := w.get("Person", "ada")
	if m := annotation.Read(object); m.Owned || len(object.GetFinalizers()) > 0 {
		t.Errorf("what was never made is held: %+v, %v", m, object.GetFinalizers())
	}
	w.delete("Person", "ada")
	if !w.isGone("Person", "ada") {
		t.Error("an object that has made nothing cannot be deleted at once")
	}
}
