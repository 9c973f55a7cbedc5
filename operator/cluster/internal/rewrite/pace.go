package rewrite

import (
	"context"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	slowest = 1  // write a second
	sample  = 50 // answers after which latencies are compared
	slower  = 3  // times the fastest sample: the API server is busy
	// share is the part of the maximum below which latency lowers no rate. The fastest sample may be
	// of requests that wrote nothing, which writes never reach.
	share = 10
)

// Pace bounds the rate of writes. It halves the rate when the API server refuses requests for its
// load, and lowers it while answers take longer than at first. Then it returns to the maximum.
type Pace struct {
	limiter *rate.Limiter

	lock     sync.Mutex
	maximum  rate.Limit
	resumed  chan struct{} // closed when writes go on; nil if they do
	answers  int
	sum      time.Duration
	best     time.Duration // the mean of the fastest sample
	refusals int
}

// NewPace returns a pace with a maximum of writes a second.
func NewPace(maximum int) *Pace {
	return &Pace{limiter: rate.NewLimiter(rate.Limit(maximum), max(1, maximum/20)), maximum: rate.Limit(maximum)}
}

// Rate returns the writes a second that the pace allows now.
func (p *Pace) Rate() float64 { return float64(p.limiter.Limit()) }

// Hold stops all writes, or lets them go on.
func (p *Pace) Hold(on bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	switch {
	case on && p.resumed == nil:
		p.resumed = make(chan struct{})
	case !on && p.resumed != nil:
		close(p.resumed)
		p.resumed = nil
	}
}

// Limit changes the maximum of writes a second.
func (p *Pace) Limit(maximum int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.maximum == rate.Limit(maximum) {
		return
	}
	p.maximum = rate.Limit(maximum)
	p.limiter.SetBurst(max(1, maximum/20))
	p.set(p.maximum)
}

// Wait waits until the pace allows another write. Writes that have waited for the limiter while the
// pace was stopped wait on.
func (p *Pace) Wait(ctx context.Context) error {
	if err := p.limiter.Wait(ctx); err != nil {
		return err
	}
	for {
		p.lock.Lock()
		resumed := p.resumed
		p.lock.Unlock()
		if resumed == nil {
			return nil
		}
		select {
		case <-resumed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// answered adapts the rate to an answer.
func (p *Pace) answered(took time.Duration, code int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable {
		p.refusals++
		p.set(p.limiter.Limit() / 2)
		return
	}
	p.answers++
	p.sum += took
	if p.answers < sample {
		return
	}
	mean := p.sum / time.Duration(p.answers)
	p.answers, p.sum = 0, 0
	if p.best == 0 || mean < p.best {
		p.best = mean
	}
	if mean > slower*max(p.best, time.Millisecond) {
		p.set(min(p.limiter.Limit(), max(p.limiter.Limit()*4/5, p.maximum/share)))
		return
	}
	p.set(p.limiter.Limit() + p.maximum/10)
}

func (p *Pace) set(limit rate.Limit) { p.limiter.SetLimit(min(p.maximum, max(slowest, limit))) }

// Transport returns a transport that shows each answer to a write to the pace. Clients repeat
// refused requests by themselves, so that the pace would not see them otherwise.
func (p *Pace) Transport(inner http.RoundTripper) http.RoundTripper { return observer{p, inner} }

type observer struct {
	pace  *Pace
	inner http.RoundTripper
}

// RoundTrip sends a request.
func (o observer) RoundTrip(request *http.Request) (*http.Response, error) {
	began := time.Now()
	response, err := o.inner.RoundTrip(request)
	if err == nil && request.Method == http.MethodPatch {
		o.pace.answered(time.Since(began), response.StatusCode)
	}
	return response, err
}
