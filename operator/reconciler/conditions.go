package reconciler

import (
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	"github.com/stratakube/strata/operator/provider"
)

// The conditions of all objects. Only Ready is always set.
const (
	Ready = "Ready"
	// Reconciling and Stalled are the conditions of kstatus.
	Reconciling = "Reconciling"
	Stalled     = "Stalled"
	// FullySent is False if the version that the user wrote cannot express all values of the
	// object.
	FullySent = "FullySent"
	// OriginalVersionKept is False if the operator uses another version in place of the one that
	// the user wrote.
	OriginalVersionKept = "OriginalVersionKept"
	// DeclaredVersionUsed is False if the object was declared in a version that cannot express
	// it, so that the operator sends it in another one.
	DeclaredVersionUsed = "DeclaredVersionUsed"
	// Drifted is True if the external resource differs from the object, and the operator does not
	// change it.
	Drifted = "Drifted"
	// Reachable is False if the operator has learned nothing about the resource since the last
	// transition of this condition.
	Reachable = "Reachable"
)

// Reasons of Ready that other packages use.
const (
	Succeeded = "Succeeded"
	Observed  = "Observed"
	Exists    = "Exists"
	Deleting  = "Deleting"
	Creating  = "Creating"
	Updating  = "Updating"
	Gone      = "Gone"
	NotThere  = "NotThere"
	// PlaceChanged and CredentialsChanged mean that the object now needs another resource, or
	// other credentials, than its claim names.
	PlaceChanged       = "PlaceChanged"
	CredentialsChanged = "CredentialsChanged"
	// OwnedByAnother means that another object owns the resource.
	OwnedByAnother = "OwnedByAnother"
	// ReasonOutputs means that the external API does not return a value that the object requests.
	ReasonOutputs = "OutputsFailed"
	// ReasonOutputsUnreadable means that a requested output is invalid, and ReasonInputsInvalid
	// that a value of a ConfigMap is not valid for its property.
	ReasonOutputsUnreadable = "OutputsUnreadable"
	ReasonInputsInvalid     = provider.ReasonInputsInvalid
	// NotProvisioned means that the resource does not differ, but its last change runs or has
	// failed.
	NotProvisioned = "NotProvisioned"
	// claiming means that an object in another namespace may claim the resource at the same time.
	claiming = "Claiming"
	// UpgradePending means that the objects of the kind are stored in another hub, which this
	// release can read.
	UpgradePending = "UpgradePending"
	// ReasonCluster means that the API server of the cluster refuses a call or fails.
	ReasonCluster = "ClusterFailed"
)

// Reasons of other conditions. Reported replaces the missing or invalid reason of a provider's
// condition.
const (
	NotAccepted    = "NotAccepted"
	ObservedOnly   = "ObservedOnly"
	NotExpressible = "NotExpressible"
	NotKept        = "NotKept"
	CannotExpress  = "CannotExpress"
	Reported       = "Reported"
)

// Events that are not reasons of Ready.
const (
	Created        = "Created"
	Adopted        = "Adopted"
	Applied        = "Applied"
	DriftCorrected = "DriftCorrected"
	Deleted        = "Deleted"
	Detached       = "Detached"
	// NotDeleted warns that a resource remains in the external API, or may still appear there,
	// although its object was deleted.
	NotDeleted = "NotDeleted"
)

var ours = []string{Ready, Reconciling, Stalled, FullySent, OriginalVersionKept, DeclaredVersionUsed, Drifted, Reachable}

// conditions returns the conditions of an object after a pass. It begins with the stored ones in
// all.
func (p *pass) conditions(all []metav1.Condition, a action, h *halt) []metav1.Condition {
	set := func(kind string, status metav1.ConditionStatus, reason, message string) {
		meta.SetStatusCondition(&all, metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: p.generation})
	}
	kept := ""
	switch {
	case h == nil && a == observing:
		set(Ready, metav1.ConditionTrue, Observed, "")
	case h == nil:
		set(Ready, metav1.ConditionTrue, Succeeded, "")
	case h.tolerated > 0:
	default:
		set(Ready, metav1.ConditionFalse, h.reason, h.message)
		if kept = Reconciling; h.state == stalled {
			kept = Stalled
		}
		set(kept, metav1.ConditionTrue, h.reason, h.message)
	}
	for _, kind := range []string{Reconciling, Stalled} {
		if kind != kept {
			meta.RemoveStatusCondition(&all, kind)
		}
	}
	p.reach(&all, h)
	p.limit(&all)
	p.drift(&all, a)
	p.facts(&all)
	return all
}

