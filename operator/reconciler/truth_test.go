package reconciler_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
	"github.com/stratakube/strata/runtime"
)

// namedKing is a person with the values of another client.
var namedKing = fakeprovider.Resource{Version: "2018-08-08", Body: []byte(`{"location":"westeurope","properties":{"familyName":"King","legalName":"Augusta Ada King"}}`)}

// failing makes all calls of a method fail.
func failing(method string, reason v2.Reason) func(fakeprovider.Call) error {
	return func(c fakeprovider.Call) error {
		if method == "" || c.Verb == method {
			return fakeprovider.Fail(reason, "no", 0)
		}
		return nil
	}
}

// TestReadyEndsAtOnce is a table over the findings of a pass for an object that was Ready.
func TestReadyEndsAtOnce(t *testing.T) {
	for _, test := range []struct {
		reason      string
		annotations []string
		then        func(*world)
		want        string
	}{
		{"what is gone, and cannot be made again", nil, func(w *world) {
			w.cloud.Remove(ada)
			w.cloud.Before(failing("Apply", v2.Reason_REASON_TRANSIENT))
		}, "Failed"},
		{"what differs, and cannot be applied", nil, func(w *world) {
			w.cloud.Put(ada, namedKing)
			w.cloud.Before(failing("Apply", v2.Reason_REASON_TRANSIENT))
		}, "Failed"},
		{"what was changed, and cannot be applied", nil, func(w *world) {
			w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["originalVersion"] = "v20190909" })
			w.cloud.Before(failing("Apply", v2.Reason_REASON_TRANSIENT))
		}, "Failed"},
		{"what was changed, and cannot be looked at", nil, func(w *world) {
			w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["originalVersion"] = "v20190909" })
			w.cloud.Before(failing("", v2.Reason_REASON_TRANSIENT))
		}, "Failed"},
		{"credentials that are refused", nil, func(w *world) { w.cloud.Before(failing("Observe", v2.Reason_REASON_UNAUTHORIZED)) }, "Unauthorized"},
		{"a spec that is refused", nil, func(w *world) { w.cloud.Before(failing("Observe", v2.Reason_REASON_INVALID)) }, "Invalid"},
		{"a subscription that is gone", nil, func(w *world) { w.cloud.Before(failing("Observe", v2.Reason_REASON_NOT_FOUND)) }, "NeedsMissing"},
		{"a conflict", nil, func(w *world) { w.cloud.Before(failing("Observe", v2.Reason_REASON_CONFLICT)) }, "Conflict"},
		{"what is gone, and is only looked at", []string{annotation.ReconcilePolicy, "observe"}, func(w *world) { w.cloud.Remove(ada) }, "NotThere"},
		{"what is being deleted, and nobody answers", nil, func(w *world) {
			w.delete("Person", "ada")
			w.cloud.Before(failing("", v2.Reason_REASON_TRANSIENT))
		}, "Failed"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			if len(test.annotations) > 0 {
				w.cloud.Put(ada, namedKing)
			}
			w.object("Person", "ada", person(), test.annotations...)
			w.pass("Person", "ada")
			if c := w.condition("Person", "ada", reconciler.Ready); c.Status != "True" {
				t.Fatalf("it begins as %+v", c)
			}
			test.then(w)
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", test.want)
		})
	}
}

// TestReadyEndsBeforeCall checks the stored status during a call, which may take long.
func TestReadyEndsBeforeCall(t *testing.T) {
	for reason, then := range map[string]func(*world){
		reconciler.Gone:     func(w *world) { w.cloud.Remove(ada) },
		reconciler.Updating: func(w *world) { w.cloud.Put(ada, namedKing) },
	} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			w.object("Person", "ada", person())
			w.pass("Person", "ada")
			then(w)
			seen := 0
			w.cloud.Before(func(c fakeprovider.Call) error {
				if c.Verb == "Apply" {
					seen++
					w.wants("Person", "ada", "False", reason)
				}
				return nil
			})
			w.pass("Person", "ada")
			if seen != 1 {
				t.Errorf("%d applies, want 1", seen)
			}
			w.wants("Person", "ada", "True", reconciler.Succeeded)
		})
	}
}

