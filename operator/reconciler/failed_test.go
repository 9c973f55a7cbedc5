package reconciler_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestFailedUpdateIsNotReady covers drift whose correction is an operation that fails. The
// external API shows all values that were sent, with a state or without one. The object is not
// Ready until another call has succeeded.
func TestFailedUpdateIsNotReady(t *testing.T) {
	for state, facts := range map[string][]*v1.Fact{
		"with a state": {{Type: "Provisioned", Truth: v1.Truth_TRUTH_FALSE, Reason: "Failed", Message: "quota"}}, "without": nil,
	} {
		for _, reason := range []v2.Reason{v2.Reason_REASON_INVALID, v2.Reason_REASON_CONFLICT} {
			t.Run(state, func(t *testing.T) {
				w := newWorld(t)
				made(w)
				good := *w.cloud.Get(ada)
				w.cloud.Put(ada, byron)
				w.cloud.Slow(5, false)
				w.pass("Person", "ada")
				w.cloud.Before(failing("Poll", reason))
				w.pass("Person", "ada")
				if c := w.condition("Person", "ada", reconciler.Ready); c.Status != "False" {
					t.Errorf("it is %+v", c)
				}
				w.cloud.Before(nil)
				good.Facts = facts
				w.cloud.Put(ada, good)
				w.restart()
				w.cloud.Slow(0, false)
				w.cloud.Before(failing("Apply", v2.Reason_REASON_TRANSIENT))
				w.pass("Person", "ada")
				if c := w.condition("Person", "ada", reconciler.Ready); c.Status != "False" {
					t.Errorf("it is %+v", c)
				}
				w.cloud.Before(nil)
				w.pass("Person", "ada")
				w.wants("Person", "ada", "True", reconciler.Succeeded)
			})
		}
	}
}

// TestRepairWithLostAnswer covers the repair of a resource whose change has failed, and which has
// all values that were sent. The call takes effect without an answer. It is not repeated: the state
// of the resource shows the effect.
func TestRepairWithLostAnswer(t *testing.T) {
	for _, test := range []struct {
		reason string
		after  []*v1.Fact // what the resource reports after the repair
		puts   int
		want   string
	}{
		{"the repair has succeeded", nil, 2, reconciler.Succeeded},
		{"the repair goes on", []*v1.Fact{{Type: "Provisioned", Truth: v1.Truth_TRUTH_FALSE, Reason: "Updating"}}, 2, reconciler.NotProvisioned},
		{"the repair has failed", []*v1.Fact{{Type: "Provisioned", Truth: v1.Truth_TRUTH_FALSE, Reason: "Failed"}}, 3, reconciler.Succeeded},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			made(w)
			failed := *w.cloud.Get(ada)
			failed.Facts = []*v1.Fact{{Type: "Provisioned", Truth: v1.Truth_TRUTH_FALSE, Reason: "Failed"}}
			w.cloud.Put(ada, failed)
			isCut := false
			w.cloud.After(func(c fakeprovider.Call) error {
				if c.Verb != "Apply" || isCut {
					return nil
				}
				isCut = true
				return errors.New("the connection was cut")
			})
			w.stands = time.Now()
			for !isCut && w.stands.Before(time.Now().Add(24*time.Hour)) {
				w.pass("Person", "ada")
				w.stands = w.stands.Add(time.Hour)
			}
			repaired := *w.cloud.Get(ada)
			repaired.Facts = test.after
			w.cloud.Put(ada, repaired)
			w.pass("Person", "ada")
			if c := w.condition("Person", "ada", reconciler.Ready); c.Reason != test.want {
				t.Errorf("it is %+v, want %s", c, test.want)
			}
			if n := len(w.cloud.Calls("Apply")); !isCut || n != test.puts {
				t.Errorf("it was applied %d times (cut: %t), want %d", n, isCut, test.puts)
			}
		})
	}
}

// TestRefusedCorrectionIsNotReady covers drift whose corrections are all refused. It does not
// count as drift that returns.
func TestRefusedCorrectionIsNotReady(t *testing.T) {
	for reason, want := range map[v2.Reason]string{v2.Reason_REASON_INVALID: "Invalid", v2.Reason_REASON_TRANSIENT: "Failed"} {
		w := newWorld(t)
		made(w)
		w.cloud.Put(ada, byron)
		w.cloud.Before(failing("Apply", reason))
		for range 3 {
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", want)
		}
		w.cloud.Before(nil)
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		if c := w.condition("Person", "ada", reconciler.Drifted); c.Status != "" {
			t.Errorf("it says %+v", c)
		}
	}
}

