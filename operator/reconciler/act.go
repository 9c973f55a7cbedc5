package reconciler

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/plugin/effect"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/provider"
)

// look observes the resource, unless this pass has observed it already.
func (p *pass) look(ctx context.Context) error {
	if p.seen != nil {
		return nil
	}
	p.subject.Resource.Uid = p.knownUID() // this pass may have learned it
	seen, err := p.provider.Observe(ctx, p.subject)
	if err != nil {
		return p.failed(err)
	}
	p.sees(seen)
	if p.driftKey() != "" && p.digest == p.recorded.Applied {
		p.Counts.drifted(p.kind)
	}
	return nil
}

// sees stores an observation in the pass, and in memory when the resource was last found.
func (p *pass) sees(seen *v1.Observation) {
	if p.seen = seen; p.seen == nil {
		p.seen = &v1.Observation{}
	}
	if p.seen.GetExists() {
		p.memo().existed, p.memo().missing = p.Now(), time.Time{}
	}
}

// knownUID returns the UID of the resource as it was first observed; empty if none is known. The
// provider spells the UID in the same way when it returns it again.
func (p *pass) knownUID() string {
	uid := p.recorded.ResourceUID
	if sent := p.recorded.Sent; sent != nil {
		uid = cmp.Or(uid, sent.DoubtedUID, sent.MissedUID) // a doubt is later
	}
	if operation := p.recorded.Operation; operation != nil {
		uid = cmp.Or(uid, operation.ResourceUID)
	}
	if deleted := p.memo().deleted; deleted != nil {
		uid = cmp.Or(uid, deleted.uid)
	}
	return uid
}

// errStopped ends a pass over an object whose kind is stopped. The pass writes no status.
var errStopped = errors.New("the kind is stopped")

// confirmKind ends the pass if the kind is stopped by now, and the resource has to be created or
// changed. The pass has read the object before. So no client has written the object through a
// version of a later release if the kind is not stopped yet.
func (p *pass) confirmKind(ctx context.Context) error {
	if p.seen.GetExists() && !p.mustApply() {
		return nil
	}
	stopped, err := p.Confirm(ctx, p.kind)
	switch {
	case err != nil:
		return err
	case stopped != nil:
		return errStopped
	}
	return nil
}

// apply creates the resource, or changes it if it differs from the object.
func (p *pass) apply(ctx context.Context) error {
	create := !p.seen.GetExists()
	if !create && !p.mustApply() {
		return p.inSync(ctx)
	}
	if !create {
		p.subject.Resource.Id, p.subject.Resource.Etag = p.seen.GetId(), p.seen.GetEtag()
	} else {
		p.subject.Resource.Id, p.subject.Resource.Etag, p.subject.Resource.Uid = "", "", ""
	}
	p.memo().failed = time.Time{}
	p.log.V(1).Info("applying", "version", p.subject.GetResource().GetApiVersion(), "create", create)
	outcome, err := p.provider.Apply(ctx, &latest.ApplyRequest{Subject: p.subject, CreateOnly: create})
	if err != nil {
		if provider.FailureOf(err).Effect != effect.None {
			p.unsure(create)
		}
		return p.refused(ctx, create, err)
	}
	p.memo().unsure = "" // from now on, nothing shows whether an earlier call has taken effect
	if p.isCorrection {
		p.tries()
	}
	if operation := outcome.GetOperation(); operation != nil {
		return p.begin(ctx, operation, annotation.PendingOperation{Aim: annotation.ToApply, Digest: p.digest, Spec: p.change().Spec}, create)
	}
	return p.applied(ctx, outcome.GetObservation(), create)
}

// inSync records that the resource needs no call. It reports an event if this pass is the first
// that finds the effect of an earlier call.
func (p *pass) inSync(ctx context.Context) error {
	switch {
	case p.digest != p.recorded.Applied:
		p.happened(Applied, "the resource was applied in version "+p.subject.GetResource().GetApiVersion())
	case p.driftKey() == "":
		p.memo().tried = tried{}
	}
	return p.finish(ctx, p.digest)
}