// TestTolerance covers an external API that does not answer. Ready remains for the documented
// time, even if the process restarts, and ends then.
func TestTolerance(t *testing.T) {
	for _, test := range []struct {
		reason v2.Reason
		after  time.Duration
		want   string
	}{
		{v2.Reason_REASON_TRANSIENT, 0, "Failed"},
		{v2.Reason_REASON_THROTTLED, time.Hour, "Throttled"},
		{v2.Reason_REASON_UNSPECIFIED, 0, "Failed"},
	} {
		t.Run(test.reason.String(), func(t *testing.T) {
			w := newWorld(t)
			w.object("Person", "ada", person())
			w.pass("Person", "ada")
			w.cloud.Before(func(fakeprovider.Call) error {
				return fakeprovider.Fail(test.reason, fmt.Sprint("request ", time.Now().UnixNano()), test.after)
			})
			w.made = 0
			for _, later := range []time.Duration{0, 20 * time.Second, 50 * time.Second} {
				w.later = later
				w.restart()
				result := w.pass("Person", "ada")
				w.wants("Person", "ada", "True", reconciler.Succeeded)
				if c := w.condition("Person", "ada", reconciler.Reachable); c.Status != "False" || c.Reason != test.want {
					t.Errorf("it is reachable: %+v", c)
				}
				if left := reconciler.DefaultTolerance - later; result.RequeueAfter <= 0 || result.RequeueAfter > left+2*time.Second {
					t.Errorf("after %v, the next pass is after %v", later, result.RequeueAfter)
				}
			}
			if w.made != 1 {
				t.Errorf("a storm makes %d writes of an object, want one that says since when", w.made)
			}
			w.later = reconciler.DefaultTolerance + 2*time.Second
			w.restart()
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", test.want)

			w.cloud.Before(nil)
			w.restart()
			w.pass("Person", "ada")
			w.wants("Person", "ada", "True", reconciler.Succeeded)
			if c := w.condition("Person", "ada", reconciler.Reachable); c.Status != "" {
				t.Errorf("it answers again, and the condition is %+v", c)
			}
		})
	}
}

// TestClusterFails covers an unreadable Secret, which no object should hide for ever.
func TestClusterFails(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	w.live = errors.New("secrets are forbidden")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	w.later = 2 * reconciler.DefaultTolerance
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.ReasonCluster)
	w.live = nil
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
}

// TestDriftThatReturns covers a client of the external API that changes a resource again and
// again.
func TestDriftThatReturns(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	w.cloud.Forget()
	drifts := func(applies int, condition metav1.ConditionStatus) {
		t.Helper()
		w.pass("Person", "ada")
		if n := len(w.cloud.Calls("Apply")); n != applies {
			t.Errorf("it was applied %d times, want %d", n, applies)
		}
		if c := w.condition("Person", "ada", reconciler.Drifted); c.Status != condition || condition != "" && (c.Reason != reconciler.NotAccepted || !strings.Contains(c.Message, "properties.familyName")) {
			t.Errorf("drift is told as %+v, want %q", c, condition)
		}
		w.wants("Person", "ada", "True", reconciler.Succeeded)
	}
	w.cloud.Put(ada, namedKing)
	drifts(1, "")
	w.cloud.Put(ada, namedKing)
	drifts(1, "True")
	drifts(1, "True")
	w.restart()
	drifts(1, "True")

	other := namedKing
	other.Body = []byte(`{"location":"north","properties":{"familyName":"King","legalName":"Augusta Ada King"}}`)
	w.cloud.Put(ada, other) // something else differs
	drifts(2, "")
	w.pass("Person", "ada")

	w.cloud.Put(ada, namedKing) // an observation has found no difference in between
	drifts(3, "")
}

// TestStatusIsLastAnswer covers an older version with a value that the answers of another
// version do not have. No served version shows the value any longer, not even in its bag.
func TestStatusIsLastAnswer(t *testing.T) {
	w := newWorld(t)
	spec := map[string]any{"originalVersion": "v20110101", "properties": map[string]any{"legalName": "Zelda", "$propertyBag": map[string]any{"firstName": "Zelda"}}}
	w.object("Person", "ada", spec)
	w.pass("Person", "ada")
	if !strings.Contains(w.servedStatus("v20110101"), "Zelda") {
		t.Fatalf("the status is %v", w.servedStatus("v20110101"))
	}
	w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"] = person() })
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	versions := sortedKeys(w.kind("Person").Versions)
	if len(versions) < 10 {
		t.Fatalf("the kind has the versions %q", versions)
	}
	for _, version := range versions {
		if status := w.servedStatus(version); strings.Contains(status, "Zelda") || !strings.Contains(status, "Augusta") {
			t.Errorf("in %s the status is %s", version, status)
		}
	}

	w.cloud.Remove(ada)
	w.cloud.Before(failing("Apply", v2.Reason_REASON_TRANSIENT))
	w.pass("Person", "ada")
	for _, version := range versions {
		if status := w.servedStatus(version); strings.Contains(status, "Augusta") {
			t.Errorf("the resource is gone, and in %s its status is %s", version, status)
		}
	}
}

