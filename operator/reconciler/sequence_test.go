package reconciler_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

var (
	firstSeed = flag.Uint64("first-seed", 0, "the `seed` of the first random sequence")
	sequences = flag.Uint64("sequences", ordinary(), "the `number` of random sequences")
)

// ordinary returns the default number of sequences. Each takes a sixth of a second of processor
// time, and more under the race detector.
func ordinary() uint64 {
	switch {
	case os.Getenv("STRATA_SOAK") != "":
		return 1000
	case isLong():
		return 60
	}
	return 24 // two for each API and provider
}

// isLong reports whether tests may take minutes.
func isLong() bool { return os.Getenv("STRATA_LONG") != "" || os.Getenv("STRATA_SOAK") != "" }

// apis lists the values by which APIs distinguish resources.
var apis = []struct {
	name             string
	hasUIDs, hasTags bool
	set              func(*fakeprovider.Cloud)
}{
	{"UIDs and entity tags", true, true, func(*fakeprovider.Cloud) {}},
	{"neither", false, false, (*fakeprovider.Cloud).Nameless},
	{"UIDs", true, false, (*fakeprovider.Cloud).Untagged},
	{"entity tags, and a provider that tells less", false, true, (*fakeprovider.Cloud).Poor},
	{"UIDs and marks", true, false, func(c *fakeprovider.Cloud) { c.Untagged(); c.Marked() }},
	{"UIDs that reads spell otherwise", true, false, func(c *fakeprovider.Cloud) { c.Untagged(); c.Respelled() }},
}

// sequence is a random sequence of events for one object and its resource.
type sequence struct {
	*world
	random           *rand.Rand
	hasUIDs, hasTags bool
	compares         bool                     // the provider compares the resource with the spec
	sent             []*annotation.SentCreate // creates of unknown outcome, which may still take effect
	changes          []fakeprovider.Resource  // changes of unknown outcome without an entity tag
	isForeign        bool                     // another client created the resource
	isDoubtful       bool                     // a change of unknown outcome may have made the resource
	isMissed         bool                     // a look has missed what a create has left
	history          []string
}

