package reconciler_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// keyOne requests a value of the external API.
const keyOne = `[{"path":"listKeys().key1","name":"keys","key":"k"}]`

// data returns the data of a Secret; nil if it does not exist.
func (w *world) data(name string) map[string][]byte {
	w.Helper()
	var secret corev1.Secret
	err := w.client.Get(w.Context(), types.NamespacedName{Namespace: namespace, Name: name}, &secret)
	if err != nil && !apierrors.IsNotFound(err) {
		w.Fatal(err)
	}
	return secret.Data
}

// TestOutputsThatFail is a table over calls for outputs that fail. The resource is in sync, and
// the operator applies nothing again.
func TestOutputsThatFail(t *testing.T) {
	for _, test := range []struct {
		reason  string
		fail    error
		want    string
		message string
		after   time.Duration // at least
		stalled bool
	}{
		{"no rights", fakeprovider.Fail(v2.Reason_REASON_UNAUTHORIZED, "not you", 0), reconciler.ReasonOutputs, "outputs: not you", 0, false},
		{"refused", fakeprovider.Fail(v2.Reason_REASON_INVALID, "no such key", 0), reconciler.ReasonOutputs, "outputs: no such key", 0, true},
		{"said already", fakeprovider.Fail(v2.Reason_REASON_INVALID, "outputs: no such key", 0), reconciler.ReasonOutputs, "outputs: no such key", 0, true},
		{"later", fakeprovider.Fail(v2.Reason_REASON_THROTTLED, "later", time.Minute), reconciler.ReasonOutputs, "outputs: later", time.Minute, false},
		{"no reason", errors.New("no"), "Failed", "outputs: ", 0, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			made(w)
			w.cloud.Before(func(c fakeprovider.Call) error {
				if c.Outputs > 0 {
					return test.fail
				}
				return nil
			})
			w.annotate("Person", "ada", annotation.Outputs, keyOne)
			w.cloud.Forget()
			result := w.pass("Person", "ada")
			w.wants("Person", "ada", "False", test.want)
			c := w.condition("Person", "ada", reconciler.Ready)
			if !strings.HasPrefix(c.Message, test.message) || strings.Count(c.Message, "outputs: ") != 1 || result.RequeueAfter < test.after {
				t.Errorf("it says %q, and goes on after %v", c.Message, result.RequeueAfter)
			}
			if is := w.condition("Person", "ada", reconciler.Stalled).Status == "True"; is != test.stalled {
				t.Errorf("it is stalled: %t", is)
			}
			if len(w.mutations()) > 0 || w.data("keys") != nil {
				t.Errorf("it made the calls %+v, and the Secret has %v", w.mutations(), w.data("keys"))
			}
			w.cloud.Before(nil)
			w.restart()
			w.pass("Person", "ada")
			w.wants("Person", "ada", "True", reconciler.Succeeded)
			if string(w.data("keys")["k"]) != "key of "+ada {
				t.Errorf("the Secret has %q", w.data("keys"))
			}
		})
	}
}

// TestOutputsThatAreNotThereYet covers an API that returns one of two values at first, and the
// other one later.
func TestOutputsThatAreNotThereYet(t *testing.T) {
	w := newWorld(t)
	w.cloud.Withhold("listKeys().key1")
	made(w, annotation.Outputs, `[{"path":"listKeys().key1","name":"keys","key":"k"},{"path":"listKeys().key2","name":"keys","key":"l"}]`)
	w.wants("Person", "ada", "False", reconciler.ReasonOutputs)
	if c := w.condition("Person", "ada", reconciler.Ready); !strings.HasSuffix(c.Message, "does not give out yet: listKeys().key1") {
		t.Errorf("it says %q", c.Message)
	}
	if data := w.data("keys"); len(data) != 1 || string(data["l"]) != "key of "+ada {
		t.Errorf("the Secret has %q", data)
	}
	w.cloud.Withhold()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if data := w.data("keys"); len(data) != 2 {
		t.Errorf("the Secret has %q", data)
	}
}

// TestNothingIsAskedForWithoutNeed removes the outputs from the object in the pass that changes
// the resource.
func TestNothingIsAskedForWithoutNeed(t *testing.T) {
	w := newWorld(t)
	made(w, annotation.Outputs, keyOne)
	w.edit("Person", "ada", func(u *unstructured.Unstructured) {
		u.Object["spec"].(map[string]any)["location"] = "north"
		annotations := u.GetAnnotations()
		delete(annotations, annotation.Outputs)
		u.SetAnnotations(annotations)
	})
	w.cloud.Forget()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if calls := w.cloud.Calls(""); len(calls) != 2 || len(w.data("keys")) > 0 {
		t.Errorf("it made the calls %+v, and the Secret has %q", calls, w.data("keys"))
	}
}

// TestForeignSecretStaysAsItIs covers a Secret of that name that another client has created.
func TestForeignSecretStaysAsItIs(t *testing.T) {
	w := newWorld(t)
	w.secret("keys", "k", "mine")
	made(w, annotation.Outputs, keyOne)
	w.wants("Person", "ada", "False", "SecretNotOurs")
	if string(w.data("keys")["k"]) != "mine" {
		t.Errorf("the Secret has %q", w.data("keys"))
	}
	for _, call := range w.cloud.Calls("") {
		if call.Outputs > 0 {
			t.Errorf("it asks for what it has no place for: %+v", call)
		}
	}
	w.secret("keys")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
}

