package reconciler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stratakube/strata/operator/annotation"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/provider"
)

// begin stores a new operation, and halts until its next poll.
func (p *pass) begin(ctx context.Context, operation *latest.Operation, as annotation.PendingOperation, create bool) error {
	recorded := p.recorded
	as.Handle, as.CanCancel, as.Began = operation.GetHandle(), operation.GetCanCancel(), p.Now().UTC()
	recorded.Operation = &as
	if as.Aim == annotation.ToApply { // from now on, the operation shows the effect
		recorded.Unanswered = p.outstanding()
	}
	if create && recorded.Sent != nil {
		recorded.Sent = recorded.Sent.Accept()
	}
	p.memo().polls, p.memo().refusals, p.memo().polled = 0, 0, p.Now()
	if err := p.remember(ctx, recorded); err != nil {
		return err
	}
	return p.underway(operation, create)
}

// underway returns the halt of a running operation. The pause is the one that the provider asks
// for, within minPoll and maxPoll.
func (p *pass) underway(operation *latest.Operation, create bool) error {
	reason := Updating
	switch {
	case p.recorded.Operation != nil && p.recorded.Operation.Aim == annotation.ToDelete, p.object.GetDeletionTimestamp() != nil:
		reason = Deleting
	case create:
		reason = Creating
	}
	message := operation.GetMessage()
	if message == "" {
		message = "the external API is at work"
	}
	if pending := p.recorded.Operation; pending != nil && !pending.Began.IsZero() && p.Now().Sub(pending.Began) >= longestWait {
		message += fmt.Sprintf("; the operation goes on since %s: a change or a deletion of the object waits for it no longer once an observation finds the resource, and after %.0f hours it is followed only while nothing but its polls reports it",
			pending.Began.UTC().Format(time.RFC3339), longestOperation.Hours())
	}
	after := min(max(operation.GetPollAfter().AsDuration(), minPoll), maxPoll)
	if operation.GetPollAfter() == nil {
		after = usualPoll
	}
	after = min(after+provider.Jitter(after/10), maxPoll)
	return &halt{reason: reason, message: provider.Bounded(message, p.values()...), state: progressing, after: after}
}

// Limits of the pause between polls, whatever providers ask for, and the pause for those that ask
// for none.
const (
	minPoll   = 50 * time.Millisecond
	usualPoll = 5 * time.Second
	maxPoll   = 10 * time.Minute
)

// How long the operator follows its own operations. A resource can remain in a state, such as
// Pending, in which its last change never ends.
const (
	// longestWait is how long a change or a deletion of the object waits for the operation. It waits
	// for a create until an observation finds the resource.
	longestWait = time.Hour
	// longestOperation is how long an operation is followed that the resource reports too. After that
	// the operator treats it like an operation of another client.
	longestOperation = 24 * time.Hour
)

// resume polls the operation that this or an earlier process began, and continues after its end.
func (p *pass) resume(ctx context.Context) error {
	if p.recorded.Operation == nil {
		return nil
	}
	outcome, how, failed := p.follow(ctx)
	if how == opGoesOn {
		return failed
	}
	p.learns(outcome, how)
	if err := p.conclude(ctx, how); err != nil {
		return errors.Join(err, failed)
	}
	if sent := p.recorded.Sent; failed == nil && sent != nil && sent.Ended && !p.seen.GetExists() {
		failed = &halt{reason: provider.ReasonTransient, message: "the resource was applied, and is not there", state: failing}
	}
	p.lookSoon(failed)
	return failed
}

// learns stores the observation that came with the end of an operation, and reports whether one
// came. An observation during an operation proves nothing.
func (p *pass) learns(outcome *latest.Outcome, how progress) bool {
	if how != opEnded || !outcome.GetObservation().GetExists() {
		return false
	}
	p.sees(outcome.GetObservation())
	return true
}

// maxPolls is how many polls fail in a row until an operation is lost, and how many are refused
// until nothing but observations can show how it gets on. Then these do.
const maxPolls = 5

// progress is the state of an operation according to a poll.
type progress int

const (
	// opGoesOn means that the operation runs, or that this poll showed nothing about it.
	opGoesOn progress = iota
	// opEnded means that the operation has succeeded.
	opEnded
	// opFailed means that the operation has failed.
	opFailed
	// opOverdue means that the operation runs for longer than the operator follows it.
	opOverdue
	// opLost means that the external API does not know the operation, or that maxPolls polls have
	// failed. The operation may have ended or still run.
	opLost
)