// steps lists the events. A failure prints those of the sequence.
var steps = map[string]func(*sequence){
	"a pass": func(s *sequence) {
		s.step()
		s.isTrue()
	},
	"a restart":   func(s *sequence) { s.restart() },
	"time passes": func(s *sequence) { s.later += time.Duration(s.random.IntN(90)) * time.Second },
	"a long time passes": func(s *sequence) {
		s.later += time.Duration(s.random.IntN(40)) * time.Minute
		s.sent, s.changes = nil, nil
	},
	otherClock: func(s *sequence) {
		s.later += time.Duration(s.random.IntN(1200)-600) * time.Second
		s.restart()
	},
	"an edit": func(s *sequence) {
		s.edit("Person", "ada", func(u *unstructured.Unstructured) {
			u.Object["spec"].(map[string]any)["location"] = fmt.Sprint("region", s.random.IntN(3))
		})
	},
	"a call without an effect fails":      func(s *sequence) { s.failsWith(effect.None) },
	"a call is cut off before its effect": func(s *sequence) { s.failsWith(effect.Possible) },
	"a call is cut off after its effect":  func(s *sequence) { s.failsWith(effect.Certain) },
	"an answer is lost, and the process ends": func(s *sequence) {
		s.cloud.After(func(c fakeprovider.Call) error {
			if c.Verb == "Apply" || c.Verb == "Delete" {
				s.writes = func(func() error) error { return errForbidden }
			}
			return nil
		})
		s.step()
		s.cloud.After(nil)
		s.writes = nil
		s.restart()
	},
	"the process ends": func(s *sequence) {
		left := s.random.IntN(7)
		isDead := func() bool { left--; return left < 0 }
		s.cloud.Before(func(fakeprovider.Call) error {
			if isDead() {
				return fakeprovider.FailAfter(effect.None, v2.Reason_REASON_TRANSIENT, "the process has ended")
			}
			return nil
		})
		s.writes = func(do func() error) error {
			if isDead() {
				return errForbidden
			}
			return do()
		}
		s.step()
		s.cloud.Before(nil)
		s.writes = nil
		s.restart()
	},
	"a write meets another one": func(s *sequence) {
		s.fails(false, apierrors.NewConflict(schema.GroupResource{}, "ada", errors.New("it was changed")))
	},
	"the answer to a write is lost": func(s *sequence) { s.fails(true, errors.New("the connection was cut")) },
	"a look lags": func(s *sequence) {
		if s.isMissed { // looks do not lag behind what a create has made an hour ago
			s.step()
		}
		s.cloud.Stale(1)
		s.step()
		s.cloud.Stale(0)
	},
	"a look lags, and the create after it is refused": func(s *sequence) {
		if m := s.recorded("Person", "ada"); m.ResourceUID == "" || s.isMissed {
			s.step() // without UIDs, only a resource of a moment ago may have been missed
		}
		s.cloud.Stale(1)
		s.failsOnce("Apply", effect.None, v2.Reason_REASON_THROTTLED)
		s.step()
		s.cloud.Stale(0)
		s.cloud.Before(nil)
	},
	"a cut create takes effect": func(s *sequence) {
		if len(s.sent) == 0 || s.cloud.Get(ada) != nil {
			return
		}
		one := s.sent[s.random.IntN(len(s.sent))]
		s.sent, s.isDoubtful = nil, s.isDoubtful || s.isDoubted()
		s.cloud.Put(ada, fakeprovider.Resource{Version: one.Version, Body: []byte(one.Body), IsOwn: true})
	},
	"a cut change takes effect": func(s *sequence) {
		if len(s.changes) == 0 || s.isForeign {
			return
		}
		one := s.changes[s.random.IntN(len(s.changes))]
		if one.IsOwn = true; s.cloud.Get(ada) == nil {
			s.isDoubtful = true
		}
		s.cloud.Put(ada, one)
		s.changes = nil
	},
	"another client makes it": func(s *sequence) {
		m := s.recorded("Person", "ada")
		isKnown := m.ID == "" || s.hasUIDs && m.ResourceUID != ""
		if s.cloud.Get(ada) == nil && isKnown && m.Operation == nil { // a running operation refuses other clients
			s.cloud.Put(ada, byron)
			s.isForeign, s.isDoubtful, s.sent, s.changes = true, false, nil, nil
		}
	},
	"another client removes it": func(s *sequence) {
		s.cloud.Remove(ada)
		s.isForeign, s.isDoubtful = false, s.recorded("Person", "ada").Operation != nil
	},
	"another client changes it": func(s *sequence) {
		if r := s.cloud.Get(ada); r != nil && !s.isForeign && s.recorded("Person", "ada").ID != "" {
			s.isOut(func(r *fakeprovider.Resource) { r.Body = byron.Body })
		}
	},
	"a change of another client goes on": func(s *sequence) { s.state("Updating") },
	"a change of another client fails":   func(s *sequence) { s.state("Failed") },
	"a change of another client ends":    func(s *sequence) { s.state("") },
	"the user adopts what is there": func(s *sequence) {
		s.adopts()
	},
	"polls are refused for a while": func(s *sequence) {
		s.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_UNAUTHORIZED})
		for range 1 + s.random.IntN(7) {
			s.later += time.Minute
			s.step()
		}
		s.cloud.Before(nil)
	},
	"days pass": func(s *sequence) {
		s.ages(time.Duration(20+s.random.IntN(60)) * time.Hour)
	},
	"the policy is to observe for a while": func(s *sequence) {
		s.annotate("Person", "ada", annotation.ReconcilePolicy, string(annotation.Observe))
		s.step()
		s.annotate("Person", "ada", annotation.ReconcilePolicy, "")
	},
	"operations": func(s *sequence) { s.cloud.Slow(s.random.IntN(3), s.random.IntN(2) == 0) },
}

// episodes lists what takes several events in a certain order, and would seldom be drawn otherwise.
var episodes = map[string]func(*sequence){
	"an operation ends while the operator is away":                   (*sequence).endsUnseen,
	"an operation goes on for days":                                  (*sequence).lastsForDays,
	"a create fails at a service that alters it, and a look lags":    (*sequence).leavesAltered,
	"a create ends in an absence, and another client makes the same": (*sequence).endsLongAgo,
	ahead: (*sequence).isAhead,
	"many creates are cut off, and the first one takes effect": (*sequence).isOmitted,
	"a create is lost, and nothing appears":                    (*sequence).losesCreate,
	"a client makes its claim unreadable":                      (*sequence).isUnreadable,
	"an object of another namespace forges a claim":            (*sequence).isForged,
	"an operation takes effect and fails, and a look lags": func(s *sequence) {
		s.failsOnce("Poll", effect.Certain, v2.Reason_REASON_INVALID)
		s.cloud.Stale(1)
		s.step()
		s.cloud.Stale(0)
		s.cloud.Before(nil)
		s.cloud.After(nil)
		s.later += 11 * time.Second
		s.step()
	},
	"a create ends well unseen, and another client replaces its resource": func(s *sequence) {
		if s.cloud.Get(ada) != nil {
			return
		}
		s.cloud.Slow(1, false)
		s.cloud.Quiet()
		s.step()
		s.cloud.Stale(1)
		s.step()
		s.cloud.Stale(0)
		s.cloud.Loud()
		s.cloud.Slow(0, false)
		if m := s.recorded("Person", "ada"); m.Operation == nil && m.Sent != nil && m.Sent.Ended {
			s.cloud.Remove(ada)
			s.cloud.Put(ada, byron)
			s.isForeign, s.isDoubtful, s.sent, s.changes = true, false, nil, nil
			s.step()
			s.isTrue()
		}
	},
}

