package reconciler

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"google.golang.org/protobuf/types/known/durationpb"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/stratakube/strata/operator/annotation"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/operator/resource"
)

// within fails the test unless many draws are within a range, and in both halves of it.
func within(t *testing.T, reason string, least, most time.Duration, draw func() time.Duration) {
	t.Helper()
	low, high := false, false
	for range 100 {
		d := draw()
		if d < least || d > most {
			t.Errorf("%s: it is %v, want %v to %v", reason, d, least, most)
			return
		}
		low, high = low || d <= (least+most)/2, high || d >= (least+most)/2
	}
	if !low || !high {
		t.Errorf("%s: in one half of %v to %v only", reason, least, most)
	}
}

// TestPausesDouble is a table over failures in a row.
func TestPausesDouble(t *testing.T) {
	for _, test := range []struct {
		failures int
		slow     bool
		resync   time.Duration
		want     time.Duration
	}{
		{0, false, time.Hour, time.Second},
		{1, false, time.Hour, time.Second},
		{2, false, time.Hour, 2 * time.Second},
		{5, false, time.Hour, 16 * time.Second},
		{9, false, time.Hour, 256 * time.Second},
		{10, false, time.Hour, 5 * time.Minute},
		{1000, false, time.Hour, 5 * time.Minute},
		{1, true, time.Hour, 30 * time.Second},
		{2, true, time.Hour, time.Minute},
		{10, true, time.Hour, 15 * time.Minute},
		{10, false, time.Minute, time.Minute},
	} {
		r := New(passOf(t, Options{}).kind, Options{Resync: test.resync})
		within(t, fmt.Sprintf("%d failures, slow %t", test.failures, test.slow), test.want*3/4, test.want, func() time.Duration {
			return r.pause(test.failures, test.slow)
		})
	}
	r := New(passOf(t, Options{}).kind, Options{Patience: 1, Resync: time.Hour})
	within(t, "no number of failures is too large", 3<<14, 1<<16, func() time.Duration { return r.pause(1000, false) })
}

// TestPausesOfPassesThatReportNothing covers passes that fail repeatedly and write no status.
func TestPausesOfPassesThatReportNothing(t *testing.T) {
	for resync, want := range map[time.Duration]time.Duration{20 * time.Second: 20 * time.Second, time.Hour: 5 * time.Minute} {
		retries, last := New(passOf(t, Options{}).kind, Options{Resync: resync}).retries(), time.Duration(0)
		for range 100 {
			if last = retries.When(reconcile.Request{}); last > want {
				t.Fatalf("at a resync of %v a pause is %v, want %v at most", resync, last, want)
			}
		}
		if last != want {
			t.Errorf("at a resync of %v pauses become %v, want %v", resync, last, want)
		}
	}
}

// TestNextPass is a table over the ends of a pass.
func TestNextPass(t *testing.T) {
	const resync = 20 * time.Minute
	for _, test := range []struct {
		reason      string
		halt        *halt
		least, most time.Duration
	}{
		{"well", nil, resync * 4 / 5, resync},
		{"an operation is polled when it wishes", &halt{state: progressing, after: time.Minute}, time.Minute, time.Minute},
		{"but at each resync", &halt{state: progressing, after: time.Hour}, resync, resync},
		{"an operation that wishes nothing", &halt{state: progressing}, resync * 4 / 5, resync},
		{"an API that wishes", &halt{state: failing, after: time.Minute}, time.Minute, time.Minute + 7*time.Second},
		{"another object is looked for", haltOf(t, passOf(t, Options{}).lost(nil, nil)), 10 * time.Second, 12 * time.Second},
		{"an API that wishes too much", &halt{state: failing, after: time.Hour}, resync, resync},
		{"a failure", &halt{state: failing}, 3 * time.Second, 4 * time.Second},
		{"something else in the cluster", &halt{state: waiting}, resync * 4 / 5, resync},
		{"nothing helps", &halt{state: stalled}, resync * 4 / 5, resync},
	} {
		p := passOf(t, Options{Resync: resync})
		draw := func() time.Duration { return p.next(test.halt, &memo{failures: 3}) }
		if test.least == test.most {
			if got := draw(); got != test.most {
				t.Errorf("%s: it is %v, want %v", test.reason, got, test.most)
			}
			continue
		}
		within(t, test.reason, test.least, test.most, draw)
	}
}

