package webhook

import (
	"errors"
	"fmt"
	"time"

	"github.com/stratakube/strata/webhook/internal/pace"
	"github.com/stratakube/strata/webhook/internal/review"
	"github.com/stratakube/strata/webhook/internal/scan"
)

// Limits bound the resources that reviews may use. Zero means the value of DefaultLimits, or less
// if another limit requires that.
type Limits struct {
	// BodyBytes is the largest size of a review.
	BodyBytes int64
	// ObjectBytes is the largest size of an object. A review with a larger one fails, and the
	// answer names the object.
	ObjectBytes int64
	// Depth is the largest depth of a review's JSON, including its own three levels. It cannot
	// exceed 10,000, the limit of the API server's decoders.
	Depth int
	// Objects is the largest number of objects in a review.
	Objects int
	// Open is the largest number of reviews at once, including those that wait for their clients.
	// If one more arrives, the webhook cuts off the review that has waited longest for its
	// client.
	Open int
	// InFlight is how many reviews convert at once. The webhook asks a client to retry if its
	// review finds no room within two seconds.
	InFlight int
	// InFlightBytes is the memory of all reviews together: for received bytes, conversions and
	// answers. It must be at least BodyBytes, and at least 32 times ObjectBytes, because one
	// object may use that much.
	InFlightBytes int64
	// Rate is how many bytes a second a client must send, or read of the answer, while the webhook
	// waits for it. The webhook cuts off a client that was slower for as long as Grace.
	Rate  int64
	Grace time.Duration
	// RetryAfter is when a client should retry after finding no room, in whole seconds.
	RetryAfter time.Duration
}

// DefaultLimits returns the default limits.
func DefaultLimits() Limits {
	return Limits{
		BodyBytes:     64 << 20,
		ObjectBytes:   8 << 20,
		Depth:         scan.MaxDepth,
		Objects:       100_000,
		Open:          2048,
		InFlight:      256,
		InFlightBytes: 256 << 20,
		Rate:          16 << 10,
		Grace:         5 * time.Second,
		RetryAfter:    time.Second,
	}
}

// orDefault replaces zero limits by defaults that fit the other limits.
func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	l.InFlightBytes = or(l.InFlightBytes, d.InFlightBytes)
	l.BodyBytes = or(l.BodyBytes, min(d.BodyBytes, l.InFlightBytes))
	l.ObjectBytes = or(l.ObjectBytes, max(1, min(d.ObjectBytes, l.InFlightBytes/memoryOfObject)))
	l.Depth = or(l.Depth, d.Depth)
	l.Objects = or(l.Objects, d.Objects)
	l.Open = or(l.Open, d.Open)
	l.InFlight = or(l.InFlight, d.InFlight)
	l.Rate = or(l.Rate, d.Rate)
	l.Grace = or(l.Grace, d.Grace)
	l.RetryAfter = or(l.RetryAfter, d.RetryAfter)
	return l
}

func or[T int | int64 | time.Duration](given, otherwise T) T {
	if given <= 0 {
		return otherwise
	}
	return given
}

// Check returns all contradictions between the limits. The messages name the flags of the server to
// change.
func (l Limits) Check() error {
	var wrong []error
	if l.Depth > scan.MaxDepth {
		wrong = append(wrong, fmt.Errorf("the limit of depth, %d, is above %d, where the decoders of the API server end: lower --max-depth", l.Depth, scan.MaxDepth))
	}
	l = l.orDefault()
	if l.BodyBytes > l.InFlightBytes {
		wrong = append(wrong, fmt.Errorf("a review may have %d bytes, and all reviews together only %d: raise --max-in-flight-bytes to at least %d, or lower --max-body-bytes",
			l.BodyBytes, l.InFlightBytes, l.BodyBytes))
	}
	if l.ObjectBytes > l.InFlightBytes/memoryOfObject {
		wrong = append(wrong, fmt.Errorf("an object may have %d bytes and then takes up to %d times that, and all reviews together may take only %d: raise --max-in-flight-bytes to at least %d, or lower --max-object-bytes to at most %d",
			l.ObjectBytes, memoryOfObject, l.InFlightBytes, l.ObjectBytes*memoryOfObject, l.InFlightBytes/memoryOfObject))
	}
	return errors.Join(wrong...)
}

func (l Limits) ofReview() review.Limits {
	return review.Limits{Depth: l.Depth, Objects: l.Objects, ObjectBytes: int(l.ObjectBytes)}
}

func (l Limits) rate() pace.Rate { return pace.Rate{Bytes: l.Rate, Grace: l.Grace} }