// isFree reports whether the next pass creates the resource.
func (s *sequence) isFree() bool {
	return s.cloud.Get(ada) == nil && !s.isForeign && s.recorded("Person", "ada").Operation == nil
}

// appears puts a resource that equals what a create has sent. Only the user can tell whose it is.
func (s *sequence) appears(sent *annotation.SentCreate, isOwn bool) {
	s.cloud.Put(ada, fakeprovider.Resource{Version: sent.Version, Body: []byte(sent.Body), IsOwn: isOwn})
	s.isDoubtful, s.sent, s.changes = true, nil, nil
	s.step()
	s.isTrue()
}

// leavesAltered has a create fail that leaves a resource, at a service that spells a value
// otherwise. The look after it misses the resource.
func (s *sequence) leavesAltered() {
	if !s.isFree() {
		return
	}
	s.cloud.Alters(func(body []byte) []byte {
		return bytes.Replace(body, []byte(`"familyName":"`), []byte(`"familyName":"The `), 1)
	})
	s.cloud.Slow(1, false)
	s.step()
	s.cloud.Slow(0, false)
	s.cloud.Alters(nil)
	if m := s.recorded("Person", "ada"); m.Operation == nil || m.ID != "" {
		return
	}
	s.isDoubtful = true
	s.failsOnce("Poll", effect.Certain, v2.Reason_REASON_INVALID)
	s.cloud.Stale(1)
	s.step()
	s.cloud.Stale(0)
	s.cloud.Before(nil)
	s.cloud.After(nil)
	s.later += time.Duration(s.random.IntN(400)) * time.Second
	s.isMissed = true
}

// endsLongAgo has a create end while the operator is away, and another client remove its resource.
// When the operator has learned of the end, another client makes the same.
func (s *sequence) endsLongAgo() {
	if !s.isFree() || s.begins(1) == nil {
		return
	}
	s.cloud.Complete()
	s.cloud.Remove(ada)
	s.cloud.Quiet()
	if s.random.IntN(2) == 0 {
		s.failsOnce("Poll", effect.None, v2.Reason_REASON_INVALID)
	}
	s.later += 24 * time.Hour
	s.restart()
	s.step()
	s.cloud.Before(nil)
	s.cloud.Loud()
	if m := s.recorded("Person", "ada"); m.Operation == nil && m.Sent != nil && s.cloud.Get(ada) == nil {
		s.later += time.Duration(s.random.IntN(60)) * time.Second
		s.appears(m.Sent, false)
	}
}

// isAhead has a create be cut off by a machine whose clock is ten hours ahead. Another one takes
// over. When ten hours have passed, another client makes the same.
func (s *sequence) isAhead() {
	if !s.isFree() {
		return
	}
	s.ages(2 * time.Hour) // earlier creates prove nothing any more
	s.later += 10 * time.Hour
	s.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
	s.step()
	s.cloud.Before(nil)
	s.later -= 10 * time.Hour
	s.restart()
	s.failsAll(map[string]v2.Reason{"Observe": v2.Reason_REASON_TRANSIENT})
	s.step()
	s.cloud.Before(nil)
	s.later += 10 * time.Hour
	if m := s.recorded("Person", "ada"); m.Operation == nil && m.Sent != nil && m.Sent.MissedUID == "" && s.cloud.Get(ada) == nil {
		s.appears(m.Sent, false)
	}
}