// TestPollsAreWithinLimits is a table over the pauses that operations ask for.
func TestPollsAreWithinLimits(t *testing.T) {
	for _, test := range []struct {
		wish        time.Duration // below zero for none
		least, most time.Duration
	}{
		{-1, 5 * time.Second, 5500 * time.Millisecond},
		{0, 50 * time.Millisecond, 55 * time.Millisecond},
		{time.Minute, time.Minute, 66 * time.Second},
	} {
		p := passOf(t, Options{})
		within(t, test.wish.String(), test.least, test.most, func() time.Duration {
			return haltOf(t, p.underway(operationAfter(test.wish), false)).after
		})
	}
	if after := haltOf(t, passOf(t, Options{}).underway(operationAfter(24*time.Hour), false)).after; after != maxPoll {
		t.Errorf("an operation that wishes a day is polled after %v, want %v", after, maxPoll)
	}
	for _, test := range []struct {
		reason           string
		aim              annotation.Aim
		create, isEnding bool
		want             string
	}{
		{"a create", annotation.ToApply, true, false, Creating},
		{"a change", annotation.ToApply, false, false, Updating},
		{"a delete", annotation.ToDelete, false, false, Deleting},
		{"a create whose object is deleted", annotation.ToApply, true, true, Deleting},
		{"nothing remembered", "", false, false, Updating},
	} {
		p := passOf(t, Options{})
		if test.aim != "" {
			p.recorded.Operation = &annotation.PendingOperation{Aim: test.aim}
		}
		if now := metav1.Now(); test.isEnding {
			p.object.SetDeletionTimestamp(&now)
		}
		if h := haltOf(t, p.underway(&latest.Operation{}, test.create)); h.reason != test.want || h.message == "" || h.state != progressing {
			t.Errorf("%s: it halts with %+v, want %s", test.reason, h, test.want)
		}
		if h := haltOf(t, p.underway(&latest.Operation{Message: "at 7 %"}, test.create)); h.message != "at 7 %" {
			t.Errorf("it says %q", h.message)
		}
	}
}

func haltOf(t *testing.T, err error) *halt {
	t.Helper()
	var h *halt
	if !errors.As(err, &h) {
		t.Fatalf("it ends with %v", err)
	}
	return h
}

// operationAfter returns an operation that asks to be polled after a time; below zero for none.
func operationAfter(d time.Duration) *latest.Operation {
	if d < 0 {
		return &latest.Operation{}
	}
	return &latest.Operation{PollAfter: durationpb.New(d)}
}

// TestResults is a table over the ends of passes.
func TestResults(t *testing.T) {
	r := passOf(t, Options{}).Reconciler
	of := schema.GroupResource{Resource: "persons"}
	for _, test := range []struct {
		reason      string
		err         error
		least, most time.Duration
		fails       bool
	}{
		{"well", nil, time.Hour, time.Hour, false},
		{"another client has written", apierrors.NewConflict(of, "ada", errors.New("no")), 100 * time.Millisecond, 200 * time.Millisecond, false},
		{"the object is gone, or a Secret that was written", apierrors.NewNotFound(of, "ada"), 100 * time.Millisecond, 200 * time.Millisecond, false},
		{"the object was let go", errReleased, 0, 0, false},
		{"the API server fails", errors.New("no"), time.Hour, time.Hour, true},
	} {
		for range 20 {
			result, err := r.result(time.Hour, test.err)
			if result.RequeueAfter < test.least || result.RequeueAfter > test.most || (err != nil) != test.fails {
				t.Fatalf("%s: the next pass is after %v (%v)", test.reason, result.RequeueAfter, err)
			}
		}
	}
}