// TestStatusIsThatOfFreshProcess covers a process that knows earlier answers: other values, another
// version, a status that a client has written, and a resource that is gone. After each pass, the
// status is the one that a process with an empty memory would store in an object without a status.
func TestStatusIsThatOfFreshProcess(t *testing.T) {
	const whole = `{"location":"w","tags":{"a":"b"},"properties":{"firstName":"Zelda","familyName":"Fitz"}}`
	const short = `{"properties":{"firstName":"Zelda"}}`
	w, version, body := newWorld(t), "v20110101", whole
	observes := func(w *world) {
		if body == "" {
			w.cloud.Remove(ada)
		} else {
			w.cloud.Put(ada, fakeprovider.Resource{Body: []byte(body)})
		}
	}
	ofPerson := func(version string) map[string]any {
		return map[string]any{"originalVersion": version, "properties": map[string]any{"legalName": "Zelda"}}
	}
	forges := func(status map[string]any) func() {
		return func() {
			object := w.get("Person", "ada")
			maps.Copy(object.Object["status"].(map[string]any), status)
			if err := w.client.Status().Update(t.Context(), object); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.object("Person", "ada", ofPerson(version), annotation.ReconcilePolicy, string(annotation.Observe))
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"the first answer", func() {}},
		{"the same answer in another version", func() { version = "v20180808" }},
		{"a client writes another value", forges(map[string]any{"location": "forged"})},
		{"a client writes hidden values", forges(map[string]any{"$propertyBag": map[string]any{"forged": "forged"}})},
		{"an answer with fewer members", func() { body = short }},
		{"a client writes a member that the answer does not have", forges(map[string]any{"location": "forged"})},
		{"fewer members in the first version", func() { version = "v20110101" }},
		{"the first answer again", func() { body = whole }},
		{"the resource is gone", func() { body = "" }},
		{"a client writes values of a resource that is gone", forges(map[string]any{"location": "forged"})},
	} {
		step.do()
		observes(w)
		w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"] = ofPerson(version) })
		w.pass("Person", "ada")

		fresh := newWorld(t)
		observes(fresh)
		fresh.object("Person", "ada", ofPerson(version), annotation.ReconcilePolicy, string(annotation.Observe))
		fresh.pass("Person", "ada")
		if diff := cmp.Diff(answerOf(fresh), answerOf(w)); diff != "" {
			t.Errorf("%s: the status (-fresh +is):\n%s", step.name, diff)
		}
	}
}

// answerOf returns the status of person ada without conditions.
func answerOf(w *world) map[string]any {
	status, _ := w.get("Person", "ada").Object["status"].(map[string]any)
	delete(status, "conditions")
	return status
}

// servedStatus returns the status of person ada as JSON, as a version serves it, without hidden
// values of the spec in its bag.
func (w *world) servedStatus(version string) string {
	w.Helper()
	k := w.kind("Person")
	stored, err := w.scheme.New(k.Hub)
	if err != nil {
		w.Fatal(err)
	}
	if err := k8sruntime.DefaultUnstructuredConverter.FromUnstructured(w.get("Person", "ada").Object, stored); err != nil {
		w.Fatal(err)
	}
	served, err := w.scheme.New(k.Hub.GroupKind().WithVersion(version))
	if err != nil {
		w.Fatal(err)
	}
	if err := served.(conversion.Convertible).ConvertFrom(stored.(conversion.Hub)); err != nil {
		w.Fatal(err)
	}
	text, err := json.Marshal(served.(runtime.KubernetesResource).GetStatus())
	if err != nil {
		w.Fatal(err)
	}
	var status struct{ PropertyBag string }
	if err := json.Unmarshal(text, &status); err != nil {
		w.Fatal(err)
	}
	if status.PropertyBag == "" {
		return string(text)
	}
	bag := map[string]any{}
	if err := json.Unmarshal([]byte(status.PropertyBag), &bag); err != nil {
		w.Fatal(err)
	}
	whole, err := json.Marshal(status.PropertyBag)
	if err != nil {
		w.Fatal(err)
	}
	return fmt.Sprint(strings.ReplaceAll(string(text), string(whole), ""), bag["status"])
}