// limit sets the conditions of the version that the user wrote. If the pass has converted
// nothing, the stored ones remain.
func (p *pass) limit(all *[]metav1.Condition) {
	if p.api.Empty() {
		return
	}
	for _, kind := range []string{FullySent, OriginalVersionKept, DeclaredVersionUsed} {
		if i := slices.IndexFunc(p.limits, func(c metav1.Condition) bool { return c.Type == kind }); i >= 0 {
			condition := p.limits[i]
			condition.ObservedGeneration = p.generation
			meta.SetStatusCondition(all, condition)
		} else {
			meta.RemoveStatusCondition(all, kind)
		}
	}
}

// reach sets Reachable to False when the external API stops answering. The time and the message
// remain those of the first failure with the same reason.
func (p *pass) reach(all *[]metav1.Condition, h *halt) {
	switch {
	case h == nil, p.seen != nil, h.state != waiting && !h.unknown:
		meta.RemoveStatusCondition(all, Reachable)
	case h.unknown:
		if known := find(*all, Reachable); known != nil && known.Reason == h.reason {
			return
		}
		meta.SetStatusCondition(all, metav1.Condition{
			Type: Reachable, Status: metav1.ConditionFalse, Reason: h.reason, Message: h.message,
			ObservedGeneration: p.generation, LastTransitionTime: metav1.NewTime(p.Now()),
		})
	}
}

// drift sets Drifted if the external resource differs, and the operator does not apply it again.
func (p *pass) drift(all *[]metav1.Condition, a action) {
	reason := NotAccepted
	if a == observing {
		reason = ObservedOnly
	}
	switch {
	case p.seen == nil:
	case p.driftKey() == "":
		meta.RemoveStatusCondition(all, Drifted)
	case a == observing || p.isLeftAlone():
		meta.SetStatusCondition(all, metav1.Condition{
			Type: Drifted, Status: metav1.ConditionTrue, Reason: reason, ObservedGeneration: p.generation, Message: p.driftMessage(),
		})
	}
}

// maxFacts is the maximum number of conditions of a provider.
const maxFacts = 16

var (
	factType   = regexp.MustCompile(`^([a-z0-9.-]{1,253}/)?[A-Za-z][A-Za-z0-9_.-]{0,61}[A-Za-z0-9]$`)
	factReason = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]{0,200}[A-Za-z0-9_])?$`)
)

// facts sets the conditions that the provider reports, and removes all others that are not the
// operator's own. A provider cannot set the operator's own conditions.
func (p *pass) facts(all *[]metav1.Condition) {
	if p.seen == nil {
		return
	}
	reported := slices.Clone(ours)
	for _, fact := range p.seen.GetFacts() {
		if len(reported) == len(ours)+maxFacts || slices.Contains(reported, fact.GetType()) || !factType.MatchString(fact.GetType()) {
			continue
		}
		meta.SetStatusCondition(all, p.condition(fact))
		reported = append(reported, fact.GetType())
	}
	*all = slices.DeleteFunc(*all, func(c metav1.Condition) bool { return !slices.Contains(reported, c.Type) })
}

// condition returns the condition of a provider's fact.
func (p *pass) condition(fact *v1.Fact) metav1.Condition {
	condition := metav1.Condition{
		Type: fact.GetType(), Status: metav1.ConditionUnknown, Reason: fact.GetReason(), ObservedGeneration: p.generation,
		Message: provider.Bounded(fact.GetMessage(), p.values()...),
	}
	switch fact.GetTruth() {
	case v1.Truth_TRUTH_TRUE:
		condition.Status = metav1.ConditionTrue
	case v1.Truth_TRUTH_FALSE:
		condition.Status = metav1.ConditionFalse
	}
	if !factReason.MatchString(condition.Reason) {
		condition.Reason = Reported
	}
	return condition
}