// TestActionsByPolicy is a table over the policies and the deletion of an object.
func TestActionsByPolicy(t *testing.T) {
	for _, test := range []struct {
		reason                  string
		policy                  string
		isEnding, isKept, owned bool
		want                    action
		stops                   bool
	}{
		{"a new object", "", false, false, false, managing, false},
		{"one with a resource", "", false, true, true, managing, false},
		{"one that is looked at", "observe", false, false, false, observing, false},
		{"one that is looked at and has a resource", "observe", false, true, true, observing, false},
		{"one whose resource stays", "detach-on-delete", false, true, true, managing, false},
		{"a slip", "detach", false, true, true, observing, true},
		{"a slip, in deletion", "detach", true, true, true, observing, true},
		{"a slip, of an object that has nothing", "detach", true, false, false, left, false},
		{"deletion", "", true, true, true, deleting, false},
		{"deletion, and nothing is claimed", "", true, true, false, detaching, false},
		{"deletion, and another client keeps the object", "", true, false, false, left, false},
		{"so, with a claim", "", true, false, true, left, false},
		{"deletion of one whose resource stays", "detach-on-delete", true, true, true, detaching, false},
		{"deletion of one that is looked at", "observe", true, true, true, detaching, false},
	} {
		p := passOf(t, Options{})
		p.object.SetAnnotations(map[string]string{annotation.ReconcilePolicy: test.policy})
		p.object.SetFinalizers([]string{"example.com/other"})
		if test.isKept {
			p.object.SetFinalizers([]string{"example.com/other", annotation.Finalizer})
		}
		if now := metav1.Now(); test.isEnding {
			p.object.SetDeletionTimestamp(&now)
		}
		p.recorded.Owned = test.owned
		if got, err := p.action(); got != test.want || (err != nil) != test.stops {
			t.Errorf("%s: the action is %s (%v), want %s", test.reason, got, err, test.want)
		}
	}
}

// TestHalts is a table over errors that end passes.
func TestHalts(t *testing.T) {
	of := schema.GroupResource{Resource: "persons"}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, test := range []struct {
		reason  string
		ctx     context.Context
		err     error
		want    string // the reason of the halt
		returns bool   // the error
	}{
		{"nothing", t.Context(), nil, "", false},
		{"nothing, and the operator ends", ended, nil, "", false},
		{"a halt", t.Context(), fmt.Errorf("of a phase: %w", &halt{reason: Exists, state: stalled}), Exists, false},
		{"a failure", t.Context(), &halt{reason: provider.ReasonTransient, state: failing}, provider.ReasonTransient, false},
		{"a failure, and the operator ends", ended, &halt{reason: provider.ReasonTransient, state: failing}, "", true},
		{"an operation, and the operator ends", ended, &halt{reason: Updating, state: progressing}, Updating, false},
		{"the API server fails", t.Context(), errors.New("no"), ReasonCluster, false},
		{"the API server fails, and the operator ends", ended, errors.New("no"), "", true},
		{"another client has written", t.Context(), apierrors.NewConflict(of, "ada", errors.New("no")), "", true},
		{"the object is gone", t.Context(), apierrors.NewNotFound(of, "ada"), "", true},
		{"the object was let go", t.Context(), errReleased, "", true},
	} {
		h, err := passOf(t, Options{}).haltOf(test.ctx, test.err)
		if (err != nil) != test.returns || (h == nil) != (test.want == "") || h != nil && h.reason != test.want {
			t.Errorf("%s: it halts with %+v (%v), want %q", test.reason, h, err, test.want)
		}
		if h != nil && h.reason == ReasonCluster && (h.state != failing || !h.unknown) {
			t.Errorf("%s: it halts with %+v", test.reason, h)
		}
	}
}