// isOmitted has more creates be cut off than a claim stores. The first one takes effect.
func (s *sequence) isOmitted() {
	if !s.isFree() {
		return
	}
	var first *annotation.SentCreate
	for i := range 6 {
		s.edit("Person", "ada", func(u *unstructured.Unstructured) {
			u.Object["spec"].(map[string]any)["location"] = fmt.Sprint("draft", i, s.random.IntN(1000))
		})
		s.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
		s.step()
		s.cloud.Before(nil)
		if m := s.recorded("Person", "ada"); first == nil && m.ID == "" {
			first = m.Sent
		}
	}
	if first != nil && s.isFree() {
		s.appears(first, true)
	}
}

// losesCreate has the operation of a create be lost, and no resource be there, which another create
// of the same request follows. If the object ends now, an event warns that the first may appear.
func (s *sequence) losesCreate() {
	if !s.isFree() || s.begins(1_000_000) == nil || s.recorded("Person", "ada").ID != "" {
		return
	}
	s.cloud.Lose()
	s.cloud.Remove(ada)
	s.failsAll(map[string]v2.Reason{"Apply": v2.Reason_REASON_THROTTLED})
	s.step()
	s.cloud.Before(nil)
	if m := s.recorded("Person", "ada"); m.Operation == nil && m.ID == "" && (m.Sent == nil || !m.Sent.Lost && !m.Sent.MayRun()) {
		s.Errorf("its create is lost, and it remembers %+v", m.Sent)
	}
}

// failsAfterCut has a create be cut off, which may still take effect, and an equal one after it be
// accepted and fail.
func (s *sequence) failsAfterCut() {
	if !s.isFree() {
		return
	}
	s.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
	s.step()
	s.cloud.Before(nil)
	m := s.recorded("Person", "ada")
	if m.ID != "" || m.Sent == nil || m.Sent.IsAnswered() || s.now().Sub(m.Sent.At) > time.Minute || s.begins(1_000_000) == nil {
		return
	}
	s.sent = append(s.sent, m.Sent)
	s.cloud.Lose()
	s.cloud.Remove(ada)
	s.failsOnce("Poll", effect.None, v2.Reason_REASON_INVALID)
	s.step()
	s.cloud.Before(nil)
}

// isUnreadable has a client replace the claim by a text that is none. The operator knows the claim,
// and writes it again.
func (s *sequence) isUnreadable() {
	s.step() // so that the process knows the claim
	was := s.recorded("Person", "ada")
	if !was.Owned {
		return
	}
	s.annotate("Person", "ada", annotation.Claim, []string{"{}", "-", `{"uid":"another"}`}[s.random.IntN(3)])
	s.failsAll(map[string]v2.Reason{"Identify": v2.Reason_REASON_TRANSIENT, "Observe": v2.Reason_REASON_TRANSIENT, "Poll": v2.Reason_REASON_TRANSIENT})
	s.step()
	s.cloud.Before(nil)
	if is := s.recorded("Person", "ada"); is.ID != was.ID || !is.Owned || (is.Sent == nil) != (was.Sent == nil) || (is.Operation == nil) != (was.Operation == nil) {
		s.Errorf("its claim was %+v, and is %+v", was, is)
	}
}

// isForged has a client of another namespace forge an older claim to the resource of the object, by
// an object whose spec means it. That object touches nothing, also if it is deleted.
func (s *sequence) isForged() {
	s.step()
	m := s.recorded("Person", "ada")
	if !m.Owned || s.isForeign {
		return
	}
	name := fmt.Sprint("forger", len(s.history))
	s.there("Person", name, named("ada"))
	annotations := forgery(name)
	if s.random.IntN(2) == 0 {
		annotations = maps.Clone(s.get("Person", "ada").GetAnnotations())
		annotations[annotation.Claim] = strings.ReplaceAll(annotations[annotation.Claim], "uid-of-ada", "uid-there-of-"+name)
	}
	s.forge(name, annotations)
	if s.random.IntN(2) == 0 {
		s.restart()
	}
	s.cloud.Forget()
	pass := func() { _, _ = s.all["Person"].Reconcile(s.Context(), requestThere(name)) }
	pass()
	if c := s.readyThere("Person", name); c.Status == "True" {
		s.Errorf("the object with a forged claim is %+v", c)
	}
	if err := s.client.Delete(s.Context(), s.getThere("Person", name)); err != nil {
		s.Fatal(err)
	}
	for range 3 {
		pass()
	}
	if changes := s.mutations(); len(changes) > 0 {
		s.Errorf("the object with a forged claim does %+v", changes)
	}
}

func requestThere(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: apart, Name: name}}
}

