package webhook

import (
	"errors"
	"fmt"
	"time"

	"github.com/stratakube/strata/webhook/internal/pace"
	"github.com/stratakube/strata/webhook/internal/review"
	"github.com/stratakube/strata/webhook/internal/scan"
)

// Limits are what reviews may take. What is zero is as DefaultLimits sets it, or less where another limit asks for that.
type Limits struct {
	// BodyBytes is how long a review may be.
	BodyBytes int64
	// ObjectBytes is how large an object of a review may be. A review with a larger one fails, and the answer names the object.
	ObjectBytes int64
	// Depth is how deep the JSON of a review may be, its own three levels included. It cannot be more than 10,000, which is
	// where the decoders of the API server end as well.
	Depth int
	// Objects is how many objects a review may have.
	Objects int
	// Open is how many reviews may be under way at once, those whose clients are waited for included. One that is too many
	// takes the place of the one whose client was waited for longest.
	Open int
	// InFlight is how many reviews are converted at once. One that finds no room within two seconds is asked to come back.
	InFlight int
	// InFlightBytes is how much memory all reviews may take together, for what has arrived of them, conversions and answers.
	// It must be at least 32 times ObjectBytes, which is what one object may take, and not below BodyBytes.
	InFlightBytes int64
	// Rate is how many bytes a second a client must send, or take of the answer, while it is waited for. One that was slower for
	// as long as Grace is cut off.
	Rate  int64
	Grace time.Duration
	// RetryAfter is when a review for which there was no room should come back, in whole seconds.
	RetryAfter time.Duration
}

// DefaultLimits are the limits where nothing else is set.
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

// orDefault fills in what is zero, so that it goes together with what is not.
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

// Check returns all that contradicts itself in the limits, with the flags of the server to change.
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