// TestTimeoutThatWasCommitted covers calls that take effect without an answer. The operator may
// repeat only calls that may have had no effect.
func TestTimeoutThatWasCommitted(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	lost := 0
	w.cloud.After(func(c fakeprovider.Call) error {
		if c.Verb == "Apply" && lost == 0 {
			lost++
			return errors.New("the connection was cut")
		}
		return nil
	})
	w.pass("Person", "ada")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	lost = 0
	w.edit("Person", "ada", func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(u.Object, "King", "spec", "properties", "familyName")
		u.SetGeneration(2)
	})
	w.pass("Person", "ada")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if n := len(w.cloud.Calls("Apply")); n != 2 {
		t.Errorf("it was applied %d times, want once for each change", n)
	}
	lost = 0
	w.edit("Person", "ada", func(u *unstructured.Unstructured) { // an edit that a comparison with the external API cannot show
		unstructured.RemoveNestedField(u.Object, "spec", "properties", "legalName")
		u.SetGeneration(3)
	})
	w.cloud.Before(failing("Apply", v2.Reason_REASON_TRANSIENT))
	w.pass("Person", "ada")
	w.cloud.Before(nil)
	w.pass("Person", "ada")
	if strings.Contains(string(w.cloud.Get(ada).Body), "legalName") {
		t.Errorf("what the user has removed is there: %s", w.cloud.Get(ada).Body)
	}
}

// TestFacts covers a provider that reports conditions, true ones and false ones.
func TestFacts(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	changed := *w.cloud.Get(ada)
	changed.Facts = []*v1.Fact{
		{Type: "Provisioned", Truth: v1.Truth_TRUTH_TRUE, Reason: "Succeeded"},
		{Type: "Provisioned", Truth: v1.Truth_TRUTH_FALSE, Reason: "Twice"},
		{Type: "Ready", Truth: v1.Truth_TRUTH_FALSE, Reason: "No"},
		{Type: "Stalled", Truth: v1.Truth_TRUTH_TRUE, Reason: "No"},
		{Type: "not a type", Truth: v1.Truth_TRUTH_TRUE, Reason: "No"},
		{Type: "Guessed", Reason: "no reason at all", Message: strings.Repeat("x", 5000)},
	}
	for i := range 30 {
		changed.Facts = append(changed.Facts, &v1.Fact{Type: fmt.Sprint("Fact", i), Truth: v1.Truth_TRUTH_FALSE, Reason: "Many"})
	}
	w.cloud.Put(ada, changed)
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	for kind, want := range map[string]string{
		"Provisioned": "True Succeeded", "Guessed": "Unknown " + reconciler.Reported, "Stalled": " ", "not a type": " ", "Fact0": "False Many", "Fact29": " ",
	} {
		if c := w.condition("Person", "ada", kind); string(c.Status)+" "+c.Reason != want {
			t.Errorf("%s is %s %s, want %s", kind, c.Status, c.Reason, want)
		}
	}
	if c := w.condition("Person", "ada", "Guessed"); len(c.Message) > 1200 {
		t.Errorf("a message has %d bytes", len(c.Message))
	}
	changed.Facts = changed.Facts[:1]
	w.cloud.Put(ada, changed)
	w.restart() // so that nothing is in memory
	w.pass("Person", "ada")
	if c := w.condition("Person", "ada", "Guessed"); c.Status != "" {
		t.Errorf("what is told no more is %+v", c)
	}
	if c := w.condition("Person", "ada", "Provisioned"); c.Status != "True" {
		t.Errorf("what is still told is %+v", c)
	}
}

// TestPollingGivesUp covers an operation whose polls all fail. The operator observes the resource
// instead.
func TestPollingGivesUp(t *testing.T) {
	w := newWorld(t)
	w.cloud.Slow(100, false)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	if w.recorded("Person", "ada").Operation == nil {
		t.Fatal("no operation was begun")
	}
	w.cloud.Before(failing("Poll", v2.Reason_REASON_TRANSIENT))
	polls := func() int { return len(w.cloud.Calls("Poll")) }
	for range 4 {
		w.pass("Person", "ada")
	}
	if w.recorded("Person", "ada").Operation == nil {
		t.Errorf("the operation is forgotten after %d polls", polls())
	}
	w.pass("Person", "ada")
	if w.recorded("Person", "ada").Operation != nil || polls() != 5 {
		t.Errorf("after %d polls that failed the operation is followed still", polls())
	}
	w.cloud.Slow(0, false)
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
}

