package chaos_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/e2e/fixtures"
)

// truth watches the objects whose resources the storm removes or changes outside, and the calls for
// these resources: from the answer that informs the operator, an object has to be no longer Ready
// within [soon].
type truth struct {
	*strangers

	mu    sync.Mutex
	seen  map[string][]observation // by the name of the object
	calls map[string][]armsim.Call
	last  uint64 // the sequence of the last call that was read

	done      map[string]bool // what the storm has removed or changed
	disturbed []window        // in which processes ended, were held, or could not write
	removed   int
	meddled   int
	learned   int           // how often the operator learned of it, while nothing else happened
	latest    time.Duration // of all times from then until the object was no longer Ready
}

// soon is how long an object may be Ready for which the operator has learned that it is not.
const soon = time.Second

// observation is an object as a client saw it at a time.
type observation struct {
	at    time.Time
	ready bool
}

// window is a while.
type window struct{ from, to time.Time }

const (
	vanishing = "vanish-"  // objects whose resources the storm removes
	disputed  = "dispute-" // objects whose resources the storm changes
)

// watches begins to watch.
func (t *strangers) watches() {
	t.Helper()
	w := &truth{strangers: t, done: map[string]bool{}, seen: map[string][]observation{}, calls: map[string][]armsim.Call{}}
	t.truth = w
	hub := people
	hub.Version = fixtures.Kinds[0].Hub // no conversion stands between
	informer := dynamicinformer.NewFilteredDynamicSharedInformerFactory(t.client, 0, home, nil).ForResource(hub).Informer()
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: w.sees, UpdateFunc: func(_, object any) { w.sees(object) },
	}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { informer.RunWithContext(ctx) })
	all.Go(func() {
		for ctx.Err() == nil {
			w.reads()
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	})
	t.Cleanup(func() { stop(); all.Wait() })
}

// isWatched returns the name that an object, or the last part of a path, begins with.
func isWatched(name string) bool {
	return strings.HasPrefix(name, vanishing) || strings.HasPrefix(name, disputed)
}

