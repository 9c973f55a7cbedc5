package reconciler

import (
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	"github.com/stratakube/strata/operator/provider"
)

// The conditions of all objects. Only Ready is always there.
const (
	Ready = "Ready"
	// Reconciling and Stalled are those of kstatus.
	Reconciling = "Reconciling"
	Stalled     = "Stalled"
	// FullySent is False where the version that the user wrote cannot say all that the object says.
	FullySent = "FullySent"
	// OriginalVersionKept is False where another version stands for the one that the user wrote.
	OriginalVersionKept = "OriginalVersionKept"
	// DeclaredVersionUsed is False where the object was declared in a version that cannot express
	// it, and is sent in another one.
	DeclaredVersionUsed = "DeclaredVersionUsed"
	// Drifted is True where the external resource is not as the object says, and is not changed.
	Drifted = "Drifted"
	// Reachable is False where nothing could be learned of the resource, since its last transition.
	Reachable = "Reachable"
)

// Reasons of Ready that others look at.
const (
	Succeeded = "Succeeded"
	Observed  = "Observed"
	Exists    = "Exists"
	Deleting  = "Deleting"
	Creating  = "Creating"
	Updating  = "Updating"
	Gone      = "Gone"
	NotThere  = "NotThere"
	// PlaceChanged and CredentialsChanged are the reasons where the claim is to something else than
	// the object means now.
	PlaceChanged       = "PlaceChanged"
	CredentialsChanged = "CredentialsChanged"
	// OwnedByAnother is the reason where another object owns the resource.
	OwnedByAnother = "OwnedByAnother"
	// ReasonOutputs is the reason where the external API does not give out a value that the object
	// asks for.
	ReasonOutputs = "OutputsFailed"
	// ReasonOutputsUnreadable is the reason where an output that the object asks for cannot be one,
	// ReasonInputsInvalid where a value of a ConfigMap cannot be that of its property.
	ReasonOutputsUnreadable = "OutputsUnreadable"
	ReasonInputsInvalid     = provider.ReasonInputsInvalid
	// NotProvisioned is the reason where the resource does not differ, and its last change goes on
	// or has failed.
	NotProvisioned = "NotProvisioned"
	// ReasonCluster is the reason where the API server of the cluster refuses or fails.
	ReasonCluster = "ClusterFailed"
)

// Reasons of other conditions. Reported is that of conditions of providers that have none.
const (
	NotAccepted    = "NotAccepted"
	ObservedOnly   = "ObservedOnly"
	NotExpressible = "NotExpressible"
	NotKept        = "NotKept"
	CannotExpress  = "CannotExpress"
	Reported       = "Reported"
)

// Events beside those of reasons of Ready.
const (
	Created        = "Created"
	Adopted        = "Adopted"
	Applied        = "Applied"
	DriftCorrected = "DriftCorrected"
	Deleted        = "Deleted"
	Detached       = "Detached"
	// NotDeleted warns of a resource that is left in the external API although its object was
	// deleted.
	NotDeleted = "NotDeleted"
)

var ours = []string{Ready, Reconciling, Stalled, FullySent, OriginalVersionKept, DeclaredVersionUsed, Drifted, Reachable}

// conditions are those that an object has to have, of those that it has.
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

// limit sets what the version that the user wrote is the reason of. Where nothing was converted,
// nothing is known anew.
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

// reach sets since when the external API does not answer. The time and the message are those of the
// first failure for a reason.
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

// drift sets Drifted for what differs in the external API and is not applied again.
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

// maxFacts is how many conditions a provider can set.
const maxFacts = 16

var (
	factType   = regexp.MustCompile(`^([a-z0-9.-]{1,253}/)?[A-Za-z][A-Za-z0-9_.-]{0,61}[A-Za-z0-9]$`)
	factReason = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]{0,200}[A-Za-z0-9_])?$`)
)

// facts sets the conditions that the provider reports, and removes those that it no longer reports:
// whatever is not the operator's own. None may be called like one of the operator's own.
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

// condition returns the condition of a fact.
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