// poll asks the provider for the state of the operation. It does not remove the operation from
// the claim: see conclude.
func (p *pass) poll(ctx context.Context) (*latest.Outcome, progress, error) {
	memo := p.memo()
	outcome, err := p.provider.Poll(ctx, &latest.OperationRequest{
		Subject: p.subject, Operation: &latest.Operation{Handle: p.recorded.Operation.Handle, CanCancel: p.recorded.Operation.CanCancel},
	})
	if err == nil {
		memo.polls, memo.refusals = 0, 0
		if outcome.GetOperation() != nil {
			return outcome, opGoesOn, p.confirm(ctx, outcome.GetOperation())
		}
		return outcome, opEnded, nil
	}
	f, stop := provider.FailureOf(err), p.failed(err)
	if memo.refusals++; f.Unknown {
		memo.refusals = 0
	}
	switch f.Is {
	case latest.Reason_REASON_NOT_FOUND:
		return nil, opLost, nil
	case latest.Reason_REASON_INVALID, latest.Reason_REASON_CONFLICT:
		return nil, opFailed, stop
	case latest.Reason_REASON_TRANSIENT, latest.Reason_REASON_UNSPECIFIED:
		if memo.polls++; memo.polls >= maxPolls && f.Reason != provider.ReasonUnavailable && f.Reason != provider.ReasonThrottled {
			return nil, opLost, stop
		}
	}
	return nil, opGoesOn, stop
}

// confirm stores the answer to a poll of an operation that goes on, before any other call can fail.
// The external API may know the operation only by the last handle that it gave. For a create,
// confirm also updates the stored time at intervals. A recent time proves at the end of the
// operation that the resource belongs to the object.
func (p *pass) confirm(ctx context.Context, operation *latest.Operation) error {
	recorded, underway := p.recorded, *p.recorded.Operation
	underway.Handle, underway.CanCancel = operation.GetHandle(), operation.GetCanCancel()
	recorded.Operation = &underway
	if recorded.Sent != nil && !p.isRecent(recorded.Sent.At, believed/4) {
		sent := *recorded.Sent
		sent.At = p.Now().UTC()
		recorded.Sent = &sent
	}
	p.memo().polled = p.Now()
	return p.remember(ctx, recorded)
}

// follow polls the operation, and decides whether the operator follows it any longer. If it does,
// the error is the halt until the next poll.
func (p *pass) follow(ctx context.Context) (*latest.Outcome, progress, error) {
	outcome, how, err := p.progress(ctx)
	if how == opGoesOn && err == nil {
		err = p.underway(outcome.GetOperation(), p.recorded.ID == "")
	}
	return outcome, how, err
}

// progress polls the operation, and returns its state as far as the operator follows it.
//
// The result of a poll decides first. An operation that goes on is followed until longestOperation
// has passed, or longestWait if the object has changed or is deleted meanwhile. After that an
// observation decides. While it finds no resource, only polls show that the operation runs, and a
// create that was given up could be made twice, or outlive its object. So it is followed until its
// end. The same applies if the object has not changed, and the provider reports no last change of
// the resource. If all polls are refused, the observation counts alone.
func (p *pass) progress(ctx context.Context) (*latest.Outcome, progress, error) {
	if err := p.date(ctx); err != nil {
		return nil, opGoesOn, err
	}
	outcome, how, err := p.poll(ctx)
	if how != opGoesOn {
		return outcome, how, err
	}
	operation := p.recorded.Operation
	age, isOld := p.Now().Sub(operation.Began), p.Now().Sub(operation.Began) >= longestOperation
	isAwaited := operation.Aim == annotation.ToApply && (p.object.GetDeletionTimestamp() != nil || p.digest != operation.Digest)
	switch {
	case age < longestWait, !isOld && !isAwaited:
		return outcome, opGoesOn, err
	case operation.Aim == annotation.ToDelete:
		return outcome, opOverdue, nil
	}
	if err := p.look(ctx); err != nil {
		return outcome, opGoesOn, err
	}
	switch exists, isRefused := p.seen.GetExists(), p.memo().refusals >= maxPolls; {
	case isOld && isRefused:
	case !exists:
		p.seen = nil // it proves nothing while the operation runs
		return outcome, opGoesOn, err
	case !isAwaited && p.lastChange() == v1.Change_CHANGE_UNSPECIFIED:
		return outcome, opGoesOn, err
	}
	return outcome, opOverdue, nil
}

// date has an operation begin now if its claim names no time, as those of earlier releases, or one
// that is later than now, by a clock that is ahead. Otherwise an operation whose polls are refused
// would hold up the object for ever.
func (p *pass) date(ctx context.Context) error {
	began := p.recorded.Operation.Began
	if !began.IsZero() && !began.After(p.Now()) {
		return nil
	}
	recorded, underway := p.recorded, *p.recorded.Operation
	underway.Began = p.Now().UTC()
	recorded.Operation = &underway
	return p.remember(ctx, recorded)
}