// sees remembers whether an object is Ready now.
func (w *truth) sees(object any) {
	u, ok := object.(*unstructured.Unstructured)
	if !ok {
		return
	}
	w.trials.sees(u)
	if !isWatched(u.GetName()) {
		return
	}
	s := observation{at: time.Now()}
	for _, c := range conditionsOf(u) {
		if c["type"] == "Ready" {
			s.ready = c["status"] == "True"
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[u.GetName()] = append(w.seen[u.GetName()], s)
}

// reads remembers the calls for the resources, before the simulator forgets them.
func (w *truth) reads() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.Simulator.Calls() {
		if c.Sequence <= w.last {
			continue
		}
		w.last = c.Sequence
		w.trials.reads(c)
		w.contests.reads(c)
		if name := last(c.Path); isWatched(name) && strings.HasPrefix(c.Path, env.Parent+"/") {
			w.calls[name] = append(w.calls[name], c)
		}
	}
}

// disturbs does something to processes, during which nothing is held against the operator.
func (w *truth) disturbs(do func()) {
	from := time.Now()
	do()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.disturbed = append(w.disturbed, window{from.Add(-soon), time.Now()})
}

// stormsID is the client's own identifier of the calls by which the storm removes and changes
// resources.
const stormsID = "storm"

// requestID is the header of such identifiers, which the simulator remembers.
const requestID = "X-Ms-Client-Request-Id"

// round makes the objects of a round, and removes and changes the resources of those of the round
// before that are Ready.
func (w *truth) round(n int) {
	w.Helper()
	for _, name := range []string{vanishing, disputed} {
		w.person(home, fmt.Sprint(name, n), fmt.Sprint(name, n), false)
	}
	w.meddles(n - 1)
}

// meddles removes and changes the resources of a round.
func (w *truth) meddles(n int) {
	w.Helper()
	if n < 0 {
		return
	}
	if name := fmt.Sprint(vanishing, n); !w.done[name] && w.isReady(people, name) {
		w.insists(http.MethodDelete, name, "")
		w.removed++
	}
	if name := fmt.Sprint(disputed, n); !w.done[name] && w.isReady(people, name) {
		w.insists(http.MethodPut, name, strings.ReplaceAll(body, "Jackson", "Winston"))
		w.meddled++
	}
}

// insists calls until the external API has taken a change.
func (w *truth) insists(method, name, body string) {
	w.Helper()
	w.done[name] = true
	for range 100 {
		request, err := http.NewRequestWithContext(w.Context(), method, w.Simulator.URL+env.Parent+persons+name+"?api-version="+external, strings.NewReader(body))
		if err != nil {
			w.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set(requestID, stormsID)
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			if response.StatusCode < 300 || method == http.MethodDelete && response.StatusCode == http.StatusNotFound {
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	w.Errorf("%s %s was never taken", method, name)
}

// calm waits until all objects are Ready. Then it removes and changes the resources that the
// storm has left, and waits again. The changes take longer than an object may stay Ready in
// error, so that the operator must learn of them before they end.
func (w *truth) calm() {
	w.Helper()
	w.faults(0, armsim.Fault{Mode: armsim.Slow, Probability: 1, Methods: []string{http.MethodPut}, Delay: 3 * second})
	for range 2 {
		for n := range rounds() {
			w.comesTo(people, home, fmt.Sprint(vanishing, n), "True")
			w.comesTo(people, home, fmt.Sprint(disputed, n), "True")
			w.meddles(n)
		}
		time.Sleep(resync + 5*time.Second) // so that the operator has looked at all
	}
	w.faults(0)
	w.reads()
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, calls := range w.calls {
		for _, at := range learns(calls) {
			w.judges(name, at)
		}
	}
	if w.learned < rounds() {
		w.Errorf("the operator learned %d times that a resource was removed or changed, of %d", w.learned, w.removed+w.meddled)
	}
}

// learns returns the times of answers by which the operator learnt that a resource differs from
// its object.
func learns(calls []armsim.Call) (at []time.Time) {
	var changed time.Time // by the storm, and the operator does not know yet
	for _, c := range calls {
		ended := c.Time.Add(time.Duration(c.Took))
		isOperators := c.Headers[requestID] != stormsID
		switch {
		case c.Method != http.MethodGet && c.Committed && !isOperators:
			changed = ended
		case c.Method == http.MethodPut && c.Committed:
			changed = time.Time{}
		case c.Method == http.MethodGet && isOperators && !changed.IsZero() && c.Time.After(changed) && isNews(calls, c):
			at, changed = append(at, ended), time.Time{}
		}
	}
	return at
}

// isNews reports whether an answer shows the change: of a resource that is being removed only
// its absence does.
func isNews(calls []armsim.Call, c armsim.Call) bool {
	isRemoved := slices.ContainsFunc(calls, func(other armsim.Call) bool { return other.Method == http.MethodDelete })
	return isRemoved && c.Status == http.StatusNotFound || !isRemoved && c.Status == http.StatusOK
}

// judges compares the time from an answer until the object was no longer Ready with the limit.
func (w *truth) judges(name string, learned time.Time) {
	w.Helper()
	if slices.ContainsFunc(w.disturbed, func(d window) bool { return learned.After(d.from) && learned.Before(d.to.Add(soon)) }) {
		return
	}
	wasReady := false
	for _, s := range w.seen[name] {
		switch {
		case s.at.Before(learned):
			wasReady = s.ready
		case !wasReady:
			return
		case !s.ready:
			w.learned++
			took := s.at.Sub(learned)
			if w.latest = max(w.latest, took); took > soon {
				w.Errorf("%s was Ready for %v after the operator had learned that its resource is removed or changed", name, took)
			}
			return
		}
	}
	if wasReady {
		w.Errorf("%s stayed Ready, and the operator had learned that its resource is removed or changed", name)
	}
}
