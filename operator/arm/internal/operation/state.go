package operation

import (
	"strings"

	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
)

// states maps the values of provisioningState, in lower case, to their meaning. ARM defines
// Succeeded, Failed and Canceled as the ends of a change, and any other value as a change that
// runs. Resource providers have more ends, in which a resource can remain.
var states = map[string]v1.Change{
	"succeeded": v1.Change_CHANGE_SUCCEEDED,
	"failed":    v1.Change_CHANGE_FAILED,
	"canceled":  v1.Change_CHANGE_FAILED,
	"cancelled": v1.Change_CHANGE_FAILED,

	"activated":          v1.Change_CHANGE_SUCCEEDED,
	"approved":           v1.Change_CHANGE_SUCCEEDED,
	"completed":          v1.Change_CHANGE_SUCCEEDED,
	"migrationsucceeded": v1.Change_CHANGE_SUCCEEDED,
	"online":             v1.Change_CHANGE_SUCCEEDED,
	"ready":              v1.Change_CHANGE_SUCCEEDED,

	"deleted":                     v1.Change_CHANGE_FAILED,
	"disabled":                    v1.Change_CHANGE_FAILED,
	"disconnected":                v1.Change_CHANGE_FAILED,
	"incomplete":                  v1.Change_CHANGE_FAILED,
	"invalid":                     v1.Change_CHANGE_FAILED,
	"migrationcancellationfailed": v1.Change_CHANGE_FAILED,
	"migrationfailed":             v1.Change_CHANGE_FAILED,
	"notspecified":                v1.Change_CHANGE_FAILED,
	"recoveringscalefailure":      v1.Change_CHANGE_FAILED,
	"rejected":                    v1.Change_CHANGE_FAILED,
	"unknown":                     v1.Change_CHANGE_FAILED,
	"warning":                     v1.Change_CHANGE_FAILED,

	"deleting":       v1.Change_CHANGE_DELETING,
	"dropping":       v1.Change_CHANGE_DELETING,
	"unprovisioning": v1.Change_CHANGE_DELETING,

	"accepted":                       v1.Change_CHANGE_RUNNING,
	"cancelinprogress":               v1.Change_CHANGE_RUNNING,
	"cancelling":                     v1.Change_CHANGE_RUNNING,
	"cleanup":                        v1.Change_CHANGE_RUNNING,
	"configuringaad":                 v1.Change_CHANGE_RUNNING,
	"created":                        v1.Change_CHANGE_RUNNING,
	"creating":                       v1.Change_CHANGE_RUNNING,
	"deploying":                      v1.Change_CHANGE_RUNNING,
	"dequeued":                       v1.Change_CHANGE_RUNNING,
	"downgrading":                    v1.Change_CHANGE_RUNNING,
	"initializing":                   v1.Change_CHANGE_RUNNING,
	"inprogress":                     v1.Change_CHANGE_RUNNING,
	"internallyready":                v1.Change_CHANGE_RUNNING,
	"linking":                        v1.Change_CHANGE_RUNNING,
	"migrating":                      v1.Change_CHANGE_RUNNING,
	"migrationcancelling":            v1.Change_CHANGE_RUNNING,
	"moving":                         v1.Change_CHANGE_RUNNING,
	"notstarted":                     v1.Change_CHANGE_RUNNING,
	"pending":                        v1.Change_CHANGE_RUNNING,
	"preprovisioning":                v1.Change_CHANGE_RUNNING,
	"provisioning":                   v1.Change_CHANGE_RUNNING,
	"purchasing":                     v1.Change_CHANGE_RUNNING,
	"queued":                         v1.Change_CHANGE_RUNNING,
	"registeringdns":                 v1.Change_CHANGE_RUNNING,
	"repairing":                      v1.Change_CHANGE_RUNNING,
	"requested":                      v1.Change_CHANGE_RUNNING,
	"resolvingdns":                   v1.Change_CHANGE_RUNNING,
	"restoring":                      v1.Change_CHANGE_RUNNING,
	"running":                        v1.Change_CHANGE_RUNNING,
	"scaling":                        v1.Change_CHANGE_RUNNING,
	"scheduled":                      v1.Change_CHANGE_RUNNING,
	"securitydomainrestore":          v1.Change_CHANGE_RUNNING,
	"started":                        v1.Change_CHANGE_RUNNING,
	"suspending":                     v1.Change_CHANGE_RUNNING,
	"uninitialized":                  v1.Change_CHANGE_RUNNING,
	"unlinking":                      v1.Change_CHANGE_RUNNING,
	"updating":                       v1.Change_CHANGE_RUNNING,
	"upgrading":                      v1.Change_CHANGE_RUNNING,
	"validatesubscriptionquotabegin": v1.Change_CHANGE_RUNNING,
	"validatesubscriptionquotaend":   v1.Change_CHANGE_RUNNING,
	"waitforremotecompletion":        v1.Change_CHANGE_RUNNING,
}

// meaning returns the meaning of a state, and whether it is known. Names with "ing" that the
// table lacks mean changes that run.
func meaning(state string) (means v1.Change, isKnown bool) {
	name := strings.ToLower(state)
	if means, isKnown = states[name]; isKnown {
		return means, true
	}
	if strings.Contains(name, "ing") && !strings.Contains(name, "fail") {
		return v1.Change_CHANGE_RUNNING, true
	}
	return v1.Change_CHANGE_UNSPECIFIED, false
}

// changeOf returns how far the last change of a resource in a state has come. A state that the
// table lacks counts as failed, since the resource may remain in it.
func changeOf(state string) v1.Change {
	means, isKnown := meaning(state)
	switch {
	case state == "":
		return v1.Change_CHANGE_UNSPECIFIED
	case !isKnown:
		return v1.Change_CHANGE_FAILED
	}
	return means
}

// isOver reports whether no change runs in a state. In a state that the table lacks, a change of
// this provider counts as running, as ARM defines.
func isOver(state string) bool {
	means, isKnown := meaning(state)
	return isKnown && means != v1.Change_CHANGE_RUNNING && means != v1.Change_CHANGE_DELETING
}
