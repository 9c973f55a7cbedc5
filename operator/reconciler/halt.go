package reconciler

import (
	"time"

	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/provider"
)

// halt says why a pass ended before everything was as it should be.
type halt struct {
	reason, message string
	objects         []string // whose names are for the log of the operator, and not for the users of this object
	state           state
	after           time.Duration // until the next pass; 0 for as long as the state suggests
	slow            bool          // trying again is of little use
	unknown         bool          // nothing was learned of the resource
	tolerated       time.Duration // for how much longer the object stays Ready; 0 where it does not
}

func (h *halt) Error() string { return h.reason + ": " + h.message }

// state is what kind of end it is.
type state int

const (
	// waiting is for something else in the cluster, whose change makes the next pass.
	waiting state = iota
	// progressing is for the external API, which is at work.
	progressing
	// failing is tried again.
	failing
	// stalled needs a change by the user.
	stalled
)

func waitFor(reason, message string) error {
	return &halt{reason: reason, message: message, state: waiting}
}

// failed is the halt of a call that failed.
func (p *pass) failed(err error) error {
	f := provider.FailureOf(err)
	h := &halt{
		reason: f.Reason, message: provider.Bounded(f.Message, p.values()...), state: failing, after: f.After, slow: f.Slow, unknown: f.Unknown,
	}
	switch {
	case f.Stuck:
		h.state, h.after = stalled, 0
	case f.Is == latest.Reason_REASON_NOT_FOUND:
		h.message += "; it is waited for"
	}
	return h
}

// How long pauses after failures become. No pass is later than after a resync, whatever the reason.
const (
	longest     = 5 * time.Minute
	longestSlow = 15 * time.Minute
	slower      = 30 // times the patience
)

// pause returns how long to wait after a number of failures in a row, the first of which is 1. It
// doubles up to the documented limit, and is a little shorter each time for another object, so that
// objects do not come all at once.
func (r *Reconciler) pause(failures int, slow bool) time.Duration {
	first, most := r.Patience, longest
	if slow {
		first, most = slower*r.Patience, longestSlow
	}
	pause := min(first<<min(max(failures-1, 0), 16), most, r.Resync)
	return pause - provider.Jitter(pause/4)
}
