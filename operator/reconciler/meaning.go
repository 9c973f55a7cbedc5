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
	polled     = "the operator polls the operation as often as the API asks for, and at least every 10 minutes. It handles an edit or a deletion of the object when the operation has ended. After an hour it does so as soon as it has observed the resource. After 24 hours it observes the resource in place of the operation, if the resource exists and the provider reports the progress of its last change"
	soonAgain  = "the operator tries again after pauses that double up to 5 minutes"
	slowAgain  = "the operator tries again after pauses that double up to 15 minutes, and when a Secret changes"
	afterEvent = "the operator tries again when that object changes"
	needsYou   = "the operator tries again when the object changes"
)

// Kinds of events.
const (
	Normal  = "Normal"
	Warning = "Warning"
)

const no, yes = "False", "True"

// Meanings lists all conditions and events of the operator, with all their reasons.
var Meanings = []Meaning{
	{Ready, yes, Succeeded, "the resource exists, and the external API has accepted the last change. `Drifted` names what it did not accept", nothing},
	{Ready, yes, Observed, "the resource exists. The policy is to observe only", nothing},
	{Ready, no, Creating, "the external API is creating the resource", polled},
	{Ready, no, Updating, "the resource differs from the object, and the external API is changing it", polled},
	{Ready, no, Deleting, "the external API is deleting the resource, or has answered that it did, and still has it. Or the resource is not found: the operator waits 30 seconds for an observation that may have missed it, or 5 minutes for a call without an answer that may still create it", "the operator observes the resource again, at least every 10 minutes"},
	{Ready, no, Gone, "an observation found that the resource no longer exists", "the operator creates it again"},
	{Ready, no, "OwnerNotFound", "the object that `spec.owner` names does not exist", afterEvent},
	{Ready, no, "OwnerNotReady", "the owner has no resource yet, or a client has deleted the owner", afterEvent},
	{Ready, no, "HasChildren", "other objects own parts of the resource, or the operator is still reading claims of other namespaces. The message names those of the same namespace", "delete these objects first"},
	{Ready, no, provider.ReasonSecretMissing, "a Secret, or a key of it, does not exist", afterEvent},
	{Ready, no, provider.ReasonConfigMapMissing, "a ConfigMap that `spec.configMapRefs` names, or a key of it, does not exist", afterEvent},
	{Ready, no, provider.ReasonTransient, "the external API failed", soonAgain},
	{Ready, no, provider.ReasonUnknown, "a call had no answer, and its effect is unknown", "an observation shows the effect: " + soonAgain},
	{Ready, no, provider.ReasonThrottled, "the external API throttles calls with these credentials in this subscription", "the operator makes no call for as long as the API asks for, and at most for 5 minutes"},
	{Ready, no, provider.ReasonConflict, "another client changed the resource meanwhile, or the external API is changing it", soonAgain},
	{Ready, no, provider.ReasonMissing, "something that the resource needs does not exist, such as its parent or its subscription", slowAgain},
	{Ready, no, provider.ReasonUnauthorized, "the external API refused the credentials", slowAgain},
	{Ready, no, provider.ReasonUnavailable, "the operator has no plugin for the type, or the plugin does not run", slowAgain},
	{Ready, no, NotThere, "the resource does not exist. The policy is to observe only", slowAgain},
	{Ready, no, ReasonOutputs, "the resource exists, and the external API does not return a value that `spec.outputs`, `spec.secretRefs` or `strata.dev/outputs` asks for", soonAgain},
	{Ready, no, NotProvisioned, "the resource has all values of the object, and the external API reports that the last change continues or has failed. `Provisioned` has the details", "the operator observes the resource again after pauses that double up to 5 minutes, and waits for a change that continues. After a failed change it applies the resource at each resync, and when the object changes"},
	{Ready, no, UpgradePending, "the cluster stores the kind in the hub of an earlier release: its CRD has not been upgraded yet, or was rolled back", "the operator waits, and goes on as soon as the cluster has the CRD of its release"},
	{Ready, no, ReasonCluster, "the API server of the cluster refuses or fails", soonAgain},
	{Ready, no, provider.ReasonInvalid, "the external API refuses the spec", needsYou},
	{Ready, no, Exists, "this object did not create the resource, or nothing proves that it did. The operator neither changes nor deletes the resource", "to adopt the resource, annotate the object with `strata.dev/adopt: \"true\"`. To delete the object and keep the resource, annotate it with `strata.dev/reconcile-policy: detach-on-delete`"},
	{Ready, no, PlaceChanged, "with the present `spec.azureName`, `spec.owner`, credentials and configuration of the provider, the object would be another resource than the one that it claimed", "restore the earlier values"},
	{Ready, no, CredentialsChanged, "the credentials belong to another tenant, subscription or endpoint than those with which the object claimed the resource", "restore the earlier credentials, or annotate the object with `strata.dev/adopt: credentials`"},
	{Ready, no, claiming, "an object of another namespace, which another replica reconciles, has claimed the resource at the same time", "this object goes on when that one has yielded or created the resource"},
	{Ready, no, OwnedByAnother, "another object has claimed or marked the resource before. Or the operator cannot read whether one has, for an hour at most. The message names an object of the same namespace", "this object gets the claim when the other one is deleted or detached"},
	{Ready, no, "OwnerMissing", "the type is part of another resource, and `spec.owner` is missing", needsYou},
	{Ready, no, "OwnerUnknown", "`spec.owner.name` is set, and the operator has no kind that owns the type", "set `spec.owner.armId`"},
	{Ready, no, provider.ReasonSecretForeign, "another client created a Secret for outputs, or a key in it", "name another Secret or key, or delete the existing one"},
	{Ready, no, provider.ReasonConfigMapForeign, "another client created a ConfigMap for outputs, or a key in it", "name another ConfigMap or key, or delete the existing one"},
	{Ready, no, ReasonInputsInvalid, "a value of a ConfigMap does not fit its property: the path leads to no property, to a secret or to an object, or the value has another type. Or the values of the object's Secrets or ConfigMaps exceed 1 MiB together", "the operator tries again when the object or the ConfigMap changes"},
	{Ready, no, "ConversionFailed", "the operator cannot convert the spec to the version that the user wrote", needsYou},
	{Ready, no, "PolicyUnknown", "the operator does not know the value of `strata.dev/reconcile-policy`, and applies and deletes nothing", needsYou},
	{Ready, no, ReasonOutputsUnreadable, "the operator cannot read an output, two outputs have one key, the object has more than 100, a value is an object or a list, or a ConfigMap would get a secret. The operator writes all other outputs", needsYou},

	{Reconciling, yes, "", "the object is not Ready, and can become Ready without a change. The reason is that of `Ready`", ""},
	{Stalled, yes, "", "the object becomes Ready only if the user changes something. The reason is that of `Ready`", "the operator tries again at each resync"},

	{Reachable, no, provider.ReasonTransient, "the operator could not observe the resource since the last transition: the external API failed", soonAgain},
	{Reachable, no, provider.ReasonUnknown, "the same: a call had no answer", soonAgain},
	{Reachable, no, provider.ReasonThrottled, "the same: the external API throttles calls", "the operator makes no call for as long as the API asks for, and at most for 5 minutes"},
	{Reachable, no, provider.ReasonUnavailable, "the same: the operator has no plugin for the type, or the plugin does not run", slowAgain},
	{Reachable, no, ReasonCluster, "the same: the API server of the cluster refuses or fails", soonAgain},

	{Drifted, yes, NotAccepted, "the paths in the message differ in the external API. The operator applied them, and they differed again at once", "the operator leaves them alone until another path differs, the spec changes or an observation finds no difference"},
	{Drifted, yes, ObservedOnly, "the paths in the message differ in the external API. The policy is to observe only", nothing},
	{FullySent, no, NotExpressible, "the version that the user wrote cannot express all values of the object. The message lists what the operator does not send", "apply the object in a version that can"},
	{OriginalVersionKept, no, NotKept, "the operator no longer has the version that the user wrote. The message names the version that it uses instead", "apply the object in a version that the operator has"},
	{DeclaredVersionUsed, no, CannotExpress, "the user declared the object in a version that cannot express all its values. The operator sends a version that can, and the message names the values", "run the command in the message, and apply the object again"},
	{"", "", Reported, "a condition of the provider without a valid reason", ""},

	{Normal, "", Created, "the operator created the resource", ""},
	{Normal, "", Adopted, "the operator adopted an existing resource", ""},
	{Normal, "", Applied, "the operator changed the resource", ""},
	{Normal, "", DriftCorrected, "the operator applied what differed in the external API", ""},
	{Normal, "", Gone, "the resource no longer exists in the external API, and the operator creates it again", ""},
	{Normal, "", Deleted, "the resource no longer exists in the external API, and the object is deleted", ""},
	{Normal, "", Detached, "the object is deleted, and the operator leaves the resource alone", ""},
	{Warning, "", NotDeleted, "the object is deleted, and the external API may still have its resource. Nothing proves that the resource is the object's, another client has created it anew, the operator has no credentials, or a create or a change may still continue", ""},
	{Warning, "", "", "the object is stalled for a reason of `Ready`. The operator sends the event once for each reason", ""},
}