// TestStateIsLookedAtAgain covers a resource in sync that enters a state in which it does not
// work, and leaves it.
func TestStateIsLookedAtAgain(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.isOut(func(r *fakeprovider.Resource) {
		r.Facts = []*v1.Fact{{Type: "Provisioned", Truth: v1.Truth_TRUTH_FALSE, Reason: "Updating", Message: "a change outside is under way"}}
	})
	w.cloud.Forget()
	result := w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.NotProvisioned)
	if c := w.condition("Person", "ada", reconciler.Ready); result.RequeueAfter <= 0 || result.RequeueAfter > time.Second || c.Message == "" {
		t.Errorf("it is looked at again after %v, and says %q", result.RequeueAfter, c.Message)
	}
	w.isOut(func(r *fakeprovider.Resource) { r.Facts = nil })
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if n := len(w.mutations()); n > 0 {
		t.Errorf("it made %d calls that change something", n)
	}
}

// bad is the condition that the provider reports for a resource whose last change has failed.
var bad = []*v1.Fact{{Type: "Provisioned", Truth: v1.Truth_TRUTH_FALSE, Reason: "Failed", Message: "no capacity"}}

// TestCorrectionWithLostOperation covers a correction of drift whose operation ends as
// AllocationFailed or InternalServerError, which the provider reports as transient. The resource
// has all values that were sent, and its state is failed.
func TestCorrectionWithLostOperation(t *testing.T) {
	for _, reason := range []v2.Reason{v2.Reason_REASON_TRANSIENT, v2.Reason_REASON_NOT_FOUND} {
		w := newWorld(t)
		made(w)
		good := *w.cloud.Get(ada)
		w.cloud.Put(ada, byron)
		w.cloud.Slow(5, false)
		w.pass("Person", "ada")
		good.Facts = bad
		w.cloud.Put(ada, good)
		w.cloud.Slow(0, false)
		w.cloud.Before(failing("Poll", reason))
		for range 6 {
			w.pass("Person", "ada")
		}
		w.cloud.Before(nil)
		for range 50 {
			w.later += 11 * time.Minute
			w.pass("Person", "ada")
		}
		w.wants("Person", "ada", "True", reconciler.Succeeded)
	}
}

// TestCorrectionThatWentOnWithoutUs covers a correction of drift whose answer is lost, or after
// which the process ends, and which then fails.
func TestCorrectionThatWentOnWithoutUs(t *testing.T) {
	for _, ends := range []bool{false, true} {
		w := newWorld(t)
		made(w)
		good := *w.cloud.Get(ada)
		w.cloud.Put(ada, byron)
		if ends {
			w.cloud.Slow(5, false)
			w.cloud.After(func(c fakeprovider.Call) error {
				if c.Verb == "Apply" {
					w.writes = func(func() error) error { return errForbidden }
				}
				return nil
			})
		} else {
			w.cloud.After(func(c fakeprovider.Call) error {
				if c.Verb == "Apply" {
					return errors.New("the connection was cut")
				}
				return nil
			})
		}
		_, _ = w.try("Person", "ada")
		w.cloud.After(nil)
		w.writes = nil
		good.Facts = bad
		w.cloud.Put(ada, good)
		w.cloud.Slow(0, false)
		w.restart()
		for range 50 {
			w.later += 11 * time.Minute
			w.pass("Person", "ada")
		}
		w.wants("Person", "ada", "True", reconciler.Succeeded)
	}
}

// TestChangeThatGoesOn covers a change of another client that runs for an hour, during which
// nothing differs. The operator waits for its end, even after a restart, and then applies
// nothing.
func TestChangeThatGoesOn(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		w := newWorld(t)
		made(w)
		w.isOut(func(r *fakeprovider.Resource) {
			r.Facts = []*v1.Fact{{Type: "Provisioned", Truth: v1.Truth_TRUTH_FALSE, Reason: "Updating", Message: "a change outside is under way"}}
		})
		w.cloud.Forget()
		for range 12 {
			w.later += 5 * time.Minute
			if restarts {
				w.restart()
			}
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", reconciler.NotProvisioned)
		}
		w.isOut(func(r *fakeprovider.Resource) { r.Facts = nil })
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		if n := len(w.mutations()); n > 0 {
			t.Errorf("restarts %t: it made %d calls that change something", restarts, n)
		}
	}
}