// TestPauses is a table over the pauses between two passes.
func TestPauses(t *testing.T) {
	const resync = 20 * time.Second
	for _, test := range []struct {
		reason      string
		fail        func(fakeprovider.Call) error
		passes      int
		least, most time.Duration
	}{
		{"nothing happens", nil, 1, resync * 3 / 4, resync},
		{"a failure", failing("Observe", v2.Reason_REASON_TRANSIENT), 1, 0, time.Second},
		{"many failures", failing("Observe", v2.Reason_REASON_TRANSIENT), 12, resync / 2, resync},
		{"what is of little use", failing("Observe", v2.Reason_REASON_UNAUTHORIZED), 8, resync / 2, resync},
		{"what is stuck", failing("Observe", v2.Reason_REASON_INVALID), 3, resync / 2, resync},
		{"an API that wants an hour", func(fakeprovider.Call) error {
			return fakeprovider.Fail(v2.Reason_REASON_THROTTLED, "later", time.Hour)
		}, 3, resync / 2, resync},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			w.options.Resync, w.options.Patience = resync, time.Second
			r := reconciler.New(w.kind("Person"), w.options)
			w.all["Person"] = r
			w.object("Person", "ada", person())
			w.cloud.Before(test.fail)
			for range 20 {
				for range test.passes - 1 {
					w.pass("Person", "ada")
				}
				if after := w.pass("Person", "ada").RequeueAfter; after < test.least || after > test.most && test.passes > 1 {
					t.Errorf("the next pass is after %v, want %v to %v", after, test.least, test.most)
				}
			}
		})
	}
}

// TestPollsAreInTime covers an operation that asks for a late poll, or for one after a resync.
func TestPollsAreInTime(t *testing.T) {
	for _, test := range []struct {
		wants, resync, least, most time.Duration
	}{
		{time.Minute, 10 * time.Minute, time.Minute, time.Minute * 11 / 10},
		{10 * time.Minute, time.Hour, 10 * time.Minute, 10 * time.Minute},
		{time.Hour, time.Hour, 10 * time.Minute, 10 * time.Minute},
		{time.Hour, 20 * time.Second, 20 * time.Second, 20 * time.Second},
		{time.Minute, 3 * time.Second, 3 * time.Second, 3 * time.Second},
	} {
		for range 20 {
			w := newWorld(t)
			w.options.Resync = test.resync
			w.all["Person"] = reconciler.New(w.kind("Person"), w.options)
			w.cloud.Slow(5, false)
			w.cloud.PollsAfter(test.wants)
			w.object("Person", "ada", person())
			if after := w.pass("Person", "ada").RequeueAfter; after < test.least || after > test.most {
				t.Fatalf("an operation that wants %v is polled after %v at a resync of %v, want %v to %v", test.wants, after, test.resync, test.least, test.most)
			}
		}
	}
}

// TestOneTenantIsThrottled covers two tenants, one of which is throttled for an hour.
func TestOneTenantIsThrottled(t *testing.T) {
	w := newWorld(t)
	for name, person := range map[string]map[string]any{"ada": person(), "bea": person()} {
		secret := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string][]byte{"AZURE_ACCESS_TOKEN": []byte("token of " + name)},
		}
		if err := w.client.Create(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		w.object("Person", name, person, annotation.Credentials, name)
		w.pass("Person", name)
	}
	w.cloud.Before(func(c fakeprovider.Call) error {
		if c.Token == "token of ada" {
			return fakeprovider.Fail(v2.Reason_REASON_THROTTLED, "later", time.Hour)
		}
		return nil
	})
	w.cloud.Forget()
	for range 3 {
		w.pass("Person", "ada")
		w.pass("Person", "bea")
	}
	counts := map[string]int{}
	for _, c := range w.cloud.Calls("") {
		counts[c.Token]++
	}
	if counts["token of ada"] != 1 || counts["token of bea"] != 3 {
		t.Errorf("there were the calls %v", counts)
	}
	if c := w.condition("Person", "ada", reconciler.Reachable); c.Status != "False" || c.Reason != "Throttled" {
		t.Errorf("the one that is throttled has %+v", c)
	}
	if c := w.condition("Person", "bea", reconciler.Reachable); c.Status != "" {
		t.Errorf("the other one has %+v", c)
	}
	w.later = 2 * reconciler.DefaultTolerance
	w.pass("Person", "ada")
	w.pass("Person", "bea")
	w.wants("Person", "ada", "False", "Throttled")
	w.wants("Person", "bea", "True", reconciler.Succeeded)
}