// isCreating reports whether the operation that runs is a create.
func (p *pass) isCreating() bool {
	return p.recorded.Operation != nil && p.recorded.Operation.Aim == annotation.ToApply && p.recorded.ID == ""
}

// conclude removes an operation that has ended, or is followed no longer, from the claim. After a
// create it observes the resource first, and writes both results at once. A later observation could
// not distinguish the created resource from one that another client has made since.
func (p *pass) conclude(ctx context.Context, how progress) (err error) {
	operation, recorded := p.recorded.Operation, p.recorded
	if operation.Aim == annotation.ToDelete {
		recorded.ResourceUID, recorded.Operation = cmp.Or(recorded.ResourceUID, operation.ResourceUID), nil
		return p.remember(ctx, recorded)
	}
	if p.isCreating() {
		recorded, err = p.concludedCreate(ctx, how)
	} else {
		recorded = p.concludedChange(how)
	}
	if err != nil {
		return err
	}
	switch isKnown := recorded.ID != ""; {
	case isKnown && (how == opEnded || how == opOverdue): // the external API has accepted it; an observation shows what differs
		recorded.Applied = operation.Digest
	case how == opEnded, how == opFailed: // the visible state may not be in effect
		recorded.Applied = ""
	}
	if how == opEnded && recorded.ID != "" {
		if recorded.OutputsDue = p.isDue(); operation.Digest == p.digest {
			recorded.APIVersion = p.subject.GetResource().GetApiVersion()
			p.triesAtEnd()
		}
	}
	recorded.Operation = nil
	return p.remember(ctx, recorded)
}

// triesAtEnd stores what differs at the end of an operation, if this process has followed it. After
// an absence, another client may have changed the resource since the end.
func (p *pass) triesAtEnd() {
	if p.isRecent(p.memo().polled, 2*maxPoll) {
		p.tries()
	}
}

// concludedChange returns the marks after a change whose operation has ended, or is followed no
// longer. Another client may have removed the resource during it. Then the operation may have made
// a new one. If that client made one after the operation, its UID differs too: the claim records
// what was sent, and the user decides.
func (p *pass) concludedChange(how progress) annotation.State {
	recorded := p.recorded
	if how == opEnded {
		p.happened(Applied, "the resource was applied in version "+p.subject.GetResource().GetApiVersion())
		if p.seen.GetExists() && !p.isLost() {
			return p.owning(recorded)
		}
	}
	change := &annotation.SentChange{Spec: recorded.Operation.Spec}
	if how == opLost || how == opOverdue { // it may still run
		change.At, change.Unended = p.Now().UTC(), how == opOverdue || p.hasRunLately()
	}
	recorded.Unanswered = change.After(recorded.Unanswered)
	return recorded
}

// hasRunLately reports whether the operation began, or was polled by this process, within
// longestOperation.
func (p *pass) hasRunLately() bool {
	return p.isRecent(p.recorded.Operation.Began, longestOperation) || p.isRecent(p.memo().polled, longestOperation)
}

// concludedCreate returns the marks after a create whose operation has ended, or is followed no
// longer, by what an observation finds. If nothing proves that the operation has made the
// resource, the claim records that only the user can tell.
func (p *pass) concludedCreate(ctx context.Context, how progress) (annotation.State, error) {
	if err := p.look(ctx); err != nil {
		return p.recorded, err
	}
	recorded, isRecent := p.recorded, p.isBelieved(p.recorded.Sent)
	switch {
	case p.seen.GetExists() && p.isOthers():
		recorded.Sent = nil
		return recorded, nil
	case p.seen.GetExists():
		isOurs, err := p.isMadeByOperation(ctx, how)
		if err != nil || !isOurs {
			return p.doubted(how), err
		}
		return p.concludedOurs(how), nil
	case recorded.Sent == nil:
	case how == opOverdue, how == opLost && !isRecent: // the claim keeps when it was last known to run
		sent := *recorded.Sent
		sent.Left, recorded.Sent = p.Now().UTC(), &sent
	default: // it may appear later, or the observation has missed it
		sent := *recorded.Sent
		sent.Accepted, sent.Ended, sent.At = how == opEnded, how == opEnded || how == opFailed, p.Now().UTC()
		sent.Lost = how == opLost
		if !isRecent { // another client may have removed its resource, and make one: none has a UID of which the operator knows
			sent.Doubted, sent.DoubtedUID = true, ""
		}
		recorded.Sent = &sent
	}
	return recorded, nil
}