// TestErrorsShowNoSecret covers an API server that repeats a secret in an error: in one that
// becomes a halt, and in one that the pass returns. Neither the log nor the error shows the
// secret.
func TestErrorsShowNoSecret(t *testing.T) {
	const secret = "correct horse"
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "persons"}, "ada", errors.New("has "+secret))
	for _, stopped := range []error{errors.New("no " + secret), conflict} {
		p := passOf(t, Options{})
		var logged strings.Builder
		p.log = funcr.New(func(_, text string) { logged.WriteString(text) }, funcr.Options{})
		p.texts = [][]byte{[]byte(secret)}
		h, err := p.haltOf(t.Context(), stopped)
		if h != nil && (h.message != "no ***" || !strings.Contains(logged.String(), "no ***")) {
			t.Errorf("it halts with %q and logs %s", h.message, &logged)
		}
		if strings.Contains(logged.String(), secret) {
			t.Errorf("it logs %s", &logged)
		}
		if err == nil {
			continue
		}
		_, err = p.endPass(t.Context(), managing, stopped)
		if err == nil || strings.Contains(err.Error(), secret) || !apierrors.IsConflict(err) {
			t.Errorf("the pass returns %v", err)
		}
	}
}

// TestFindingsAreBounded covers more claims than an object stores, and claims that end while
// others are written. The findings that are valid for longest remain.
func TestFindingsAreBounded(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	of := func(i int) question { return question{types.UID(fmt.Sprint(i)), asRival} }
	m := &memo{}
	for i := range 2 * maxFindings {
		m.remember(of(i), finding{verdict: discounted, until: now.Add(time.Hour + time.Duration(i))}, now)
		if len(m.findings) > maxFindings {
			t.Fatalf("it remembers %d findings", len(m.findings))
		}
	}
	for i := range 2 * maxFindings {
		if _, has := m.findings[of(i)]; has != (i >= maxFindings) {
			t.Fatalf("it remembers the finding %d: %v", i, has)
		}
	}
	m.remember(of(maxFindings), finding{verdict: counted, until: now.Add(2 * time.Hour)}, now)
	if len(m.findings) != maxFindings || m.findings[of(maxFindings)].verdict != counted {
		t.Errorf("a new answer to a question leaves %d findings", len(m.findings))
	}
	later := now.Add(time.Hour + 2*maxFindings)
	if m.remember(of(-1), finding{until: later.Add(1)}, later); len(m.findings) != 2 {
		t.Errorf("%d findings are left when all but one have ended", len(m.findings))
	}
}