// ages makes hours pass without a process. After that, nothing proves who made a resource after a
// create of unknown outcome.
func (s *sequence) ages(while time.Duration) {
	s.later += while
	s.sent, s.changes = nil, nil
	if r, m := s.cloud.Get(ada), s.recorded("Person", "ada"); r != nil && r.IsOwn && (!m.Owned || m.ID == "") {
		s.isDoubtful = true
		s.step() // reads do not lag behind writes of an hour ago
	}
}

// adopts has the user adopt the resource, for one pass.
func (s *sequence) adopts() {
	s.cloud.Permit(true)
	s.annotate("Person", "ada", annotation.Adopt, "true")
	s.step()
	s.cloud.Permit(false)
	if r, m := s.cloud.Get(ada), s.recorded("Person", "ada"); r != nil && m.Owned && m.ID != "" {
		s.isForeign, s.isDoubtful = false, false
		r.IsOwn = true
		s.cloud.Put(ada, *r)
	}
	s.annotate("Person", "ada", annotation.Adopt, "")
}

// begins begins an operation that takes a number of polls: a create, or a change if the resource
// belongs to the object. It returns nil if there is none.
func (s *sequence) begins(polls int) *annotation.PendingOperation {
	if s.isForeign || s.isDoubtful {
		return nil
	}
	s.state("")
	if s.recorded("Person", "ada").Operation != nil { // of another step
		s.cloud.Finish()
		s.step()
	}
	if s.recorded("Person", "ada").Operation != nil {
		return nil
	}
	s.cloud.Slow(polls, polls == 1 && s.random.IntN(2) == 0)
	if s.cloud.Get(ada) != nil {
		s.edit("Person", "ada", func(u *unstructured.Unstructured) {
			u.Object["spec"].(map[string]any)["location"] = fmt.Sprint("other", s.random.IntN(1000))
		})
	}
	s.step()
	s.cloud.Slow(0, false)
	if o := s.recorded("Person", "ada").Operation; o != nil && o.Aim == annotation.ToApply {
		return o
	}
	return nil
}

// endsUnseen has an operation end or fail while no operator runs. Meanwhile another client may
// replace or change the resource.
func (s *sequence) endsUnseen() {
	if s.begins(1) == nil {
		return
	}
	m := s.recorded("Person", "ada")
	isCreate, isKnown := m.ID == "", m.ID == "" || s.hasUIDs && m.ResourceUID != ""
	if s.random.IntN(2) == 0 {
		s.cloud.Quiet()
	}
	s.cloud.Complete()
	s.later += time.Duration(90+s.random.IntN(3000)) * time.Minute
	s.sent, s.changes = nil, nil
	s.restart()
	does := s.random.IntN(4)
	if is := s.cloud.Get(ada); is == nil || !is.IsOwn {
		s.Errorf("the operation left %+v", is)
	}
	switch {
	case does == 0 && isKnown:
		s.history = append(s.history, "(another client replaces it)")
		s.cloud.Remove(ada)
		s.cloud.Put(ada, byron)
		s.isForeign = true
	case does == 1:
		s.history = append(s.history, "(another client changes it)")
		s.isOut(func(r *fakeprovider.Resource) { r.Body = byron.Body })
		s.isDoubtful = isCreate
	}
	if s.random.IntN(3) == 0 {
		s.history = append(s.history, "(the poll reports a failure)")
		s.failsOnce("Poll", effect.None, v2.Reason_REASON_INVALID)
		s.isDoubtful = s.isDoubtful || isCreate && !s.isForeign
	}
	s.step()
	s.cloud.Before(nil)
	s.cloud.Loud()
	s.isTrue()
}

// lastsForDays has an operation go on for days, which only polls report. The resource is visible or
// not, and the service may spell a value otherwise. The operator follows the operation: it sends
// nothing, and the object is not Ready.
func (s *sequence) lastsForDays() {
	isVisible := s.random.IntN(2) == 0
	s.cloud.Shows(isVisible)
	s.cloud.Rotates(true)
	if s.random.IntN(2) == 0 {
		s.cloud.Alters(func(body []byte) []byte { return bytes.Replace(body, []byte(`"other`), []byte(`"OTHER`), 1) })
	}
	o := s.begins(1_000_000)
	s.cloud.Shows(false)
	s.cloud.Alters(nil)
	defer s.cloud.Rotates(false)
	if o == nil {
		return
	}
	s.history = append(s.history, fmt.Sprintf("(visible %t)", isVisible))
	s.cloud.Forget()
	for range 6 {
		s.later += time.Duration(1+s.random.IntN(20)) * time.Hour
		fails := map[string]v2.Reason{}
		if s.random.IntN(3) == 0 {
			fails[[]string{"Observe", "Poll"}[s.random.IntN(2)]] = []v2.Reason{v2.Reason_REASON_TRANSIENT, v2.Reason_REASON_UNAUTHORIZED}[s.random.IntN(2)]
		}
		s.failsAll(fails)
		if s.step(); s.random.IntN(4) == 0 {
			s.restart()
		}
		if m, c := s.recorded("Person", "ada"), s.condition("Person", "ada", reconciler.Ready); m.Operation == nil || c.Status == "True" || len(s.mutations()) > 0 {
			s.Errorf("its operation goes on, and %d calls change something: it is %+v, and remembers %+v", len(s.mutations()), c, m.Operation)
		}
	}
	s.sent, s.changes = nil, nil
	s.cloud.Before(nil)
	s.step() // a poll is answered shortly before the end
	s.cloud.Finish()
	s.step()
	s.isTrue()
}

