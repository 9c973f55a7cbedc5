package webhook_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/engine"
)

// racing is an engine of which two reviews ask for the same converter at the same time. The second
// one gets it while the first is trying its second object.
type racing struct {
	eager
	calls         *sync.Mutex
	asked         *int
	one, both     chan struct{} // closed once one has asked, and both have
	tries, second chan struct{} // closed once the first review tries, and once the second is answered
}

func (r racing) Converter(pair engine.Pair) engine.Converter {
	r.calls.Lock()
	*r.asked++
	asked := *r.asked
	r.calls.Unlock()
	if asked == 1 {
		close(r.one)
		<-r.both
	} else {
		close(r.both)
		<-r.tries
	}
	return racingConverter{eagerConverter{echoing{pair}, r.attempts}, r, asked == 1}
}

type racingConverter struct {
	eagerConverter
	racing racing
	first  bool
}

func (c racingConverter) TryFirst(ctx context.Context, dst, text []byte, room int) ([]byte, int, *engine.Refusal) {
	if c.first {
		close(c.racing.tries)
		<-c.racing.second
	}
	return c.eagerConverter.TryFirst(ctx, dst, text, room)
}

// TestTwoFirstReviewsTryNothingTwice lets two reviews find the route of their objects at the same
// time, and wants the object that is refused to be tried once.
func TestTwoFirstReviewsTryNothingTwice(t *testing.T) {
	n := new(attempts)
	r := racing{
		eager: eager{attempts: n}, calls: new(sync.Mutex), asked: new(int),
		one: make(chan struct{}), both: make(chan struct{}), tries: make(chan struct{}), second: make(chan struct{}),
	}
	h := webhook.New(r, webhook.Options{})
	go func() {
		defer close(r.second)
		<-r.one
		_, _ = h.Review(t.Context(), []byte(reviewOf("hotel.example.com/v2", roomOf("v1", "b", `{}`))))
	}()
	ask(t, h, reviewOf("hotel.example.com/v2", roomOf("v1", "a", `{}`), roomOf("v1", "a", `{"guest":"refuse me"}`)))
	if got := n.read(); got.whole != 2 || len(got.offered) != 1 || got.second != 1 {
		t.Errorf("%d objects were converted whole, %d tried ahead, %d by the next converter; want 2, 1, 1", got.whole, len(got.offered), got.second)
	}
}