// TestToleration is a table over unknown states of an object that was Ready.
func TestToleration(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ready := metav1.Condition{Type: Ready, Status: metav1.ConditionTrue, Reason: Succeeded, ObservedGeneration: 1}
	since := func(d time.Duration) metav1.Condition {
		return metav1.Condition{Type: Reachable, Status: metav1.ConditionFalse, Reason: provider.ReasonTransient, LastTransitionTime: metav1.NewTime(now.Add(-d))}
	}
	reachable := since(30 * time.Second)
	reachable.Status = metav1.ConditionTrue
	before, notReady := ready, ready
	before.ObservedGeneration, notReady.Status = 2, metav1.ConditionFalse
	for _, test := range []struct {
		reason     string
		action     action
		isUnknown  bool
		isSeen     bool
		applied    string
		conditions []metav1.Condition
		want       time.Duration
	}{
		{"the first failure", managing, true, false, "d", []metav1.Condition{ready}, time.Minute},
		{"half a minute later", managing, true, false, "d", []metav1.Condition{ready, since(30 * time.Second)}, 30 * time.Second},
		{"after a minute", managing, true, false, "d", []metav1.Condition{ready, since(time.Minute)}, 0},
		{"the clock was set back", managing, true, false, "d", []metav1.Condition{ready, since(-time.Hour)}, 0},
		{"the clock was set back a little", managing, true, false, "d", []metav1.Condition{ready, since(-10 * time.Second)}, 50 * time.Second},
		{"it was reachable", managing, true, false, "d", []metav1.Condition{ready, reachable}, time.Minute},
		{"something is known", managing, false, false, "d", []metav1.Condition{ready}, 0},
		{"a look has told", managing, true, true, "d", []metav1.Condition{ready}, 0},
		{"the spec has changed", managing, true, false, "before", []metav1.Condition{ready}, 0},
		{"the generation has changed", managing, true, false, "d", []metav1.Condition{before}, 0},
		{"it was not Ready", managing, true, false, "d", []metav1.Condition{notReady}, 0},
		{"nothing was said", managing, true, false, "d", nil, 0},
		{"it is only looked at", observing, true, false, "before", []metav1.Condition{ready}, time.Minute},
		{"it is being deleted", deleting, true, false, "d", []metav1.Condition{ready}, 0},
	} {
		p := passOf(t, Options{Now: func() time.Time { return now }})
		p.digest, p.recorded.Applied = "d", test.applied
		if test.isSeen {
			p.seen = &v1.Observation{}
		}
		p.object.Object["status"] = map[string]any{"conditions": listOf(t, test.conditions)}
		if got := p.tolerates(test.action, &halt{unknown: test.isUnknown}); max(got, 0) != test.want {
			t.Errorf("%s: it is tolerated for %v, want %v", test.reason, got, test.want)
		}
	}
}

// listOf returns conditions as objects have them.
func listOf(t *testing.T, conditions []metav1.Condition) (all []any) {
	t.Helper()
	for i := range conditions {
		one, err := k8sruntime.DefaultUnstructuredConverter.ToUnstructured(&conditions[i])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// TestConditionsThatAreNone covers a status that another client has written.
func TestConditionsThatAreNone(t *testing.T) {
	p := passOf(t, Options{})
	for _, test := range []struct {
		conditions any
		want       int
	}{
		{nil, 0},
		{"Ready", 0},
		{map[string]any{"type": "Ready"}, 0},
		{[]any{"Ready", 7, nil, map[string]any{}, map[string]any{"type": 7}, map[string]any{"status": "True"}}, 0},
		{[]any{map[string]any{"type": "Ready", "status": "True"}, "Ready", map[string]any{"type": "Stalled"}}, 2},
	} {
		p.object.Object["status"] = map[string]any{"conditions": test.conditions}
		if all := conditionsOf(p.object); len(all) != test.want {
			t.Errorf("%v are %d conditions: %+v", test.conditions, len(all), all)
		}
	}
}

// TestDefaults creates reconcilers without options, and with all of them.
func TestDefaults(t *testing.T) {
	k := passOf(t, Options{}).kind
	r := New(k, Options{})
	if r.Resync != 10*time.Minute || r.Patience != time.Second || r.Tolerance != time.Minute || r.Claims == nil || !r.Cached(k) || time.Since(r.Now()) > time.Minute {
		t.Errorf("the options are %+v", r.Options)
	}
	if other := New(k, Options{}); other.Claims == r.Claims || other.holder == r.holder || len(r.holder) != 8 {
		t.Errorf("two reconcilers are %q and %q", r.holder, other.holder)
	}
	given := Options{
		Resync: 1, Patience: 2, Tolerance: 3, Claims: &Claims{}, Cached: func(*resource.Kind) bool { return false }, Now: func() time.Time { return time.Time{} },
	}
	if r := New(k, given); r.Resync != 1 || r.Patience != 2 || r.Tolerance != 3 || r.Claims != given.Claims || r.Cached(k) || !r.Now().IsZero() {
		t.Errorf("the options are %+v", r.Options)
	}
}
