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

// Failure is what an error of a provider means.
type Failure struct {
	// Reason is that of the conditions, one word.
	Reason string
	// Message is for users. It may hold what the external API said, and must be bounded.
	Message string
	// Is is what the provider called it; unspecified where it said nothing.
	Is latest.Reason
	// Stuck says that trying again is of no use until something is changed.
	Stuck bool
	// Slow says that trying again is of little use.
	Slow bool
	// After is when the provider wants to be called again; 0 where it did not say.
	After time.Duration
	// Unknown says that nothing was learned of the resource: it may be as it was.
	Unknown bool
	// Effect reports whether the call can have changed something in the external API. An error that
	// does not say so leaves it possible.
	Effect latest.Effect
}

// Reasons of conditions that come of failures.
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

// meanings is what the reasons of providers mean. None says anything of the effect: what a call was
// refused for may have been found after it changed something, as by a second request of the
// provider.
var meanings = map[latest.Reason]Failure{
	latest.Reason_REASON_NOT_FOUND:    {Reason: ReasonMissing, Slow: true},
	latest.Reason_REASON_CONFLICT:     {Reason: ReasonConflict},
	latest.Reason_REASON_THROTTLED:    {Reason: ReasonThrottled, Unknown: true},
	latest.Reason_REASON_INVALID:      {Reason: ReasonInvalid, Stuck: true},
	latest.Reason_REASON_UNAUTHORIZED: {Reason: ReasonUnauthorized, Slow: true},
	latest.Reason_REASON_TRANSIENT:    {Reason: ReasonTransient, Unknown: true},
	latest.Reason_REASON_UNSPECIFIED:  {Reason: ReasonTransient, Unknown: true},
}

// MaxPause is the longest that an external API can ask to be left alone, with what reconcilers add
// so that objects do not come all at once.
const (
	MaxPause = 5 * time.Minute
	maxAfter = MaxPause * 7 / 8
)

// FailureOf says what an error of a call means.
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

// UnavailableError says that nothing can be called for a type.
type UnavailableError struct{ Why error }

func (e *UnavailableError) Error() string { return e.Why.Error() }

func (e *UnavailableError) Unwrap() error { return e.Why }

// PausedError says that calls with some credentials, in a subscription, are not made for a while,
// since the external API throttles them.
type PausedError struct {
	Provider     string
	Subscription string // empty where the place names none
	Until        time.Time
}

func (e *PausedError) Error() string {
	where := ""
	if e.Subscription != "" {
		where = " in subscription " + e.Subscription
	}
	return fmt.Sprintf("the external API throttles calls of %s with these credentials%s: none is made until %s", e.Provider, where, e.Until.UTC().Format(time.RFC3339))
}
