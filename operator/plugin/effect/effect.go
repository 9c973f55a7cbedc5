package effect

import (
	"net/http"

	"github.com/stratakube/strata/operator/plugin/provider/v2"
)

// The effects of a call.
const (
	// None means that the call certainly changed nothing.
	None = v2.Effect_EFFECT_NONE
	// Possible means that the call may have changed something, now or later.
	Possible = v2.Effect_EFFECT_POSSIBLE
	// Certain means that the call took effect.
	Certain = v2.Effect_EFFECT_CERTAIN
)

// refusals are the statuses of servers and gateways that did not process the request. Some server
// uses every other error status also for a request that it processed.
var refusals = map[int]bool{
	http.StatusMovedPermanently:  true, // the request must be sent to another address
	http.StatusFound:             true,
	http.StatusNotModified:       true,
	http.StatusTemporaryRedirect: true,
	http.StatusPermanentRedirect: true,

	http.StatusBadRequest:                   true,
	http.StatusUnauthorized:                 true,
	http.StatusPaymentRequired:              true,
	http.StatusForbidden:                    true,
	http.StatusNotFound:                     true,
	http.StatusMethodNotAllowed:             true,
	http.StatusProxyAuthRequired:            true,
	http.StatusConflict:                     true,
	http.StatusGone:                         true,
	http.StatusLengthRequired:               true,
	http.StatusPreconditionFailed:           true,
	http.StatusRequestEntityTooLarge:        true,
	http.StatusRequestURITooLong:            true,
	http.StatusUnsupportedMediaType:         true,
	http.StatusRequestedRangeNotSatisfiable: true,
	http.StatusExpectationFailed:            true,
	http.StatusMisdirectedRequest:           true,
	http.StatusUnprocessableEntity:          true,
	http.StatusLocked:                       true,
	http.StatusTooEarly:                     true,
	http.StatusUpgradeRequired:              true,
	http.StatusPreconditionRequired:         true,
	http.StatusTooManyRequests:              true,
	http.StatusRequestHeaderFieldsTooLarge:  true,
	http.StatusUnavailableForLegalReasons:   true,

	http.StatusNotImplemented:                true,
	http.StatusHTTPVersionNotSupported:       true,
	http.StatusNetworkAuthenticationRequired: true, // of a portal between client and server
}

// OfStatus returns the effect of a call whose answer has a status.
func OfStatus(status int) v2.Effect {
	switch {
	case status >= 200 && status < 300:
		return Certain
	case refusals[status]:
		return None
	}
	return Possible
}

// OfSilence returns the effect of a call without an answer: after a connection error, a timeout, or
// the end of a process. It depends on whether any part of the request that a server acts upon was
// written.
func OfSilence(written bool) v2.Effect {
	if written {
		return Possible
	}
	return None
}
