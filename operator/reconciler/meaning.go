package reconciler

import "github.com/stratakube/strata/operator/provider"

// Meaning describes a condition or an event with a reason. The reference lists all of them.
type Meaning struct {
	// Of is the type of the condition. For an event it is Normal or Warning.
	Of string
	// Status is the status of the condition; empty for an event.
	Status string
	// Reason is empty if it is the reason of Ready, or comes from the provider.
	Reason string
	// Means describes the state, and Next what the operator does about it, or what the user can
	// do.
	Means, Next string
}

// Texts for what happens next.
const (
	nothing    = "nothing"
	polled     = "the operation is polled when the API wishes, at least every 10 minutes. An edit or a deletion of the object waits for its end, after an hour only until an observation finds the resource. After 24 hours the operator observes the resource instead, like one that another client changes, if it is there and the provider reports how far its last change is"
	soonAgain  = "it is tried again, after pauses that double up to 5 minutes"
	slowAgain  = "it is tried again, after pauses that double up to 15 minutes, and when a Secret changes"
	afterEvent = "the next pass follows that change"
	needsYou   = "a change of the object makes the next pass"
)

// Kinds of events.
const (
	Normal  = "Normal"
	Warning = "Warning"
)

const no, yes = "False", "True"

// Meanings lists all conditions and events of the operator, with all their reasons.
var Meanings = []Meaning{
	{Ready, yes, Succeeded, "the resource is there and the external API has accepted the last change; `Drifted` says what it did not accept", nothing},
	{Ready, yes, Observed, "the resource is there; the policy is to observe only", nothing},
	{Ready, no, Creating, "the external API is making the resource", polled},
	{Ready, no, Updating, "the resource is not what the object says, and is being changed", polled},
	{Ready, no, Deleting, "the resource is being deleted, or was and is still there; or it is not there, and for 30 seconds an observation may have missed it, or for 5 minutes a call without an answer may still make it", "it is observed again, at least every 10 minutes"},
	{Ready, no, Gone, "an observation found that the resource is gone", "it is created again"},
	{Ready, no, "OwnerNotFound", "the object that `spec.owner` names is not there", afterEvent},
	{Ready, no, "OwnerNotReady", "the owner has no resource yet, or is being deleted", afterEvent},
	{Ready, no, "HasChildren", "other objects own what is part of the resource, or the operator is still examining claims of other namespaces; the message names those of the same namespace", "they must be deleted first"},
	{Ready, no, provider.ReasonSecretMissing, "a Secret, or a key of it, is not there", afterEvent},
	{Ready, no, provider.ReasonConfigMapMissing, "a ConfigMap that `spec.configMapRefs` names, or a key of it, is not there", afterEvent},
	{Ready, no, provider.ReasonTransient, "the external API failed", soonAgain},
	{Ready, no, provider.ReasonUnknown, "a call was cut off, and its effect is unknown", "an observation shows the effect; " + soonAgain},
	{Ready, no, provider.ReasonThrottled, "the external API throttles calls with these credentials in this subscription", "no call is made until the API wishes, for 5 minutes at most"},
	{Ready, no, provider.ReasonConflict, "the resource was changed meanwhile, or is busy", soonAgain},
	{Ready, no, provider.ReasonMissing, "something that the resource needs is not there, as its parent or its subscription", slowAgain},
	{Ready, no, provider.ReasonUnauthorized, "the credentials were refused", slowAgain},
	{Ready, no, provider.ReasonUnavailable, "no plugin is there for the type, or it does not run", slowAgain},
	{Ready, no, NotThere, "there is no such resource; the policy is to observe only", slowAgain},
	{Ready, no, ReasonOutputs, "the resource is there, and the external API does not give out a value that `spec.outputs`, `spec.secretRefs` or `strata.dev/outputs` asks for", soonAgain},
	{Ready, no, NotProvisioned, "the resource has all that the object says, and the external API reports that its last change goes on or has failed; `Provisioned` says more", "it is observed again, after pauses that double up to 5 minutes; if the change has failed, the resource is applied again after a resync, and at each one from then on; a change that goes on is waited for; a change of the object applies it"},
	{Ready, no, UpgradePending, "the cluster stores the kind in the hub of an earlier release: its CRD was not upgraded yet, or was rolled back", "the operator waits, and makes a pass as soon as the CRD of its release is applied"},
	{Ready, no, ReasonCluster, "the API server of the cluster refuses or fails", soonAgain},
	{Ready, no, provider.ReasonInvalid, "the external API refuses the spec", needsYou},
	{Ready, no, Exists, "the resource was not made by this object, or nothing proves that it was; it is neither changed nor deleted", "annotate the object with `strata.dev/adopt: \"true\"` to adopt it; to delete an object without it, with `strata.dev/reconcile-policy: detach-on-delete`"},
	{Ready, no, PlaceChanged, "`spec.azureName`, `spec.owner`, the credentials or the configuration of the provider would make it another resource than the claimed one", "put them back"},
	{Ready, no, CredentialsChanged, "the credentials are of another tenant, subscription or endpoint than those that the resource was claimed with", "put them back, or annotate the object with `strata.dev/adopt: credentials`"},
	{Ready, no, OwnedByAnother, "another object has claimed the resource before, or has marked it, or for an hour at most nothing can be learned of its claim; the message names one of the same namespace", "the claim passes on when that object is deleted or detached"},
	{Ready, no, "OwnerMissing", "the type is part of another resource, and `spec.owner` is missing", needsYou},
	{Ready, no, "OwnerUnknown", "`spec.owner.name` is set, and no kind of this operator owns the type", "set `spec.owner.armId`"},
	{Ready, no, provider.ReasonSecretForeign, "a Secret for outputs, or a key in it, was made by another client", "name another Secret or key, or delete that one"},
	{Ready, no, provider.ReasonConfigMapForeign, "a ConfigMap for outputs, or a key in it, was made by another client", "name another ConfigMap or key, or delete that one"},
	{Ready, no, ReasonInputsInvalid, "a value of a ConfigMap cannot be that of its property: the path leads to none, to a secret or to an object, or the value is of another type; or the values of the object's Secrets or ConfigMaps exceed 1 MiB together", "a change of the object or of the ConfigMap makes the next pass"},
	{Ready, no, "ConversionFailed", "the spec cannot be converted to the version that the user wrote", needsYou},
	{Ready, no, "PolicyUnknown", "the value of `strata.dev/reconcile-policy` is not known: nothing is applied or deleted", needsYou},
	{Ready, no, ReasonOutputsUnreadable, "an output cannot be read, two have one key, there are more than 100, a value is an object or a list, or a ConfigMap is to get a secret; outputs that can be read are written", needsYou},

	{Reconciling, yes, "", "the object is not Ready, and will be without a change; the reason is that of `Ready`", ""},
	{Stalled, yes, "", "the object is not Ready until the user changes something; the reason is that of `Ready`", "it is tried again at each resync"},

	{Reachable, no, provider.ReasonTransient, "nothing was learned of the resource since the last transition: the external API failed", soonAgain},
	{Reachable, no, provider.ReasonUnknown, "the same: a call was cut off", soonAgain},
	{Reachable, no, provider.ReasonThrottled, "the same: the external API throttles", "no call is made until the API wishes, for 5 minutes at most"},
	{Reachable, no, provider.ReasonUnavailable, "the same: no plugin is there, or it does not run", slowAgain},
	{Reachable, no, ReasonCluster, "the same: the API server of the cluster refuses or fails", soonAgain},

	{Drifted, yes, NotAccepted, "the paths in the message differ in the external API, and did so again at once after they were applied", "they are left alone until another path differs, the spec changes or an observation finds no difference"},
	{Drifted, yes, ObservedOnly, "the paths in the message differ in the external API; the policy is to observe only", nothing},
	{FullySent, no, NotExpressible, "the version that the user wrote cannot express all that the object says; the message lists what is not sent", "apply the object in a version that can"},
	{OriginalVersionKept, no, NotKept, "the version that the user wrote is not kept any more; the message names the one that stands for it", "apply the object in a version that is kept"},
	{DeclaredVersionUsed, no, CannotExpress, "the object was declared in a version that cannot express all that it says; it is sent in the one that can, and the message names what stands in the way", "run the command in the message, and apply the object again"},
	{"", "", Reported, "a condition of the provider that came without a valid reason", ""},

	{Normal, "", Created, "the resource was made", ""},
	{Normal, "", Adopted, "a resource that was there already was adopted", ""},
	{Normal, "", Applied, "the resource was changed", ""},
	{Normal, "", DriftCorrected, "what differed in the external API was applied again", ""},
	{Normal, "", Gone, "the resource is gone from the external API, and is created again", ""},
	{Normal, "", Deleted, "the resource is gone from the external API, and so is the object", ""},
	{Normal, "", Detached, "the object is gone, and the resource is left alone", ""},
	{Warning, "", NotDeleted, "the object is gone, and its resource is left in the external API: it is not certainly the object's, another client has made it anew, or no credentials are left; or it is not there, and its create or a change of it may go on", ""},
	{Warning, "", "", "the object has come to a halt for a reason of `Ready`; sent once for each reason", ""},
}