// isMadeByOperation reports whether the operation of a create certainly made the resource that is
// there at its end. It has if a poll confirmed the operation within believed. After a longer
// absence, another client may have replaced the resource since: only a mark, or values that equal
// those of a create that has succeeded, prove that none has.
func (p *pass) isMadeByOperation(ctx context.Context, how progress) (bool, error) {
	sent := p.recorded.Sent
	switch {
	case p.isMarked():
		return true, nil
	case sent == nil: // of an earlier release
		return how != opLost, nil
	case p.isBelieved(sent):
		return true, nil
	}
	if how != opEnded {
		return false, nil
	}
	return p.equals(ctx, sent)
}

// concludedOurs returns the marks after a create that has made the resource which is there.
func (p *pass) concludedOurs(how progress) annotation.State {
	recorded, message := p.recorded, "the create has ended, and the resource is there"
	switch {
	case how == opEnded:
		message = "the resource was made in version " + p.subject.GetResource().GetApiVersion()
	case how == opLost && recorded.Sent != nil && recorded.Sent.Before == nil && !p.mustRepeat():
		recorded.Applied = recorded.Sent.Digest
	}
	spec := recorded.Operation.Spec
	recorded = p.owning(recorded)
	recorded.OutputsDue = len(p.secrets.Calls()) > 0
	p.happened(Created, message)
	if how == opOverdue { // it may make the resource again
		recorded.Unanswered = (&annotation.SentChange{Spec: spec, At: p.Now().UTC(), Unended: true}).After(recorded.Unanswered)
	}
	return recorded
}

// doubted returns the marks after a create, while a resource is there of which only the user can
// tell if the create has made it.
func (p *pass) doubted(how progress) annotation.State {
	recorded := p.recorded
	if recorded.Sent == nil {
		return recorded
	}
	sent := *recorded.Sent
	if sent.Accepted, sent.Ended = how == opEnded, how == opEnded || how == opFailed; !sent.Ended {
		sent.Lost, sent.Left = true, p.Now().UTC()
	}
	sent.Doubted, sent.DoubtedUID = true, instanceOf(p.seen).uid
	recorded.Sent = &sent
	return recorded
}

// end waits for the running operation. It first asks the provider to cancel one that applies the
// resource.
func (p *pass) end(ctx context.Context) error {
	operation := p.recorded.Operation
	if operation == nil {
		return nil
	}
	if operation.Aim == annotation.ToApply && operation.CanCancel && !operation.Cancelled {
		if err := p.cancel(ctx); err != nil {
			return err
		}
	}
	outcome, how, err := p.follow(ctx)
	switch {
	case how == opGoesOn:
		return err
	case operation.Aim == annotation.ToDelete:
		return p.endDelete(ctx, how, err)
	case p.learns(outcome, how): // it may have created the resource again
		err := p.conclude(ctx, how)
		p.seen = nil // a delete follows an observation of this pass
		return err
	case how == opLost && err != nil && p.isCreating() && p.isBelieved(p.recorded.Sent):
		return p.awaitCreate(ctx, err)
	}
	return p.conclude(ctx, how) // an existing resource is deleted
}

// endDelete continues a deletion after its operation. The claim stores the operation until the
// next delete, since it identifies the deleted resource. The operator does not delete a resource
// that differs from that one while it is unknown whether the delete took effect.
func (p *pass) endDelete(ctx context.Context, how progress, failed error) error {
	if how == opFailed {
		return errors.Join(p.conclude(ctx, how), failed)
	}
	operation := p.recorded.Operation
	p.memo().deletes(instance{uid: operation.ResourceUID, etag: operation.Etag}, how != opEnded)
	return nil
}

// awaitCreate continues a deletion only if the resource exists. Otherwise the create could still
// make a resource that would not be deleted.
func (p *pass) awaitCreate(ctx context.Context, unknown error) error {
	if err := p.look(ctx); err != nil {
		return err
	}
	if !p.seen.GetExists() {
		return unknown
	}
	return p.conclude(ctx, opLost)
}

func (p *pass) cancel(ctx context.Context) error {
	err := p.provider.Cancel(ctx, &latest.OperationRequest{Subject: p.subject, Operation: &latest.Operation{Handle: p.recorded.Operation.Handle, CanCancel: true}})
	if err != nil && provider.FailureOf(err).Reason == provider.ReasonUnavailable {
		return p.failed(err)
	}
	if err != nil {
		p.log.Info("the operation was not cancelled", "reason", provider.Bounded(err.Error(), p.values()...))
	}
	recorded, underway := p.recorded, *p.recorded.Operation
	underway.Cancelled = true
	recorded.Operation = &underway
	return p.remember(ctx, recorded)
}
