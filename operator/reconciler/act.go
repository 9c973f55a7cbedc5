package reconciler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/plugin/effect"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/provider"
)

// look observes the resource, unless this pass has learned already how it is.
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
	if p.driftKey() != "" && p.digest == p.marks.Applied {
		p.Counts.drifted(p.kind)
	}
	return nil
}

// sees remembers what a call has found.
func (p *pass) sees(seen *v1.Observation) {
	if p.seen = seen; p.seen == nil {
		p.seen = &v1.Observation{}
	}
	if p.seen.GetExists() {
		p.memo().existed, p.memo().missing = p.Now(), time.Time{}
	}
}

// knownUID returns the UID of the resource as it was first observed; empty if none is known. In
// that spelling, the provider returns it again.
func (p *pass) knownUID() string {
	uid := p.marks.ResourceUID
	if sent := p.marks.Sent; sent != nil {
		uid = cmp.Or(uid, sent.MissedUID, sent.DoubtedUID)
	}
	if operation := p.marks.Operation; operation != nil {
		uid = cmp.Or(uid, operation.ResourceUID)
	}
	if deleted := p.memo().deleted; deleted != nil {
		uid = cmp.Or(uid, deleted.uid)
	}
	return uid
}

// apply creates or changes the external resource, if it is not as the object says.
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
			p.unsure()
		}
		return p.refused(ctx, create, err)
	}
	if p.isCorrection {
		p.tries()
	}
	if operation := outcome.GetOperation(); operation != nil {
		return p.begin(ctx, operation, annotation.PendingOperation{Aim: annotation.ToApply, Digest: p.digest, Spec: p.change().Spec}, create)
	}
	return p.applied(ctx, outcome.GetObservation(), create)
}

// inSync remembers a resource that needs no call. A call whose effect is found only now has an
// event too.
func (p *pass) inSync(ctx context.Context) error {
	switch {
	case p.digest != p.marks.Applied:
		p.happened(Applied, "the resource was applied in version "+p.subject.GetResource().GetApiVersion())
	case p.driftKey() == "":
		p.memo().tried = tried{}
	}
	return p.finish(ctx, p.digest)
}

// applied takes note of what an Apply has brought about.
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

// finish remembers that the resource is there.
func (p *pass) finish(ctx context.Context, digest string) error {
	marks := p.marks
	if digest == p.digest {
		marks.APIVersion = p.subject.GetResource().GetApiVersion()
	}
	marks.Applied, marks.Operation, marks.OutputsDue = digest, nil, p.isDue()
	return p.remember(ctx, p.owning(marks))
}

// owning returns marks with the resource that is there, which is the object's own.
func (p *pass) owning(marks annotation.State) annotation.State {
	marks.Unanswered = p.outstanding()
	if p.marks.Owned && p.marks.ID == "" && p.marks.Sent != nil {
		marks.Made = p.Now().UTC()
	}
	marks.ID, marks.Sent, marks.Gone, marks.Address, marks.Target = p.identity(), nil, false, p.place, p.aim
	marks.ResourceUID = cmp.Or(instanceOf(p.seen).uid, marks.ResourceUID)
	return marks
}

// isDue reports whether the external API is to be asked for outputs: the resource has changed in
// this pass, or since the API was asked, or another client has replaced it.
func (p *pass) isDue() bool {
	return len(p.secrets.Calls()) > 0 && (p.marks.OutputsDue || len(p.done) > 0 || p.isReplaced())
}

// begin remembers an operation, and waits for it.
func (p *pass) begin(ctx context.Context, operation *latest.Operation, as annotation.PendingOperation, create bool) error {
	marks := p.marks
	as.Handle, as.CanCancel, as.Began = operation.GetHandle(), operation.GetCanCancel(), p.Now().UTC()
	marks.Operation = &as
	if as.Aim == annotation.ToApply { // from now on the operation shows the effect
		marks.Unanswered = p.outstanding()
	}
	if create && marks.Sent != nil {
		sent := *marks.Sent
		sent.Accepted = true
		marks.Sent = &sent
	}
	p.memo().polls, p.memo().refusals = 0, 0
	if err := p.remember(ctx, marks); err != nil {
		return err
	}
	return p.underway(operation, create)
}

