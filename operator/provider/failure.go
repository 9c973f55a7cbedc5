package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/effect"
	"github.com/stratakube/strata/operator/plugin/host"
	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// Failure describes an error of a provider.
type Failure struct {
	// Reason is the reason of the conditions, one word.
	Reason string
	// Message is for users. It may contain text of the external API: callers must pass it to
	// [Bounded].
	Message string
	// Is is the reason that the provider set; unspecified if it set none.
	Is latest.Reason
	// Stuck reports whether a retry is useless until the user changes something.
	Stuck bool
	// Slow reports whether a retry is unlikely to succeed soon.
	Slow bool
	// After is the time after which the provider asks to be called again; 0 if it set none.
	After time.Duration
	// Unknown reports whether the call showed nothing about the resource, which may be unchanged.
	Unknown bool
	// Effect states whether the call changed something in the external API. It is possible if the
	// error does not state it.
	Effect latest.Effect
}

// Reasons of conditions for failures.
const (
	ReasonUnavailable  = "ProviderUnavailable"
	ReasonUnauthorized = "Unauthorized"
	ReasonInvalid      = "Invalid"
	ReasonConflict     = "Conflict"
	ReasonThrottled    = "Throttled"
	ReasonMissing      = "NeedsMissing"
	ReasonTransient    = "Failed"
	ReasonUnknown      = "ResultUnknown"
)

// meanings maps the reasons of providers to failures. None states an effect: a call may change
// something before the external API refuses the rest of it.
var meanings = map[latest.Reason]Failure{
	latest.Reason_REASON_NOT_FOUND:    {Reason: ReasonMissing, Slow: true},
	latest.Reason_REASON_CONFLICT:     {Reason: ReasonConflict},
	latest.Reason_REASON_THROTTLED:    {Reason: ReasonThrottled, Unknown: true},
	latest.Reason_REASON_INVALID:      {Reason: ReasonInvalid, Stuck: true},
	latest.Reason_REASON_UNAUTHORIZED: {Reason: ReasonUnauthorized, Slow: true},
	latest.Reason_REASON_TRANSIENT:    {Reason: ReasonTransient, Unknown: true},
	latest.Reason_REASON_UNSPECIFIED:  {Reason: ReasonTransient, Unknown: true},
}

// MaxPause is the longest pause that an external API can ask for. It includes the random part
// that reconcilers add, so that objects are not reconciled all at once.
const (
	MaxPause = 5 * time.Minute
	maxAfter = MaxPause * 7 / 8
)

// FailureOf returns the description of an error of a call.
func FailureOf(err error) Failure {
	if reported := latest.FailureOf(err); reported != nil {
		f, known := meanings[reported.GetReason()]
		if !known {
			f = meanings[latest.Reason_REASON_UNSPECIFIED]
		}
		f.Is, f.Message, f.Effect = reported.GetReason(), reported.GetMessage(), effect.Possible
		if code := reported.GetCode(); code != "" {
			f.Message = code + ": " + f.Message
		}
		if has := reported.GetEffect(); has != latest.Effect_EFFECT_UNSPECIFIED {
			f.Effect = has
		}
		f.After = min(max(reported.GetRetryAfter().AsDuration(), 0), maxAfter)
		return f
	}
	f := Failure{Reason: ReasonTransient, Message: err.Error(), Unknown: true, Effect: effect.OfSilence(true)}
	var (
		throttled   *PausedError
		interrupted *host.InterruptedError
		unavailable *UnavailableError
		size        *contract.SizeError
	)
	switch {
	case errors.As(err, &throttled):
		f.Reason, f.After, f.Effect = ReasonThrottled, max(time.Until(throttled.Until), time.Millisecond), effect.OfSilence(false)
	case errors.As(err, &unavailable), isUnavailable(err):
		f.Reason, f.Slow, f.Effect = ReasonUnavailable, true, effect.OfSilence(false)
	case errors.Is(err, host.ErrStopped): // maybe during the call
		f.Reason, f.Slow = ReasonUnavailable, true
	case errors.As(err, &interrupted), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		f.Reason = ReasonUnknown
	case errors.As(err, &size) && size.What == "request":
		f.Reason, f.Stuck, f.Unknown, f.Effect = ReasonInvalid, true, false, effect.OfSilence(false)
	}
	return f
}

// isUnavailable reports whether the plugin was not called at all.
func isUnavailable(err error) bool {
	var (
		start *host.StartError
		loop  *host.CrashLoopError
		adapt *contract.NotAdaptableError
	)
	return errors.As(err, &start) || errors.As(err, &loop) || errors.As(err, &adapt) ||
		errors.Is(err, contract.ErrNotServed)
}

// UnavailableError reports that no provider can be called for a type, or that no token is
// available.
type UnavailableError struct{ Why error }

func (e *UnavailableError) Error() string { return e.Why.Error() }

func (e *UnavailableError) Unwrap() error { return e.Why }

// PausedError reports that the operator makes no calls with some credentials in a subscription
// until a time, since the external API throttles them.
type PausedError struct {
	Provider     string
	Subscription string // empty if the place names none
	Until        time.Time
}

func (e *PausedError) Error() string {
	where := ""
	if e.Subscription != "" {
		where = " in subscription " + e.Subscription
	}
	return fmt.Sprintf("the external API throttles calls of %s with these credentials%s: none is made until %s", e.Provider, where, e.Until.UTC().Format(time.RFC3339))
}