// TestSecretsThatCannotBeRead covers an API server that refuses to return Secrets.
func TestSecretsThatCannotBeRead(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.annotate("Person", "ada", annotation.Outputs, keyOne)
	w.live = errors.New("secrets are forbidden")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded) // for a while
	w.later = 2 * reconciler.DefaultTolerance
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.ReasonCluster)
	if c := w.condition("Person", "ada", reconciler.Ready); !strings.Contains(c.Message, "secrets are forbidden") {
		t.Errorf("it says %q", c.Message)
	}
}

// TestOutputsAreUnreadable is a table over incomplete annotations.
func TestOutputsAreUnreadable(t *testing.T) {
	for _, note := range []string{
		`[{"path":"listKeys().key1","name":"keys"}]`, `[{"path":"listKeys().key1","key":"k"}]`, `[{"name":"keys","key":"k"}]`,
		`[{"path":"listKeys().key1","name":"keys","key":"k"},{"path":"properties.password","name":"keys","key":"l"}]`, `{}`, `[`,
	} {
		w := newWorld(t)
		made(w, annotation.Outputs, note)
		w.wants("Person", "ada", "False", "OutputsUnreadable")
		if c := w.condition("Person", "ada", reconciler.Ready); !strings.Contains(c.Message, annotation.Outputs) {
			t.Errorf("%s: it says %q", note, c.Message)
		}
		if calls := w.cloud.Calls(""); len(calls) > 0 {
			t.Errorf("%s: it made the calls %+v", note, calls)
		}
	}
}

// TestInputs covers a missing Secret of an input, then a missing key, and then a change of it:
// the operator applies each change once.
func TestInputs(t *testing.T) {
	w := newWorld(t)
	spec := person()
	w.object("Person", "ada", spec)
	ref := map[string]any{"path": "properties.password", "name": "in", "key": "password"}
	pass := func(reason, status, want string, applies int) {
		t.Helper()
		w.frozen = nil
		w.frozen = w.get("Person", "ada") // since the worked example has no secrets, the API server here would drop them
		w.frozen.Object["spec"].(map[string]any)["secretRefs"] = []any{ref}
		w.cloud.Forget()
		w.pass("Person", "ada")
		w.frozen = nil
		w.wants("Person", "ada", metav1.ConditionStatus(status), want)
		if n := len(w.cloud.Calls("Apply")); n != applies {
			t.Errorf("%s: there were %d applies, want %d", reason, n, applies)
		}
	}
	pass("no Secret", "False", "SecretNotFound", 0)
	w.secret("in", "other", "x")
	pass("no key", "False", "SecretNotFound", 0)
	w.secret("in", "password", "one-password")
	pass("a value", "True", reconciler.Succeeded, 1)
	pass("the same", "True", reconciler.Succeeded, 0)
	w.secret("in", "password", "two-password")
	pass("another value", "True", reconciler.Succeeded, 1)
	if got := w.cloud.Get(ada).Secrets["properties.password"]; got != "two-password" {
		t.Errorf("outside is the password %q", got)
	}
	w.cloud.Before(func(c fakeprovider.Call) error {
		return fakeprovider.Fail(v2.Reason_REASON_INVALID, "two-password is too short", 0)
	})
	w.later = 2 * reconciler.DefaultTolerance
	pass("a message that shows it", "False", "Invalid", 0)
	if c := w.condition("Person", "ada", reconciler.Ready); strings.Contains(c.Message, "two-password") || !strings.Contains(c.Message, "***") {
		t.Errorf("it says %q", c.Message)
	}
}

// racing is a client that removes each Secret before it updates it, as another client may.
type racing struct{ client.Client }

func (c racing) Update(ctx context.Context, o client.Object, opts ...client.UpdateOption) error {
	if secret, is := o.(*corev1.Secret); is {
		if err := c.Delete(ctx, secret.DeepCopy()); err != nil {
			return err
		}
	}
	return c.Client.Update(ctx, o, opts...)
}

// TestSecretIsRemovedDuringItsUpdate has another client remove a Secret after the operator has
// read it, and before the operator writes an output to it. The write finds no Secret. The object is
// there, and its next pass comes soon.
func TestSecretIsRemovedDuringItsUpdate(t *testing.T) {
	w := newWorld(t)
	w.outputs(map[string]any{"secrets": []any{map[string]any{"name": "keys", "key": "host", "from": "properties.hostName"}}})
	if got := w.data("keys"); string(got["host"]) != "h" {
		t.Fatalf("the Secret has %q", got)
	}
	w.isOut(func(r *fakeprovider.Resource) {
		r.Body = []byte(`{"id":"` + ada + `","properties":{"hostName":"other"}}`)
	})
	options := w.options
	options.Client = racing{w.options.Client}
	w.all["Person"] = reconciler.New(w.kind("Person"), options)
	if result := w.pass("Person", "ada"); result.RequeueAfter <= 0 || result.RequeueAfter > time.Second {
		t.Errorf("the next pass is after %v", result.RequeueAfter)
	}
	w.pass("Person", "ada")
	if got := w.data("keys"); string(got["host"]) != "other" {
		t.Errorf("the Secret has %q", got)
	}
}