// underway waits for an operation.
func (p *pass) underway(operation *latest.Operation, create bool) error {
	reason := Updating
	switch {
	case p.marks.Operation != nil && p.marks.Operation.Aim == annotation.ToDelete, p.object.GetDeletionTimestamp() != nil:
		reason = Deleting
	case create:
		reason = Creating
	}
	message := operation.GetMessage()
	if message == "" {
		message = "the external API is at work"
	}
	if pending := p.marks.Operation; pending != nil && !pending.Began.IsZero() && p.Now().Sub(pending.Began) >= longestWait {
		message += fmt.Sprintf("; the operation goes on since %s: a change or a deletion of the object waits for it no longer once an observation finds the resource, and after %.0f hours it is followed only while the resource itself reports no change",
			pending.Began.UTC().Format(time.RFC3339), longestOperation.Hours())
	}
	after := min(max(operation.GetPollAfter().AsDuration(), minPoll), maxPoll)
	if operation.GetPollAfter() == nil {
		after = usualPoll
	}
	after = min(after+provider.Jitter(after/10), maxPoll)
	return &halt{reason: reason, message: provider.Bounded(message, p.values()...), state: progressing, after: after}
}

// How often operations are polled, whatever providers say.
const (
	minPoll   = 50 * time.Millisecond
	usualPoll = 5 * time.Second
	maxPoll   = 10 * time.Minute
)

// How long an operation of the operator is followed. A resource can stay in a state in which its
// last change goes on, such as Pending.
const (
	// longestWait is for how long a change or a deletion of the object waits for the operation.
	longestWait = time.Hour
	// longestOperation is for how long an operation is followed. After that it counts as one of
	// another client. An operation that nothing but its polls reports is followed until its end.
	longestOperation = 24 * time.Hour
)

// resume learns how the operation gets on that was begun, maybe by another process.
func (p *pass) resume(ctx context.Context) error {
	operation := p.marks.Operation
	if operation == nil {
		return nil
	}
	outcome, how, err := p.follow(ctx)
	switch {
	case how == opGoesOn && err != nil:
		return err
	case how == opGoesOn:
		return p.again(ctx, outcome.GetOperation())
	case err != nil || how == opOverdue || !outcome.GetObservation().GetExists():
		return p.afterOperation(ctx, how, err) // the observation of an operation that goes on proves nothing
	}
	create := p.marks.ID == ""
	p.sees(outcome.GetObservation())
	p.tries()
	if create {
		p.happened(Created, "the resource was made in version "+p.subject.GetResource().GetApiVersion())
	} else {
		p.happened(Applied, "the resource was applied in version "+p.subject.GetResource().GetApiVersion())
	}
	return p.finish(ctx, operation.Digest)
}

// afterOperation concludes an operation whose end reported no resource. An observation shows what
// exists.
func (p *pass) afterOperation(ctx context.Context, how progress, failed error) error {
	if err := p.conclude(ctx, how); err != nil {
		return errors.Join(err, failed)
	}
	if sent := p.marks.Sent; failed == nil && sent != nil && sent.Ended {
		failed = &halt{reason: provider.ReasonTransient, message: "the resource was applied, and is not there", state: failing}
	}
	p.lookSoon(failed)
	return failed
}

// again waits once more for an operation, and remembers where its handle has changed. Of a create
// it also remembers, now and then, that it went on: if the operation is lost, that proves whose the
// resource is.
func (p *pass) again(ctx context.Context, operation *latest.Operation) error {
	marks, underway := p.marks, *p.marks.Operation
	underway.Handle, underway.CanCancel = operation.GetHandle(), operation.GetCanCancel()
	marks.Operation = &underway
	if marks.Sent != nil && !p.isRecent(marks.Sent.At, believed/4) {
		sent := *marks.Sent
		sent.At = p.Now().UTC()
		marks.Sent = &sent
	}
	if err := p.remember(ctx, marks); err != nil {
		return err
	}
	return p.underway(operation, p.marks.ID == "")
}

