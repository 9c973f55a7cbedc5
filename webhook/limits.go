package webhook

import (
	"sync"
	"time"

	"github.com/stratakube/strata/webhook/review"
	"github.com/stratakube/strata/webhook/scan"
)

// Limits are what reviews may take. What is zero is as Default says.
type Limits struct {
	// BodyBytes is how long a review may be.
	BodyBytes int64
	// Depth is how deep the JSON of a review may be, its own three levels included. It cannot be more than 10,000, which is
	// where the decoders of the API server end as well.
	Depth int
	// Objects is how many objects a review may have.
	Objects int
	// InFlight is how many reviews are answered at once. One that is too many is asked to come back.
	InFlight int
	// InFlightBytes is how long these reviews may be together. A review whose length is not told counts as BodyBytes.
	InFlightBytes int64
	// RetryAfter is when a review for which there was no room should come back, in whole seconds.
	RetryAfter time.Duration
}

// DefaultLimits are the limits where nothing else is said.
func DefaultLimits() Limits {
	return Limits{
		BodyBytes:     64 << 20,
		Depth:         scan.MaxDepth,
		Objects:       100_000,
		InFlight:      256,
		InFlightBytes: 256 << 20,
		RetryAfter:    time.Second,
	}
}

// orDefault fills in what is zero. A single review of the allowed length always finds room.
func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	l.BodyBytes = or(l.BodyBytes, d.BodyBytes)
	l.Depth = or(l.Depth, d.Depth)
	l.Objects = or(l.Objects, d.Objects)
	l.InFlight = or(l.InFlight, d.InFlight)
	l.InFlightBytes = max(or(l.InFlightBytes, d.InFlightBytes), l.BodyBytes)
	l.RetryAfter = or(l.RetryAfter, d.RetryAfter)
	return l
}

func or[T int | int64 | time.Duration](given, otherwise T) T {
	if given <= 0 {
		return otherwise
	}
	return given
}

func (l Limits) ofReview() review.Limits { return review.Limits{Depth: l.Depth, Objects: l.Objects} }

// gate lets reviews in while there is room.
type gate struct {
	mu      sync.Mutex
	reviews int
	bytes   int64
}

func (g *gate) enter(bytes int64, limits *Limits) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.reviews >= limits.InFlight || g.bytes+bytes > limits.InFlightBytes {
		return false
	}
	g.reviews++
	g.bytes += bytes
	return true
}

func (g *gate) leave(bytes int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reviews--
	g.bytes -= bytes
}
