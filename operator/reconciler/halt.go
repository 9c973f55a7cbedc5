package reconciler

import (
	"time"

	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/provider"
)

// halt is the reason for which a pass ended early.
type halt struct {
	reason, message string
	objects         []string // names for the log; users of this object must not see them
	state           state
	after           time.Duration // until the next pass; 0 for the default of the state
	slow            bool          // a retry is unlikely to succeed soon
	unknown         bool          // nothing was learned about the resource
	tolerated       time.Duration // how much longer the object stays Ready; 0 if it does not
}

func (h *halt) Error() string { return h.reason + ": " + h.message }

// state is the kind of a halt.
type state int

const (
	// waiting means that another object of the cluster must change. Its change starts the next
	// pass.
	waiting state = iota
	// progressing means that the external API is at work.
	progressing
	// failing means that the operator tries again after a pause.
	failing
	// stalled means that the user must change something.
	stalled
)

func waitFor(reason, message string) error {
	return &halt{reason: reason, message: message, state: waiting}
}

// failed returns the halt of a call that failed.
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

// Limits of the pauses after failures. The next pass is never later than after a resync.
const (
	longest     = 5 * time.Minute
	longestSlow = 15 * time.Minute
	slower      = 30 // factor for Patience
)

// pause returns how long to wait after a number of failures in a row, which begins at 1. The
// pause doubles up to a limit. A random part shortens it, so that objects are not reconciled all
// at once.
func (r *Reconciler) pause(failures int, slow bool) time.Duration {
	first, most := r.Patience, longest
	if slow {
		first, most = slower*r.Patience, longestSlow
	}
	pause := min(first<<min(max(failures-1, 0), 16), most, r.Resync)
	return pause - provider.Jitter(pause/4)
}