// maxPolls is how many polls fail in a row until an operation is lost, and how many are refused
// until nothing but observations can show how it gets on. Then these do.
const maxPolls = 5

// progress is how far an operation has come, as a poll reports it.
type progress int

const (
	// opGoesOn is that of an operation that goes on, and of one of which this poll has learned
	// nothing.
	opGoesOn progress = iota
	// opEnded is that of an operation that has ended well.
	opEnded
	// opFailed is that of an operation that has ended badly.
	opFailed
	// opOverdue is that of an operation that goes on for longer than it is followed.
	opOverdue
	// opLost is that of an operation which the external API does not know, or fails to tell of. It
	// may have ended or go on.
	opLost
)

// poll asks how the operation gets on. It forgets nothing: see conclude.
func (p *pass) poll(ctx context.Context) (*latest.Outcome, progress, error) {
	memo := p.memo()
	outcome, err := p.provider.Poll(ctx, &latest.OperationRequest{
		Subject: p.subject, Operation: &latest.Operation{Handle: p.marks.Operation.Handle, CanCancel: p.marks.Operation.CanCancel},
	})
	if err == nil {
		memo.polls, memo.refusals = 0, 0
		if outcome.GetOperation() != nil {
			return outcome, opGoesOn, nil
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

// follow polls the operation, unless it has gone on for too long, also if all polls are refused. A
// change or a deletion of the object waits for it for a shorter time, but until an observation
// finds the resource.
func (p *pass) follow(ctx context.Context) (*latest.Outcome, progress, error) {
	if err := p.date(ctx); err != nil {
		return nil, opGoesOn, err
	}
	outcome, how, err := p.poll(ctx)
	operation := p.marks.Operation
	if how != opGoesOn {
		return outcome, how, err
	}
	age := p.Now().Sub(operation.Began)
	isAwaited := operation.Aim == annotation.ToApply && (p.object.GetDeletionTimestamp() != nil || p.digest != operation.Digest)
	switch {
	case age < longestWait, age < longestOperation && !isAwaited:
		return outcome, opGoesOn, err
	case age >= longestOperation && (isAwaited || operation.Aim == annotation.ToDelete):
		return outcome, opOverdue, nil
	}
	if err := p.look(ctx); err != nil {
		return outcome, opGoesOn, err
	}
	switch exists := p.seen.GetExists(); {
	case isAwaited && !exists:
		p.seen = nil
	case isAwaited, !exists, !p.isReportedByPolls(), p.memo().refusals >= maxPolls:
		return outcome, opOverdue, nil
	}
	return outcome, opGoesOn, err
}

// date has an operation begin now if its claim names no time, as those of earlier releases, or one
// that is later than now, by a clock that is ahead. Otherwise an operation whose polls are refused
// would hold up the object for ever.
func (p *pass) date(ctx context.Context) error {
	began := p.marks.Operation.Began
	if !began.IsZero() && !began.After(p.Now()) {
		return nil
	}
	marks, underway := p.marks, *p.marks.Operation
	underway.Began = p.Now().UTC()
	marks.Operation = &underway
	return p.remember(ctx, marks)
}

// isReportedByPolls reports whether nothing but a poll reports that the last change of the resource
// goes on: the resource has all that the object says, and its provider reports no last change.
func (p *pass) isReportedByPolls() bool {
	return p.lastChange() == v1.Change_CHANGE_UNSPECIFIED && p.driftKey() == ""
}

// isCreating reports whether the operation that goes on is to make the resource.
func (p *pass) isCreating() bool {
	return p.marks.Operation != nil && p.marks.Operation.Aim == annotation.ToApply && p.marks.ID == ""
}

// conclude forgets an operation that has ended, or is lost. Of a create it looks first what there
// is, and writes both at once: a later look could not tell what the create made from what another
// client has made since.
func (p *pass) conclude(ctx context.Context, how progress) error {
	marks := p.marks
	switch {
	case p.isCreating():
		if err := p.look(ctx); err != nil {
			return err
		}
		if marks = p.concluded(how); how == opOverdue && marks.ID != "" { // it may make the resource again
			marks.Unanswered = (&annotation.SentChange{Spec: marks.Operation.Spec, At: p.Now().UTC()}).After(marks.Unanswered)
		}
	case marks.Operation.Aim == annotation.ToApply: // which may have made the resource again
		change := &annotation.SentChange{Spec: marks.Operation.Spec}
		if how == opLost || how == opOverdue {
			change.At = p.Now().UTC()
		}
		marks.Unanswered = change.After(marks.Unanswered)
	default:
		marks.ResourceUID = cmp.Or(marks.ResourceUID, marks.Operation.ResourceUID)
	}
	switch isApplied := marks.Operation.Aim == annotation.ToApply; {
	case isApplied && how == opEnded && marks.ID != "": // it has ended well; an observation shows what differs
		if marks.Applied = marks.Operation.Digest; !p.isCreating() {
			p.happened(Applied, "the resource was applied in version "+p.subject.GetResource().GetApiVersion())
		}
	case isApplied && (how == opEnded || how == opFailed): // without a resource: what is shown may not be at work
		marks.Applied = ""
	case isApplied && how == opOverdue: // the external API has accepted it
		marks.Applied = marks.Operation.Digest
	}
	marks.Operation = nil
	return p.remember(ctx, marks)
}

// concluded returns the marks after a create whose operation has ended or is lost, by what a look
// has found. What exists after the end was made by it. After an operation that has failed or is
// lost, that holds only for as long as a create is believed: another client may have made what this
// one has not.
func (p *pass) concluded(how progress) annotation.State {
	marks := p.marks
	isRecent, isFree := p.isBelieved(marks.Sent), p.seen.GetExists() && !p.isOthers()
	switch {
	case isFree && how == opFailed && marks.Sent != nil && !isRecent: // it may have failed long ago
		sent := *marks.Sent
		sent.Accepted, sent.Ended, sent.Doubted, sent.DoubtedUID = false, true, true, instanceOf(p.seen).uid
		marks.Sent = &sent
	case isFree && (how != opLost || isRecent):
		if how == opLost && !p.isUnfinished() && marks.Sent.Before == nil {
			marks.Applied = marks.Sent.Digest
		}
		marks = p.owning(marks)
		marks.OutputsDue = len(p.secrets.Calls()) > 0
		p.happened(Created, "the create has ended, and the resource is there")
	case p.seen.GetExists(), marks.Sent == nil, how == opLost && !isRecent:
		marks.Sent = nil
	default: // it may come yet, or the look has missed it
		sent := *marks.Sent
		sent.Accepted, sent.Ended, sent.At = how == opEnded, how == opEnded || how == opFailed, p.Now().UTC()
		marks.Sent = &sent
	}
	return marks
}

// provisioned halts for a resource that has all that the object says, while the external API
// reports that its last change goes on or has failed. A change that goes on is waited for, however
// long: it may be that of another client. A resource whose change has failed is applied again after
// a resync, since no other client would do it.
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

// rememberObserved stores where an observed resource is, so that its children find it.
func (p *pass) rememberObserved(ctx context.Context) error {
	if !p.seen.GetExists() {
		return waitForResource(NotThere, "the resource is not in the external API, and the policy is "+string(annotation.Observe))
	}
	if p.marks.Owned { // from before the policy
		marks := p.marks
		marks.Gone = false
		return p.remember(ctx, marks)
	}
	return p.remember(ctx, annotation.State{ID: p.identity(), Address: p.place, Target: p.aim, APIVersion: p.subject.GetResource().GetApiVersion()})
}

func waitForResource(reason, message string) error {
	return &halt{reason: reason, message: message, state: failing, slow: true}
}

func (p *pass) happened(reason, message string) {
	p.done = append(p.done, happening{reason: reason, message: message})
}