// TestRefusedChangeIsNoChange covers a correction that is refused because of a change of another
// client. After that change the resource equals the object, and the operator applies nothing.
func TestRefusedChangeIsNoChange(t *testing.T) {
	for reason, breaks := range map[string]func(*fakeprovider.Resource){
		"drift":           func(r *fakeprovider.Resource) { r.Body = byron.Body },
		"a failed change": func(r *fakeprovider.Resource) { r.Facts = bad },
	} {
		for _, restarts := range []bool{false, true} {
			w := newWorld(t)
			w.cloud.Untagged()
			made(w)
			good := *w.cloud.Get(ada)
			before := w.recorded("Person", "ada")
			w.isOut(breaks)
			if reason != "drift" { // drift is corrected at once
				w.pass("Person", "ada")
				w.later = 11 * time.Minute
			}
			w.cloud.Before(applyFails(effect.None, v2.Reason_REASON_CONFLICT))
			w.cloud.Forget()
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", "Conflict")
			if n := len(w.cloud.Calls("Apply")); n != 1 {
				t.Fatalf("%s: it was applied %d times", reason, n)
			}
			if m := w.recorded("Person", "ada"); m.Applied != before.Applied || m.Unanswered != nil {
				t.Errorf("%s: it remembers %+v", reason, m)
			}
			w.cloud.Put(ada, good)
			w.cloud.Before(nil)
			w.cloud.Forget()
			if restarts {
				w.restart()
			}
			w.pass("Person", "ada")
			w.wants("Person", "ada", "True", reconciler.Succeeded)
			if n := len(w.mutations()); n > 0 {
				t.Errorf("%s: it was applied %d times after that", reason, n)
			}
		}
	}
}

// TestStateThatIsOver covers a resource that remains in a state which is neither success nor
// failure, and in which no change runs. The operator applies it again after a resync.
func TestStateThatIsOver(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.isOut(func(r *fakeprovider.Resource) {
		r.Facts = []*v1.Fact{{Type: "Provisioned", Truth: v1.Truth_TRUTH_FALSE, Reason: "Disconnected"}}
	})
	w.cloud.Forget()
	for range 20 {
		w.later += 11 * time.Minute
		w.pass("Person", "ada")
	}
	if n := len(w.cloud.Calls("Apply")); n == 0 {
		t.Errorf("in %v nothing was applied: %+v", w.later, w.condition("Person", "ada", reconciler.Ready))
	}
}

// TestProvidersReportRunningChanges covers a provider that reports changes under names with
// another meaning elsewhere, or without a name. The operator uses the field of the contract.
func TestProvidersReportRunningChanges(t *testing.T) {
	named := func(state string) []*v1.Fact {
		return []*v1.Fact{{Type: v1.Provisioned, Truth: v1.Truth_TRUTH_FALSE, Reason: state}}
	}
	for _, test := range []struct {
		reason    string
		change    v1.Change
		facts     []*v1.Fact
		isApplied bool
	}{
		{"it goes on, whatever it is called", v1.Change_CHANGE_RUNNING, named("Failed"), false},
		{"it goes on, and has no name", v1.Change_CHANGE_RUNNING, nil, false},
		{"it is over, whatever it is called", v1.Change_CHANGE_FAILED, named("Updating"), true},
		{"it is over, and has no name", v1.Change_CHANGE_FAILED, nil, true},
	} {
		w := newWorld(t)
		made(w)
		w.isOut(func(r *fakeprovider.Resource) { r.LastChange, r.Facts = test.change, test.facts })
		w.cloud.Forget()
		w.pass("Person", "ada")
		w.wants("Person", "ada", "False", reconciler.NotProvisioned)
		w.later += 11 * time.Minute
		w.pass("Person", "ada")
		if isApplied := len(w.cloud.Calls("Apply")) > 0; isApplied != test.isApplied {
			t.Errorf("%s: it was applied: %t", test.reason, isApplied)
		}
	}
}
