package v1

import (
	"slices"
	"strings"
)

// Provisioned is the condition by which providers report how the last change of a resource ended.
// It is false while a change runs, and after one that failed.
const Provisioned = "Provisioned"

// LastChange returns how far the last change of a resource has come. For providers that were
// built before the field last_change, the reason of the condition [Provisioned] reports it. An
// unknown reason counts as failed, since a resource can remain in such a state.
func LastChange(seen *Observation) Change {
	if change := seen.GetLastChange(); change != Change_CHANGE_UNSPECIFIED {
		return change
	}
	facts := seen.GetFacts()
	i := slices.IndexFunc(facts, func(f *Fact) bool { return f.GetType() == Provisioned })
	switch {
	case i < 0 || facts[i].GetTruth() == Truth_TRUTH_UNSPECIFIED:
		return Change_CHANGE_UNSPECIFIED
	case facts[i].GetTruth() == Truth_TRUTH_TRUE:
		return Change_CHANGE_SUCCEEDED
	case strings.EqualFold(facts[i].GetReason(), "Deleting"):
		return Change_CHANGE_DELETING
	case isRunning(facts[i].GetReason()):
		return Change_CHANGE_RUNNING
	}
	return Change_CHANGE_FAILED
}

// IsUnfinished reports whether a change runs, or is over without success.
func IsUnfinished(change Change) bool {
	switch change {
	case Change_CHANGE_RUNNING, Change_CHANGE_DELETING, Change_CHANGE_FAILED:
		return true
	}
	return false
}

// isRunning reports whether a reason names a change that runs. Such names contain "ing", as in
// Updating and ResolvingDNS, or are listed here.
func isRunning(reason string) bool {
	name := strings.ToLower(reason)
	if name == "warning" || strings.Contains(name, "fail") {
		return false
	}
	others := []string{"accepted", "inprogress", "notstarted", "queued", "scheduled", "started"}
	return strings.Contains(name, "ing") || slices.Contains(others, name)
}
