package conversion_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/ca"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// rollout is a workload of each kind of object, and the replicas that convert for it.
type rollout struct {
	*site
	*fleet
	t         *testing.T
	ca        *ca.CA // of the replicas
	workloads []*workload
}

// enough returns how many reviews show that the webhook was used all the time.
func enough() int {
	return tier.IfSoak(1_500, 4_000)
}

// objects returns how many objects there are in all. Creating one causes a review for each version
// that is watched.
func objects() int {
	return tier.IfSoak(200, 2000)
}

// TestRollouts replaces the webhook, its certificate and its CA in every orderly way while clients
// use objects: no review and no call of a client may fail. Then it kills replicas: only reviews
// that are under way may fail, and a client that tries again succeeds. At the end it checks every
// object.
func TestRollouts(t *testing.T) {
	tier.Long(t, "replaces webhooks under load")
	u := begin(t)
	ctx, stop := context.WithCancel(t.Context())
	var waits []func()
	for _, c := range u.workloads {
		waits = append(waits, c.use(ctx))
	}
	answered, failed := u.reviews()
	for range rounds() {
		u.orderly()
	}
	if now, lost := u.reviews(); now-answered < enough() || lost != failed {
		t.Errorf("%d reviews failed, of %d", lost-failed, now-answered)
	} else {
		t.Logf("of %d reviews none failed", now-answered)
	}
	u.kill()
	stop()
	for _, wait := range waits {
		wait()
	}
	for _, c := range u.workloads {
		t.Logf("%s: clients did %d things", c.kind.name, c.done.Load())
		c.check()
	}
}

// rounds are how often everything is done.
func rounds() int {
	return tier.IfSoak(1, 20)
}

// begin creates the workloads, and replaces the webhook of the other tests by two replicas until
// the test ends.
func begin(t *testing.T) *rollout {
	s := open(t)
	u := &rollout{site: s, fleet: newFleet(t, s.balancer), t: t, ca: s.ca}
	t.Cleanup(func() {
		s.balancer.send(s.inProcess)
		s.trust(t, ca.Bundle(s.ca))
		s.awaitServed(t)
	})
	// Two kinds will do: one with hand-written steps, one without.
	for i, size := range map[int]int{1: objects() / 8, 2: objects() * 7 / 8} {
		c := newWorkload(s.in(t, s.kinds[i], s.namespace(t)), size)
		t.Cleanup(func() { c.remove(t) })
		u.workloads = append(u.workloads, c)
	}
	u.files.certify(t, u.ca)
	u.start()
	u.start()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		u.watch(stop)
	}()
	t.Cleanup(func() {
		close(stop)
		<-stopped
	})
	return u
}

// orderly does everything that operators do, in the order in which they do it: a new CA is
// trusted before anything is signed with it, and the old one for as long as anything is. The API
// server makes new connections when it trusts others than before.
func (u *rollout) orderly() {
	next := newCA(u.t, "the next one")
	u.trust(u.t, ca.Bundle(u.ca, next))
	u.awaitServed(u.t)
	u.certify(u.ca)
	u.restart()
	u.awaitReviews(500)
	u.certify(next)
	u.trust(u.t, ca.Bundle(next))
	u.awaitServed(u.t)
	u.restart()
	u.awaitReviews(500)
	u.ca = next
}

// kill kills both replicas, one after the other. All reviews in progress may fail, at most one
// for every client and every watched version. No later one may.
func (u *rollout) kill() {
	u.t.Helper()
	_, before := u.reviews()
	for range 2 {
		u.start()
		for _, c := range u.workloads {
			c.patient.Store(true)
		}
		u.end(syscall.SIGKILL)
		u.awaitReviews(500)
		for _, c := range u.workloads {
			c.patient.Store(false)
		}
	}
	_, failed := u.reviews()
	allowed := 0
	for _, c := range u.workloads {
		allowed += 2 * (editors + readers + len(c.kind.Versions))
	}
	if failed-before > allowed {
		u.t.Errorf("%d reviews failed, where at most %d were under way", failed-before, allowed)
	}
	u.t.Logf("killing two replicas failed %d reviews", failed-before)
	u.awaitReviews(500)
	if _, now := u.reviews(); now != failed {
		u.t.Errorf("%d reviews failed after the replicas were gone", now-failed)
	}
}

// awaitReviews waits until so many more reviews were answered.
func (u *rollout) awaitReviews(more int) {
	u.t.Helper()
	begin, _ := u.reviews()
	shared.Eventually(u.t, crds.Patience, "reviews", func() error {
		if now, _ := u.reviews(); now < begin+more {
			return fmt.Errorf("%d of %d", now-begin, more)
		}
		return nil
	})
}

// reviews are how many reviews the API server has had answered, and how many not, by its own count.
func (u *rollout) reviews() (answered, failed int) {
	u.t.Helper()
	client, err := rest.HTTPClientFor(u.Config)
	if err != nil {
		u.t.Fatal(err)
	}
	response, err := client.Get(u.Host() + "/metrics")
	if err != nil {
		u.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		u.t.Fatalf("%s (%v)", response.Status, err)
	}
	const counter = "apiserver_conversion_webhook_request_total{"
	for line := range strings.Lines(string(text)) {
		labels, value, _ := strings.Cut(strings.TrimSpace(line), "} ")
		var n float64
		if !strings.HasPrefix(labels, counter) {
			continue
		}
		if _, err := fmt.Sscan(value, &n); err != nil {
			u.t.Fatalf("%s: %v", line, err)
		}
		if strings.Contains(labels, `result="success"`) {
			answered += int(n)
		} else {
			failed += int(n)
		}
	}
	return answered, failed
}
