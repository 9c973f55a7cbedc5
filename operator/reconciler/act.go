package reconciler

import (
	"context"
	"errors"
	"time"

	"github.com/stratakube/strata/operator/mark"
	"github.com/stratakube/strata/operator/outside"
	"github.com/stratakube/strata/operator/plugin/effect"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// look observes the resource, unless this pass has learned already how it is.
func (p *pass) look(ctx context.Context) error {
	if p.seen != nil {
		return nil
	}
	seen, err := p.provider.Observe(ctx, p.subject)
	if err != nil {
		return p.failed(err)
	}
	p.seen = seen
	if p.seen == nil {
		p.seen = &v1.Observation{}
	}
	if p.driftKey() != "" && p.digest == p.marks.Applied {
		p.Counts.drifted(p.kind)
	}
	return nil
}

// apply makes the resource outside as the object says, if it is not.
func (p *pass) apply(ctx context.Context) error {
	create := !p.seen.GetExists()
	if !create && !p.mustApply() {
		return p.settled(ctx)
	}
	if p.digest == p.marks.Applied {
		p.tries()
	}
	if !create {
		p.subject.Resource.Id, p.subject.Resource.Etag = p.seen.GetId(), p.seen.GetEtag()
	} else {
		p.subject.Resource.Id, p.subject.Resource.Etag = "", ""
	}
	p.log.V(1).Info("applying", "version", p.subject.GetResource().GetApiVersion(), "create", create)
	outcome, err := p.provider.Apply(ctx, &latest.ApplyRequest{Subject: p.subject, CreateOnly: create})
	if err != nil {
		if outside.FailureOf(err).Effect != effect.None {
			p.unsure()
		}
		return p.refused(ctx, create, err)
	}
	if operation := outcome.GetOperation(); operation != nil {
		return p.begin(ctx, operation, mark.ToApply, create)
	}
	return p.applied(ctx, outcome.GetObservation(), create)
}

// settled remembers a resource that needs no call. A call whose effect is found only now has an event too.
func (p *pass) settled(ctx context.Context) error {
	switch {
	case p.digest != p.marks.Applied:
		p.happened(Applied, "the resource was applied in version "+p.subject.GetResource().GetApiVersion())
	case p.driftKey() == "":
		p.memory.of(p.key, p.object.GetUID()).tried = tried{}
	}
	return p.finish(ctx, p.digest)
}

// applied takes note of what an Apply has brought about.
func (p *pass) applied(ctx context.Context, seen *v1.Observation, create bool) error {
	drift, isDrift := p.driftKey(), p.marks.Applied == p.digest
	if p.seen = seen; !seen.GetExists() {
		p.seen = nil
		if err := p.look(ctx); err != nil {
			return err
		}
	}
	if !p.seen.GetExists() {
		return &halt{reason: outside.ReasonTransient, message: "the resource was applied, and is not there", state: failing}
	}
	p.tries()
	switch {
	case create:
		p.happened(Created, "the resource was made in version "+p.subject.GetResource().GetApiVersion())
	case isDrift && drift != "":
		p.happened(DriftCorrected, "what differed outside was applied again")
	default:
		p.happened(Applied, "the resource was applied in version "+p.subject.GetResource().GetApiVersion())
	}
	return p.finish(ctx, p.digest)
}

// finish remembers that the resource is there.
func (p *pass) finish(ctx context.Context, digest string) error {
	marks := p.marks
	if digest == p.digest {
		marks.APIVersion = p.subject.GetResource().GetApiVersion()
	}
	marks.ID, marks.Applied, marks.Operation, marks.Place, marks.Sent, marks.Target = p.identity(), digest, nil, p.place, nil, p.aim
	return p.remember(ctx, marks)
}

// begin remembers an operation, and waits for it.
func (p *pass) begin(ctx context.Context, operation *latest.Operation, aim mark.Aim, create bool) error {
	marks := p.marks
	marks.Operation = &mark.Underway{Handle: operation.GetHandle(), Aim: aim, CanCancel: operation.GetCanCancel()}
	if aim == mark.ToApply {
		marks.Operation.Digest = p.digest
	}
	if create && marks.Sent != nil {
		sent := *marks.Sent
		sent.Accepted = true
		marks.Sent = &sent
	}
	if err := p.remember(ctx, marks); err != nil {
		return err
	}
	return p.underway(operation, create)
}

// underway waits for an operation.
func (p *pass) underway(operation *latest.Operation, create bool) error {
	reason := Updating
	switch {
	case p.marks.Operation != nil && p.marks.Operation.Aim == mark.ToDelete, p.object.GetDeletionTimestamp() != nil:
		reason = Deleting
	case create:
		reason = Creating
	}
	message := operation.GetMessage()
	if message == "" {
		message = "the external API is at work"
	}
	after := min(max(operation.GetPollAfter().AsDuration(), minPoll), maxPoll)
	if operation.GetPollAfter() == nil {
		after = usualPoll
	}
	after = min(after+outside.Jitter(after/10), maxPoll)
	return &halt{reason: reason, message: outside.Bounded(message, p.values()...), state: progressing, after: after}
}

// How often operations are polled, whatever providers say.
const (
	minPoll   = 50 * time.Millisecond
	usualPoll = 5 * time.Second
	maxPoll   = 10 * time.Minute
)

// resume learns how the operation gets on that was begun, maybe by another process.
func (p *pass) resume(ctx context.Context) error {
	operation := p.marks.Operation
	if operation == nil {
		return nil
	}
	outcome, err := p.poll(ctx)
	switch {
	case err != nil:
		return err
	case outcome.GetOperation() != nil:
		return p.again(ctx, outcome.GetOperation())
	case !outcome.GetObservation().GetExists():
		return p.drop(ctx) // look tells
	}
	create := p.marks.ID == ""
	p.seen = outcome.GetObservation()
	p.tries()
	if create {
		p.happened(Created, "the resource was made in version "+p.subject.GetResource().GetApiVersion())
	} else {
		p.happened(Applied, "the resource was applied in version "+p.subject.GetResource().GetApiVersion())
	}
	return p.finish(ctx, operation.Digest)
}

// again waits once more for an operation, and remembers where its handle has changed.
func (p *pass) again(ctx context.Context, operation *latest.Operation) error {
	marks, underway := p.marks, *p.marks.Operation
	underway.Handle, underway.CanCancel = operation.GetHandle(), operation.GetCanCancel()
	marks.Operation = &underway
	if err := p.remember(ctx, marks); err != nil {
		return err
	}
	return p.underway(operation, p.marks.ID == "")
}

// patience with polls: so many that fail in a row mean that the operation is lost, and the resource tells.
const maxPolls = 5

// poll asks how the operation gets on. One of which the external API knows nothing is forgotten, and so is one that failed for good.
func (p *pass) poll(ctx context.Context) (*latest.Outcome, error) {
	memo := p.memory.of(p.key, p.object.GetUID())
	outcome, err := p.provider.Poll(ctx, &latest.OperationRequest{
		Subject: p.subject, Operation: &latest.Operation{Handle: p.marks.Operation.Handle, CanCancel: p.marks.Operation.CanCancel},
	})
	if err == nil {
		memo.polls = 0
		return outcome, nil
	}
	f, stop := outside.FailureOf(err), p.failed(err)
	switch f.Is {
	case latest.Reason_REASON_NOT_FOUND:
		return &latest.Outcome{}, p.drop(ctx)
	case latest.Reason_REASON_INVALID, latest.Reason_REASON_CONFLICT:
		return nil, errors.Join(p.drop(ctx), stop)
	case latest.Reason_REASON_TRANSIENT, latest.Reason_REASON_UNSPECIFIED:
		if memo.polls++; memo.polls >= maxPolls && f.Reason != outside.ReasonUnavailable && f.Reason != outside.ReasonThrottled {
			memo.polls = 0
			return nil, errors.Join(p.drop(ctx), stop)
		}
	}
	return nil, stop
}

// drop forgets the operation.
func (p *pass) drop(ctx context.Context) error {
	marks := p.marks
	marks.Operation = nil
	return p.remember(ctx, marks)
}

// sight remembers where a resource is that is only looked at, so that its children find it.
func (p *pass) sight(ctx context.Context) error {
	if !p.seen.GetExists() {
		return waitForOutside(NotThere, "the resource is not there outside, and the policy is "+string(mark.Observe))
	}
	if p.marks.Held { // from before the policy
		return nil
	}
	return p.remember(ctx, mark.Marks{ID: p.identity(), Place: p.place, Target: p.aim, APIVersion: p.subject.GetResource().GetApiVersion()})
}

func waitForOutside(reason, message string) error {
	return &halt{reason: reason, message: message, state: failing, slow: true}
}

func (p *pass) happened(reason, message string) {
	p.done = append(p.done, happening{reason: reason, message: message})
}