// state sets the state of the last change of the object's resource.
func (s *sequence) state(state string) {
	if s.cloud.Get(ada) == nil || s.isForeign {
		return
	}
	s.isOut(func(r *fakeprovider.Resource) {
		if r.Facts = nil; state != "" {
			r.Facts = []*v1.Fact{{Type: "Provisioned", Truth: v1.Truth_TRUTH_FALSE, Reason: state}}
		}
	})
}

// step makes a pass. It ignores errors of the API server.
func (s *sequence) step() {
	if s.isGone("Person", "ada") {
		return
	}
	isOpen := s.cloud.Get(ada) == nil && s.isDoubted()
	_, _ = s.try("Person", "ada")
	s.isMissed = false
	if s.isGone("Person", "ada") {
		return
	}
	if m := s.recorded("Person", "ada"); m.Owned && m.ID != "" {
		s.sent = nil // a later successful create shows that they had no effect
	}
	if isOpen && s.cloud.Get(ada) != nil && s.isDoubted() { // a create took effect, and its answer was lost
		s.isDoubtful = true
	}
}

// isDoubted reports whether the claim has a doubt about a resource without a known UID. After an
// absence of that resource, only the answer to a create ends the doubt.
func (s *sequence) isDoubted() bool {
	m := s.recorded("Person", "ada")
	return m.Owned && m.ID == "" && m.Sent != nil && m.Sent.Doubted && m.Sent.DoubtedUID == ""
}

// isTrue fails the test if the object is Ready although its resource does not exist.
func (s *sequence) isTrue() {
	s.Helper()
	if s.isGone("Person", "ada") || s.condition("Person", "ada", reconciler.Ready).Status != "True" {
		return
	}
	r := s.cloud.Get(ada)
	if r == nil || s.isForeign || !r.IsOwn {
		s.Errorf("it is Ready, and outside is %+v", r)
		return
	}
	isDrifted := s.condition("Person", "ada", reconciler.Drifted).Status == "True"
	want, _, _ := unstructured.NestedString(s.get("Person", "ada").Object, "spec", "location")
	if !isDrifted && s.compares && !strings.Contains(string(r.Body), fmt.Sprintf("%q", want)) {
		s.Errorf("it is Ready, its location is %s, and outside is %s", want, r.Body)
	}
}

// fails makes a write of the next pass fail, whether or not it is stored.
func (s *sequence) fails(isStored bool, failure error) {
	before := s.random.IntN(4)
	s.writes = func(do func() error) error {
		if before--; before != -1 {
			return do()
		}
		if isStored {
			if err := do(); err != nil {
				return err
			}
		}
		return failure
	}
	s.step()
	s.writes = nil
}

func (s *sequence) failsWith(has v2.Effect) {
	reasons := []v2.Reason{v2.Reason_REASON_TRANSIENT, v2.Reason_REASON_THROTTLED, v2.Reason_REASON_CONFLICT, v2.Reason_REASON_UNAUTHORIZED}
	methods := []string{"Apply", "Apply", "Apply", "Observe", "Poll", "Delete"}
	method := methods[s.random.IntN(len(methods))]
	s.failsOnce(method, has, reasons[s.random.IntN(len(reasons))])
	s.cloud.Forget()
	s.step()
	s.cloud.Before(nil)
	s.cloud.After(nil)
	calls := s.cloud.Calls("Apply")
	if has != effect.Possible || method != "Apply" || len(calls) == 0 || s.isGone("Person", "ada") {
		return
	}
	if m := s.recorded("Person", "ada"); calls[0].CreateOnly && s.cloud.Get(ada) == nil && m.Sent != nil && m.Operation == nil {
		s.sent = append(s.sent, m.Sent)
	} else if !calls[0].CreateOnly && !s.hasTags {
		s.changes = append(s.changes, fakeprovider.Resource{Version: calls[0].Version, Body: []byte(calls[0].Body), Mark: s.markOf()})
	}
}