// applied records the result of an Apply. It observes the resource if the provider returned no
// observation. A missing resource is an error.
func (p *pass) applied(ctx context.Context, seen *v1.Observation, create bool) error {
	drift, isDrift := p.driftKey(), p.isCorrection
	if p.seen = seen; !seen.GetExists() {
		p.seen = nil
		if err := p.look(ctx); err != nil {
			return err
		}
	}
	if !p.seen.GetExists() {
		return &halt{reason: provider.ReasonTransient, message: "the resource was applied, and is not there", state: failing}
	}
	p.sees(p.seen)
	p.tries()
	switch {
	case create:
		p.happened(Created, "the resource was made in version "+p.subject.GetResource().GetApiVersion())
	case isDrift && drift != "":
		p.happened(DriftCorrected, "what differed in the external API was applied again")
	default:
		p.happened(Applied, "the resource was applied in version "+p.subject.GetResource().GetApiVersion())
	}
	return p.finish(ctx, p.digest)
}

// finish writes the claim to an existing resource, and the digest that was applied to it.
func (p *pass) finish(ctx context.Context, digest string) error {
	recorded := p.recorded
	if digest == p.digest {
		recorded.APIVersion = p.subject.GetResource().GetApiVersion()
	}
	recorded.Applied, recorded.Operation, recorded.OutputsDue = digest, nil, p.isDue()
	return p.remember(ctx, p.owning(recorded))
}

// owning returns marks with the identity of the observed resource, which belongs to the object.
func (p *pass) owning(recorded annotation.State) annotation.State {
	recorded.Unanswered = p.outstanding()
	if p.recorded.Owned && p.recorded.ID == "" && p.recorded.Sent != nil {
		recorded.Made = p.Now().UTC()
	}
	recorded.ID, recorded.Sent, recorded.Gone, recorded.Address, recorded.Target = p.identity(), nil, false, p.externalAddress, p.aim
	recorded.ResourceUID = cmp.Or(instanceOf(p.seen).uid, recorded.ResourceUID)
	return recorded
}

// isDue reports whether the operator must ask the external API for outputs. It must if the
// resource has changed in this pass, or since it last asked, or if another client has replaced
// it.
func (p *pass) isDue() bool {
	return len(p.secrets.Calls()) > 0 && (p.recorded.OutputsDue || len(p.done) > 0 || p.isReplaced())
}

// provisioned halts if the resource equals the object, but the external API reports that its last
// change runs or has failed. The operator waits for a running change without a limit, since it
// may be that of another client. It applies a resource whose change has failed again after a
// resync, since no other client would do so.
func (p *pass) provisioned(context.Context) error {
	memo := p.memo()
	switch {
	case !p.hasFailed():
		memo.failed = time.Time{}
	case memo.failed.IsZero():
		memo.failed = p.Now()
	}
	if !p.isUnfinished() {
		return nil
	}
	message := "the resource has all that the object says, and the external API reports that its last change "
	if p.hasFailed() {
		message += "has failed"
	} else {
		message += "goes on"
	}
	if fact := p.provisioning(); fact != nil {
		message += ": " + fact.GetReason() + ": " + fact.GetMessage()
	}
	return &halt{reason: NotProvisioned, state: failing, message: provider.Bounded(message, p.values()...)}
}

// rememberObserved stores the identifier of an observed resource, so that its children can use
// it.
func (p *pass) rememberObserved(ctx context.Context) error {
	if !p.seen.GetExists() {
		return waitForResource(NotThere, "the resource is not in the external API, and the policy is "+string(annotation.Observe))
	}
	if p.recorded.Owned { // claimed before the policy was set
		recorded := p.recorded
		recorded.Gone = false
		return p.remember(ctx, recorded)
	}
	return p.remember(ctx, annotation.State{ID: p.identity(), Address: p.externalAddress, Target: p.aim, APIVersion: p.subject.GetResource().GetApiVersion()})
}

func waitForResource(reason, message string) error {
	return &halt{reason: reason, message: message, state: failing, slow: true}
}

func (p *pass) happened(reason, message string) {
	p.done = append(p.done, happening{reason: reason, message: message})
}
