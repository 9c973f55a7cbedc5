package host

import (
	"time"

	"github.com/cenkalti/backoff/v5"
)

// ends counts the ends of one process in a row.
type ends struct {
	Restart
	backoff *backoff.ExponentialBackOff
	count   int
	last    error
	next    time.Time // when the next process may start
	loop    time.Time // until when no process starts, because of a crash loop
}

func newEnds(r Restart) ends {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier = r.First, r.Longest, 2
	return ends{Restart: r, backoff: b}
}

func (e *ends) add(why error) {
	now := time.Now()
	e.count++
	e.last, e.next = why, now.Add(e.backoff.NextBackOff())
	if e.count >= e.Limit {
		e.loop = now.Add(e.Cooldown)
	}
}

func (e *ends) forget() {
	e.count, e.loop = 0, time.Time{}
	e.backoff.Reset()
}

func (e *ends) isLoop() bool { return time.Now().Before(e.loop) }