// markOf returns the mark of the object, in an API with marks.
func (s *sequence) markOf() string {
	if r := s.cloud.Get(ada); r != nil {
		return r.Mark
	}
	return ""
}

// isWell fails the test if the operator has touched the resource of another client.
func (s *sequence) isWell() {
	s.Helper()
	if s.isForeign {
		s.isByron(ada)
	}
	for _, fault := range s.cloud.Faults() {
		s.Error(fault)
	}
}

// TestRandomSequences draws sequences, half of them with a provider that reports changes only by
// conditions. In the end the resource equals the object, or belongs to another client and is
// untouched. The deletion of the object leaves no other resource. The user decides if nothing
// proves who made a resource, and only then.
func TestRandomSequences(t *testing.T) {
	events, drawn := sortedKeys(steps), sortedKeys(episodes)
	for seed := *firstSeed; seed < *firstSeed+*sequences; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			api := apis[seed%uint64(len(apis))]
			s := &sequence{world: newWorld(t), random: rand.New(rand.NewPCG(seed, 1)), hasUIDs: api.hasUIDs, hasTags: api.hasTags, compares: !strings.Contains(api.name, "tells less")}
			if api.set(s.cloud); seed/uint64(len(apis))%2 == 1 {
				s.cloud.Silent()
			}
			s.object("Person", "ada", person())
			for range 25 {
				from, names := steps, events
				if s.random.IntN(5) == 0 {
					from, names = episodes, drawn
				}
				name := names[s.random.IntN(len(names))]
				s.history = append(s.history, name)
				from[name](s)
				if s.isWell(); t.Failed() {
					t.Fatalf("%s, after %q", api.name, s.history)
				}
			}
			s.cloud.Slow(0, false)
			s.ends(s.random.IntN(2) == 0)
			if t.Failed() {
				t.Fatalf("%s, after %q", api.name, s.history)
			}
		})
	}
}

// ends finishes the sequence, at once by a deletion or not.
func (s *sequence) ends(atOnce bool) {
	s.state("")
	if !atOnce {
		s.settles()
	}
	if s.random.IntN(6) == 0 {
		s.history = append(s.history, "it is removed, a create is cut off, and an equal one fails")
		if steps["another client removes it"](s); !s.isDoubtful {
			s.failsAfterCut()
		}
	}
	isAwaited := s.random.IntN(3) == 0 && s.begins(1_000_000) != nil
	s.delete("Person", "ada")
	if isAwaited {
		s.endsLate()
	}
	s.cloud.Slow(s.random.IntN(2), false)
	s.step()
	s.cloud.Slow(0, false)
	s.losesDelete()
	if !s.isGone("Person", "ada") && s.random.IntN(2) == 0 {
		steps["a cut create takes effect"](s)
		steps["a cut change takes effect"](s)
	}
	for i := range 60 {
		s.later += 20 * time.Second
		isOpen := s.isOpen()
		s.step()
		if isOpen && s.isGone("Person", "ada") {
			s.Errorf("a create may still take effect, and the object is gone: %s", s.reported())
		}
		if i == 20 {
			s.decides()
		}
	}
	s.isWell()
	if !s.isGone("Person", "ada") {
		s.Errorf("it is still there: %+v", s.condition("Person", "ada", reconciler.Ready))
	}
	if r := s.cloud.Get(ada); r != nil && !s.isForeign {
		s.Errorf("outside is %s: %s", r.Body, s.reported())
	}
}

// isOpen reports whether a create of less than five minutes ago may still take effect, and the
// deletion has to wait for it. No resource is there, and no user has decided. While clocks differ,
// nothing says how long ago a create was.
func (s *sequence) isOpen() bool {
	if s.isGone("Person", "ada") || s.cloud.Get(ada) != nil || slices.Contains(s.history, otherClock) || slices.Contains(s.history, ahead) {
		return false
	}
	if annotations := s.get("Person", "ada").GetAnnotations(); annotations[annotation.ReconcilePolicy] != "" {
		return false
	}
	return slices.ContainsFunc(s.sent, func(one *annotation.SentCreate) bool { return s.now().Sub(one.At) < 5*time.Minute })
}

