package armsim

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// limits are the buckets of subscriptions, one for reads, one for writes and one for deletes.
type limits struct {
	rates map[string]Rate
	now   func() time.Time

	mu      sync.Mutex
	buckets map[string]*bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

func newLimits(o Options) *limits {
	return &limits{
		rates: map[string]Rate{"reads": o.Reads, "writes": o.Writes, "deletes": o.Deletes}, now: o.Now, buckets: map[string]*bucket{},
	}
}

func checkRates(o Options) error {
	var errs []error
	for name, r := range map[string]Rate{"reads": o.Reads, "writes": o.Writes, "deletes": o.Deletes} {
		if r.PerSecond < 0 || r.Burst < 0 || math.IsNaN(r.PerSecond) {
			errs = append(errs, fmt.Errorf("%s: a rate is negative", name))
		}
	}
	return errors.Join(errs...)
}

// purpose is the bucket that a method takes from.
func purpose(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead:
		return "reads"
	case http.MethodDelete:
		return "deletes"
	}
	return "writes"
}

// most is how many subscriptions are counted at a time.
const most = 10_000

// take takes a token of a subscription. It reports how many are left, or else how long it takes
// until there is one.
func (l *limits) take(subscription, purpose string) (left int, wait time.Duration) {
	rate := l.rates[purpose]
	if rate.PerSecond == 0 {
		return unlimited, 0
	}
	burst := float64(max(rate.Burst, 1))
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	key := subscription + " " + purpose
	b := l.buckets[key]
	if b == nil {
		if len(l.buckets) >= most {
			clear(l.buckets)
		}
		b = &bucket{tokens: burst, at: now}
		l.buckets[key] = b
	}
	b.tokens = min(burst, b.tokens+now.Sub(b.at).Seconds()*rate.PerSecond)
	b.at = now
	if b.tokens < 1 {
		return 0, time.Duration((1-b.tokens)/rate.PerSecond*float64(time.Second)).Truncate(time.Millisecond) + time.Millisecond
	}
	b.tokens--
	return int(b.tokens), 0
}

// unlimited is the number of remaining requests that ARM reports for a new subscription.
const unlimited = 11999

func remaining(purpose string, left int) (name, value string) {
	return "X-Ms-Ratelimit-Remaining-Subscription-" + string(purpose[0]-'a'+'A') + purpose[1:], strconv.Itoa(left)
}
