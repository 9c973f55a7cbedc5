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
	if p.driftKey() != "" && p.digest == p.marks.Applied {
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

// inSync records that the resource needs no call. It reports an event if this pass is the first
// that finds the effect of an earlier call.
func (p *pass) inSync(ctx context.Context) error {
	switch {
	case p.digest != p.marks.Applied:
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
	marks := p.marks
	if digest == p.digest {
		marks.APIVersion = p.subject.GetResource().GetApiVersion()
	}
	marks.Applied, marks.Operation, marks.OutputsDue = digest, nil, p.isDue()
	return p.remember(ctx, p.owning(marks))
}

// owning returns marks with the identity of the observed resource, which belongs to the object.
func (p *pass) owning(marks annotation.State) annotation.State {
	marks.Unanswered = p.outstanding()
	if p.marks.Owned && p.marks.ID == "" && p.marks.Sent != nil {
		marks.Made = p.Now().UTC()
	}
	marks.ID, marks.Sent, marks.Gone, marks.Address, marks.Target = p.identity(), nil, false, p.place, p.aim
	marks.ResourceUID = cmp.Or(instanceOf(p.seen).uid, marks.ResourceUID)
	return marks
}

// isDue reports whether the operator must ask the external API for outputs. It must if the
// resource has changed in this pass, or since it last asked, or if another client has replaced
// it.
func (p *pass) isDue() bool {
	return len(p.secrets.Calls()) > 0 && (p.marks.OutputsDue || len(p.done) > 0 || p.isReplaced())
}

// begin stores a new operation, and halts until its next poll.
func (p *pass) begin(ctx context.Context, operation *latest.Operation, as annotation.PendingOperation, create bool) error {
	marks := p.marks
	as.Handle, as.CanCancel, as.Began = operation.GetHandle(), operation.GetCanCancel(), p.Now().UTC()
	marks.Operation = &as
	if as.Aim == annotation.ToApply { // from now on, the operation shows the effect
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

// underway returns the halt of a running operation. The pause is the one that the provider asks
// for, within minPoll and maxPoll.
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
	// longestWait is how long a change or a deletion of the object waits for the operation.
	longestWait = time.Hour
	// longestOperation is how long an operation is followed. After that the operator treats it
	// like an operation of another client. It follows an operation that only polls report until
	// its end.
	longestOperation = 24 * time.Hour
)

// resume polls the operation that this or an earlier process began, and continues after its end.
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
		return p.afterOperation(ctx, how, err) // an observation during an operation proves nothing
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

// afterOperation concludes an operation that reported no resource at its end. An observation
// shows what exists.
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

// again halts until the next poll of an operation, and stores its handle if that has changed. For
// a create, it also updates the stored time at intervals. If the operation is lost later, a
// recent time proves that the resource belongs to the object.
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

// isReportedByPolls reports whether only polls show that the last change of the resource runs.
// Then the resource equals the object, and its provider reports no last change.
func (p *pass) isReportedByPolls() bool {
	return p.lastChange() == v1.Change_CHANGE_UNSPECIFIED && p.driftKey() == ""
}

// isCreating reports whether the operation that runs is a create.
func (p *pass) isCreating() bool {
	return p.marks.Operation != nil && p.marks.Operation.Aim == annotation.ToApply && p.marks.ID == ""
}

// conclude removes an operation that has ended, or is lost, from the claim. After a create it
// observes the resource first, and writes both results at once. A later observation could not
// distinguish the created resource from one that another client has made since.
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
	case isApplied && how == opEnded && marks.ID != "": // it has succeeded; an observation shows what differs
		if marks.Applied = marks.Operation.Digest; !p.isCreating() {
			p.happened(Applied, "the resource was applied in version "+p.subject.GetResource().GetApiVersion())
		}
	case isApplied && (how == opEnded || how == opFailed): // without a resource: the visible state may not be in effect
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
	default: // it may appear later, or the observation has missed it
		sent := *marks.Sent
		sent.Accepted, sent.Ended, sent.At = how == opEnded, how == opEnded || how == opFailed, p.Now().UTC()
		marks.Sent = &sent
	}
	return marks
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
	if p.marks.Owned { // claimed before the policy was set
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