// The events after which clocks differ.
const (
	otherClock = "another machine takes over, whose clock differs"
	ahead      = "a create is cut off by a clock that is hours ahead"
)

// endsLate has the operation of a deleted object go on for more than a day, and then end. A create
// holds up the deletion for as long. If its polls are refused, the object goes with a warning.
func (s *sequence) endsLate() {
	s.history = append(s.history, "it is deleted, and its operation goes on for days")
	isCreate := s.recorded("Person", "ada").ID == ""
	if isCreate && s.random.IntN(3) == 0 {
		s.isRefused()
		return
	}
	if !isCreate && s.random.IntN(3) == 0 {
		s.losesChange()
		return
	}
	for range 20 {
		if s.later += time.Duration(s.random.IntN(4)) * time.Hour; s.random.IntN(4) == 0 {
			s.later += time.Minute
		}
		if s.step(); isCreate && s.isGone("Person", "ada") {
			s.Error("its create goes on, and the object is gone")
			return
		}
	}
	s.sent, s.changes = nil, nil
	s.cloud.Finish()
}

// isRefused has the polls of the create of a deleted object be refused until the operator gives up.
func (s *sequence) isRefused() {
	s.history = append(s.history, "its polls are refused")
	_ = s.reported()
	s.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_UNAUTHORIZED})
	s.later += 25 * time.Hour
	for range 60 {
		s.step()
		s.later += 20 * time.Second
	}
	s.cloud.Before(nil)
	s.sent, s.changes = nil, nil
	if state := s.reported(); s.isGone("Person", "ada") && !strings.Contains(state, "Warning "+reconciler.NotDeleted) {
		s.Errorf("its create may go on, and the object goes with %s", state)
	}
	s.cloud.Lose()
	s.cloud.Remove(ada)
}

// losesChange has the operation of a change of the deleted object be lost, and another client
// remove the resource. The object ends with a warning, since the operation may make it again.
func (s *sequence) losesChange() {
	s.history = append(s.history, "its change is lost")
	_ = s.reported()
	s.cloud.Lose()
	s.cloud.Remove(ada)
	for range 60 {
		s.step()
		s.later += 20 * time.Second
	}
	s.sent, s.changes = nil, nil
	if state := s.reported(); s.isGone("Person", "ada") && !strings.Contains(state, "Warning "+reconciler.NotDeleted) {
		s.Errorf("its change is lost, and the object goes with %s", state)
	}
}

// losesDelete makes a delete take effect and its operation be lost, while another client creates
// a new resource. The API distinguishes the two.
func (s *sequence) losesDelete() {
	if s.isGone("Person", "ada") || s.isForeign || !s.hasUIDs && !s.hasTags {
		return
	}
	if o := s.recorded("Person", "ada").Operation; o == nil || o.Aim != annotation.ToDelete {
		return
	}
	s.cloud.Lose()
	s.cloud.Put(ada, byron)
	s.isForeign, s.isDoubtful, s.sent, s.changes = true, false, nil, nil
	s.history = append(s.history, "its delete is lost, and another client makes one")
	if s.random.IntN(2) == 0 {
		s.restart()
	}
	s.step()
	s.isWell()
}

// settles makes passes until the object is Ready. If nothing proves that the resource belongs to
// the object, the user adopts it.
func (s *sequence) settles() {
	for range 12 {
		s.later += 20 * time.Second
		s.step()
	}
	c := s.condition("Person", "ada", reconciler.Ready)
	if c.Reason == reconciler.Exists && s.isDoubtful {
		s.adopts()
		c = s.condition("Person", "ada", reconciler.Ready)
	}
	if isExists := c.Reason == reconciler.Exists; isExists != s.isForeign || !isExists && c.Status != "True" {
		s.Errorf("another client's %t, doubtful %t: it is %+v", s.isForeign, s.isDoubtful, c)
	}
}

// decides makes the user decide about the resource of an object that waits for that.
func (s *sequence) decides() {
	if s.isGone("Person", "ada") || s.condition("Person", "ada", reconciler.Ready).Reason != reconciler.Exists {
		return
	}
	if s.isForeign {
		s.annotate("Person", "ada", annotation.ReconcilePolicy, string(annotation.Detach))
	} else {
		s.cloud.Permit(true)
		s.annotate("Person", "ada", annotation.Adopt, "true")
	}
}

func sortedKeys[T any](of map[string]T) []string { return slices.Sorted(maps.Keys(of)) }
