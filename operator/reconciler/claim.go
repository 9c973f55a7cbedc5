package reconciler

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/plugin/effect"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/provider"
)

// claim stores the claim to the resource before the operator changes anything in the external
// API. An existing resource belongs to the object if the claim proves that the object has made
// it, or if the user allows its adoption.
func (p *pass) claim(ctx context.Context) error {
	p.before = p.recorded
	if p.contested != nil {
		return p.prove(ctx)
	}
	switch {
	case p.seen.GetExists() && p.isOthers():
		return p.others()
	case !p.seen.GetExists() && p.isStalledByCreate():
		return p.stallAgain()
	case !p.seen.GetExists():
		return p.reserve(ctx)
	case p.recorded.Owned && p.recorded.ID != "" && !p.isLost():
		return p.intend(ctx, p.begins(), p.keepObject)
	}
	isOurs, err := p.isOurs(ctx)
	switch {
	case err != nil:
		return err
	case !isOurs && !p.mayTake():
		return cmp.Or(p.doubt(ctx), p.foreign())
	}
	return p.take(ctx, isOurs)
}

// prove claims an existing resource if this object has certainly made it. Otherwise it returns
// the halt for the object whose claim is earlier.
func (p *pass) prove(ctx context.Context) error {
	isOurs, err := false, error(nil)
	if p.seen.GetExists() {
		isOurs, err = p.isOurs(ctx)
	}
	if err != nil || !isOurs {
		p.seen = nil
		return cmp.Or(err, p.contested)
	}
	return p.take(ctx, true)
}

// mayTake reports whether the user allows the object to adopt the existing resource.
func (p *pass) mayTake() bool { return annotation.MayAdopt(p.object) || p.isReleased() }

// begins returns the marks to write before a call that changes the resource, if one is necessary.
// They do not have the digest that was applied last: a call may fail after the external API shows
// all values that it was sent.
func (p *pass) begins() annotation.State {
	recorded := p.authentic()
	recorded.ResourceUID, recorded.Gone = cmp.Or(recorded.ResourceUID, instanceOf(p.seen).uid), false
	if p.mustApply() {
		p.isCorrection = p.digest == recorded.Applied
		recorded.Applied = ""
		if p.seen.GetEtag() == "" { // with an entity tag, the call changes this resource or none
			recorded.Unanswered = p.change().After(p.outstanding())
		}
	}
	return recorded
}

// change returns the record of the change that this pass makes or is about to make.
func (p *pass) change() *annotation.SentChange {
	r := p.subject.GetResource()
	return annotation.NewSentChange(r.GetApiVersion(), r.GetSpec(), p.Now())
}

// outstanding returns the change that an earlier pass sent without a known result, while it can
// still take effect; nil if there is none.
func (p *pass) outstanding() *annotation.SentChange {
	sent := p.before.Unanswered
	if sent == nil || !p.isRecent(sent.At, settling) || p.isCommitted() && !p.memo().isAnother {
		return nil
	}
	return sent
}

// reserve claims a resource that does not exist, and stores the request that is about to be sent.
// From the claim, a later process knows that a create may have been sent, and what it would have
// made.
func (p *pass) reserve(ctx context.Context) error {
	if p.recorded.ID != "" && !p.recorded.Gone {
		p.happened(Gone, "the resource is gone from the external API, and is created again")
	}
	recorded, missed, again := p.owns(), p.recorded.ResourceUID, p.recorded.HasMade()
	if p.recorded.Sent != nil {
		missed = p.recorded.Sent.MissedUID
	}
	p.isNew = missed == "" && !p.provesYet(p.recorded.Sent)
	recorded.ID, recorded.ResourceUID, recorded.Applied, recorded.Operation = "", "", "", nil
	recorded.Holder = p.holder // so that a process which still believes that it leads cannot overwrite the claim
	sends := annotation.NewSentCreate
	if len(p.texts) > 0 { // in lists, from which they cannot be removed
		sends = annotation.NewSentDigest
	}
	recorded.Sent = sends(p.digest, p.subject.GetResource().GetApiVersion(), p.subject.GetResource().GetSpec(), p.Now())
	recorded.Sent.MissedUID, recorded.Sent.Again = missed, again
	if was := p.recorded.Sent; was != nil && was.Doubted { // this observation may have missed the resource
		recorded.Sent.Doubted, recorded.Sent.DoubtedUID = true, was.DoubtedUID
	}
	if !p.isNew {
		recorded.Sent = recorded.Sent.After(p.recorded.Sent)
	}
	return p.intend(ctx, recorded, p.keepObject)
}

// believed is how long a create of unknown outcome proves that it has made the resource that an
// observation finds. Of an equal resource that appears later, only the user can tell whose it is.
const believed = time.Hour

// isBelieved reports whether a create still proves who made the resource. It does so until
// believed has passed since it was sent or last observed to run. So does a create that was
// accepted or has succeeded, since an observation may have missed its resource.
//
// A create whose operation has failed is believed for as long as an observation may miss a
// resource that it has left. It also stands for an equal one without an answer, which proves what
// it would prove if it were the only one.
func (p *pass) isBelieved(sent *annotation.SentCreate) bool {
	switch {
	case sent == nil:
		return false
	case sent.Ended && !sent.Accepted:
		return p.isRecent(sent.At, lag) || !sent.Omitted && p.isRecent(sent.Cut, believed)
	}
	return p.isRecent(sent.At, believed)
}

// provesYet reports whether a create, or one before it, may still be the one that has made, or
// left, what an observation finds. It may if it is not older than believed, has made what the
// operator has seen, or may still run. So it may if its time is not known.
func (p *pass) provesYet(sent *annotation.SentCreate) bool {
	for ; sent != nil; sent = sent.Before {
		if p.isRecent(sent.At, believed) || sent.Doubted || sent.MayRun() || sent.At.IsZero() && !sent.IsAnswered() {
			return true
		}
	}
	return false
}

// isRecent reports whether a time differs from now by less than a duration, in either direction.
// An annotation may contain a future time, by the clock of another machine or by an edit.
func (p *pass) isRecent(at time.Time, while time.Duration) bool { return p.Now().Sub(at).Abs() < while }

// isStalledByCreate reports whether the last create failed a moment ago, so that the object is
// stalled. Until lag has passed, the operator does not repeat the create, and only observes
// whether it has left a resource.
func (p *pass) isStalledByCreate() bool {
	sent, stalled := p.recorded.Sent, find(conditionsOf(p.object), Stalled)
	return sent != nil && sent.Ended && sent.Digest == p.digest && p.isRecent(sent.At, lag) && stalled != nil && stalled.Status == metav1.ConditionTrue
}

// stallAgain halts with the reason for which the object is stalled already.
func (p *pass) stallAgain() error {
	stalledBy := find(conditionsOf(p.object), Stalled)
	h := &halt{reason: stalledBy.Reason, message: stalledBy.Message, state: stalled}
	p.lookSoon(h)
	return h
}

// lookSoon shortens the pause before the next pass if the last observation may have missed a
// resource that a create has left.
func (p *pass) lookSoon(stopped error) {
	var h *halt
	sent := p.recorded.Sent
	if sent != nil && sent.Ended && errors.As(stopped, &h) && p.isRecent(sent.At, lag-yielding) {
		h.after = yielding
	}
}

// take claims an existing resource. It does not change a resource that the object has made
// itself, or that is in sync.
func (p *pass) take(ctx context.Context, isOurs bool) error {
	recorded := p.owning(p.owns())
	recorded.OutputsDue = len(p.secrets.Calls()) > 0
	switch {
	case isOurs && p.wasMissed():
		p.happened(Applied, "the resource that an observation had missed is there")
	case isOurs && p.recorded.Sent != nil:
		if hasFailed := p.recorded.Sent.Ended && !p.recorded.Sent.Accepted; !hasFailed && !p.mustRepeat() && p.recorded.Sent.Before == nil { // otherwise it is unknown which create made it: secrets are not shown
			recorded.Applied = p.recorded.Sent.Digest
		}
		p.happened(Created, "the resource was made by a call whose outcome was unknown")
	case isOurs:
		p.happened(Created, "the resource bears the mark of this object")
	default:
		p.happened(Adopted, "the resource that was there is adopted")
		if recorded.Applied = ""; p.isAsWanted() {
			recorded.Applied = p.digest
		}
	}
	if err := p.intend(ctx, recorded, p.keepObject); err != nil {
		return err
	}
	return p.intend(ctx, p.begins(), nil)
}

// wasMissed reports whether the resource is an earlier one of the object, which an observation
// had missed: no stored create has made it. The operator applies it again, since its secrets may
// be old.
func (p *pass) wasMissed() bool {
	sent := p.recorded.Sent
	if sent == nil || p.madeBy != nil {
		return false
	}
	return !p.isMarked() || sent.Refused || sent.MissedUID != "" || sent.Again
}

// owns returns the marks of a claim to the resource that the object means now. The claim keeps
// the age of the one that the object has already.
func (p *pass) owns() annotation.State {
	recorded := p.authentic()
	if !recorded.Owned {
		recorded = annotation.State{Since: p.Now().UTC(), Signed: p.Keys != nil && !p.isUndecided}
	}
	recorded.Owned, recorded.Address, recorded.Target = true, p.externalAddress, p.aim
	return recorded
}

// authentic returns the marks of this object, after it has been found to own the resource, in the
// form that the operator signs. A claim without a valid signature, of an earlier release or by a
// client, says nothing about the time before: its age begins now. The operator does not sign it
// while it cannot decide about the claim of another object.
func (p *pass) authentic() annotation.State {
	recorded := p.recorded
	if p.Keys != nil && recorded.Owned && !recorded.Signed && !p.isUndecided {
		recorded.Signed, recorded.Since, recorded.Made = true, p.Now().UTC(), time.Time{}
	}
	return recorded
}

// isOurs reports whether this object has certainly made the existing resource. It has if the
// resource has the mark of the object, or if an observation had missed it. It also has if the
// resource equals the request of a create that was sent within believed. That the external API has
// accepted the create does not suffice: another client may have replaced its resource since.
func (p *pass) isOurs(ctx context.Context) (bool, error) {
	sent := p.recorded.Sent
	switch {
	case p.isOthers():
		return false, nil
	case p.isMarked():
		return true, nil
	case p.recorded.Owned && p.recorded.ID != "":
		return !p.isReplaced(), nil
	case !p.recorded.Owned || sent == nil:
		return false, nil
	case sent.MissedUID != "" && sent.MissedUID == instanceOf(p.seen).uid:
		return true, nil
	case sent.Refused: // then another client has made it
		return false, nil
	case p.isDoubted(sent): // also if a create that was sent later equals it
		return false, nil
	}
	for ; sent != nil; sent = sent.Before {
		p.mayHaveMade = p.mayHaveMade || sent.Omitted
		if sent.Refused {
			continue
		}
		is, err := p.equals(ctx, sent)
		switch {
		case err != nil:
			return false, err
		case is && p.isBelieved(sent):
			p.madeBy = sent
			return true, nil
		}
		p.mayHaveMade = p.mayHaveMade || is || !p.isKnown(sent)
	}
	return false, nil
}

// equals reports whether the existing resource equals the request of a create. It returns false if
// the body of the request is not known.
func (p *pass) equals(ctx context.Context, sent *annotation.SentCreate) (bool, error) {
	r := p.subject.GetResource()
	switch {
	case p.isUnedited(sent):
		return agrees(p.seen, r.GetSpec()), nil
	case sent.Body == "":
		return false, nil
	}
	subject := proto.CloneOf(p.subject)
	subject.Resource.Spec, subject.Resource.ApiVersion, subject.Resource.Secrets = []byte(sent.Body), sent.Version, nil
	seen, err := p.provider.Observe(ctx, subject)
	if err != nil {
		return false, p.failed(err)
	}
	return agrees(seen, []byte(sent.Body)), nil
}

// isUnedited reports whether the object still says what a create has sent. For a deleted object,
// Secrets are not read.
func (p *pass) isUnedited(sent *annotation.SentCreate) bool {
	r := p.subject.GetResource()
	return sent.Digest == p.digest || sent.Matches(r.GetApiVersion(), r.GetSpec())
}

// isKnown reports whether the body of a create is known, so that equals compares it. A claim stores
// only the digest of a body that is too large, or has secrets in lists.
func (p *pass) isKnown(sent *annotation.SentCreate) bool {
	return sent.Body != "" || p.isUnedited(sent)
}

// agrees reports whether a resource equals a body. If the provider does not compare them, agrees
// compares the body with the status.
func agrees(seen *v1.Observation, body []byte) bool {
	if seen.GetCompared() {
		return seen.GetExists() && len(seen.GetDrift()) == 0
	}
	var want, is any
	if json.Unmarshal(body, &want) != nil || want == nil || json.Unmarshal(seen.GetStatus(), &is) != nil {
		return false
	}
	return seen.GetExists() && contains(is, want)
}

// contains reports whether a value has all members of another one, with equal values.
func contains(is, want any) bool {
	members, ok := want.(map[string]any)
	if !ok {
		return reflect.DeepEqual(is, want)
	}
	has, ok := is.(map[string]any)
	if !ok {
		return false
	}
	for name, value := range members {
		if !contains(has[name], value) {
			return false
		}
	}
	return true
}

// mayBeOurs reports whether the existing resource may belong to the object, although nothing
// proves it. A change without a known result may have made it, unless the resource differs from
// the request. After an observation that missed a resource, only its UID proves that it is the
// same.
func (p *pass) mayBeOurs() bool {
	if was := p.memo().deleted; was != nil && was.isUnsure && was.isChanged(instanceOf(p.seen)) {
		return true // the deletion may have changed the entity tag
	}
	r, sent := p.subject.GetResource(), p.recorded.Sent
	if change := p.recorded.Unanswered; change != nil && (change.Spec == "" || change.Differs(r.GetApiVersion(), r.GetSpec()) || agrees(p.seen, r.GetSpec())) {
		return true
	}
	switch { // a create after that change may have made it too
	case p.recorded.ID != "" || sent == nil:
		return false
	case p.isDoubted(sent):
		return true
	case p.mayHaveMade: // no process has looked in time
		return true
	case p.hasTakenEffect(sent):
		return true // the service may have changed what it has made, and the look have missed it
	case sent.Ended: // nothing shows whether this create, or another client, has made it
		return p.isRecent(sent.At, believed) && (!p.isUnedited(sent) || agrees(p.seen, r.GetSpec()))
	}
	return sent.Refused && p.seen.GetUid() == ""
}

// isDoubted reports whether only the user can tell whose the existing resource is, since an
// observation has found it before. Without UIDs, it may be the one of that observation.
func (p *pass) isDoubted(sent *annotation.SentCreate) bool {
	return sent.Doubted && !(instance{uid: sent.DoubtedUID}).isOther(instanceOf(p.seen))
}

// hasTakenEffect reports whether the external API has accepted a create, and a look may have missed
// what it has made or, if it has failed, left. Of the last create, that holds until the operator
// creates again or finds a resource, since it may have been away. Of one before it, that holds
// until an observation has found a resource if nothing has shown its end, or else for as long as a
// look may lag.
func (p *pass) hasTakenEffect(sent *annotation.SentCreate) bool {
	isUnseen := !sent.Doubted
	for ; sent != nil; sent, isUnseen = sent.Before, false {
		if (sent.Accepted || sent.Ended) && (isUnseen || sent.MayRun() && !sent.Doubted || sent.Ended && p.isRecent(sent.At, lag)) {
			return true
		}
	}
	return false
}

// doubt stores that only the user can tell if a create of this object made the resource that is
// there. Otherwise the object would soon be deleted without it, before the user can decide.
func (p *pass) doubt(ctx context.Context) error {
	if p.recorded.ID != "" || p.recorded.Sent == nil || !p.mayBeOurs() {
		return nil
	}
	recorded, sent := p.recorded, *p.recorded.Sent
	sent.Doubted, sent.DoubtedUID, recorded.Sent = true, cmp.Or(instanceOf(p.seen).uid, sent.DoubtedUID), &sent
	return p.remember(ctx, recorded)
}

// foreign says that another client made the resource. After a create whose outcome is unknown it
// may be the object's all the same, and changed since: only the user knows.
func (p *pass) foreign() error {
	how := "was not made by this object"
	switch {
	case p.mayBeOurs() && p.recorded.ID == "":
		how = "may have been made by this object, or by another client"
	case p.mayBeOurs():
		how = "may have been made again by a change of this object, or by another client"
	case p.recorded.Owned && p.recorded.ID != "":
		how = "is another one than this object has made"
	case p.recorded.Owned:
		how = "is not what this object has sent to make it"
	}
	h := &halt{reason: Exists, state: stalled, message: provider.Bounded(fmt.Sprintf(
		"%s is there already, and %s: to adopt it, annotate the object with %s=true", p.identity(), how, annotation.Adopt), p.values()...)}
	if p.recorded.Owned { // a create that runs may not be complete yet
		h.after = slower * p.Patience
	}
	return h
}

// others halts because another object has marked the resource as its own. The message does not
// show the names in the mark to users of this object. The mark may belong to another namespace or
// cluster.
func (p *pass) others() error {
	return &halt{reason: OwnedByAnother, state: stalled, objects: []string{p.seen.GetMark()}, message: provider.Bounded(fmt.Sprintf(
		"%s is marked as the resource of another object, with the UID %s: detach that object first, then annotate this one with %s=%[2]s",
		p.identity(), marker(p.seen.GetMark()), annotation.Adopt), p.values()...)}
}

// isAsWanted reports whether the resource is certainly in sync, or will be at the end of a change
// that runs. It is false if there are secrets, whose values cannot be compared.
func (p *pass) isAsWanted() bool {
	return p.seen.GetCompared() && len(p.seen.GetDrift()) == 0 && !p.hasSecrets() && !p.mustRepeat()
}

// hasFailed reports whether the last change of the resource has failed.
func (p *pass) hasFailed() bool { return p.lastChange() == v1.Change_CHANGE_FAILED }

// mustRepeat reports whether the last change of the resource has failed, or deletes it. Such a
// resource may show all values that were sent, and still need another call to work. A change that
// runs needs none: provisioned waits for its end.
func (p *pass) mustRepeat() bool {
	return p.hasFailed() || p.isBeingDeleted()
}

// isUnfinished reports whether the last change of the resource runs or has failed.
func (p *pass) isUnfinished() bool { return v1.IsUnfinished(p.lastChange()) }

// lastChange returns the state of the last change of the resource. Providers that were built
// before the field last_change existed report it by a condition, also those of version 2.
func (p *pass) lastChange() v1.Change { return v1.LastChange(p.seen) }

// provisioning returns the condition Provisioned of the provider; nil if there is none. If there
// are two, the first one counts, as in conditions.
func (p *pass) provisioning() *v1.Fact {
	facts := p.seen.GetFacts()
	i := slices.IndexFunc(facts, func(f *v1.Fact) bool { return f.GetType() == v1.Provisioned })
	if i < 0 {
		return nil
	}
	return facts[i]
}

// hasSecrets reports whether the call includes values of secrets.
func (p *pass) hasSecrets() bool {
	for _, s := range p.subject.GetResource().GetSecrets() {
		if len(s.GetValue()) > 0 {
			return true
		}
	}
	return false
}

// identity returns the identifier in the external API, or else the address as a substitute. The
// identifier that a provider has observed can differ from the claimed one only in spelling.
func (p *pass) identity() string {
	id := p.seen.GetId()
	switch {
	case id != "" && (p.aim.ID == "" || annotation.Key(id) == annotation.Key(p.aim.ID)):
		return id
	case p.aim.ID != "":
		return p.aim.ID
	case p.externalAddress.Parent == "":
		return p.externalAddress.Name
	}
	return strings.TrimRight(p.externalAddress.Parent, "/") + "/" + p.externalAddress.Name
}

// refused returns the halt of a failed Apply, and updates the claim according to the effect of
// the call. A create without an effect leaves no claim, unless an earlier one may still take
// effect. A resource that another client makes from then on belongs to that client.
func (p *pass) refused(ctx context.Context, create bool, err error) error {
	f, stop := provider.FailureOf(err), p.failed(err)
	switch {
	case !create:
		return errors.Join(stop, p.remember(ctx, p.unchanged(f.Effect)))
	case f.Effect == effect.Certain:
		return errors.Join(stop, p.remember(ctx, p.made()))
	case f.Effect != effect.None:
		return stop
	case p.before.ID != "" && p.before.ResourceUID != "": // the UID shows later whether the observation has missed it
		recorded, sent := p.recorded, *p.recorded.Sent
		sent.Refused, recorded.Sent = true, &sent
		return errors.Join(p.intend(ctx, recorded, nil), stop)
	case p.before.ID != "" && (f.Is == latest.Reason_REASON_CONFLICT || p.wasThereLately() || p.outstanding() != nil): // nothing shows who made the resource
		before := p.before
		before.Gone = true
		return errors.Join(p.intend(ctx, before, nil), stop)
	case !p.isNew || p.outstanding() != nil:
		recorded := p.recorded
		recorded.Sent = p.before.Sent // an earlier call may still take effect
		return cmp.Or(p.intend(ctx, recorded, nil), stop)
	}
	if err := p.intend(ctx, annotation.State{}, p.letGo); err != nil {
		return err
	}
	if f.Is == latest.Reason_REASON_CONFLICT {
		return p.conflict(ctx, stop)
	}
	return stop
}

// made returns the marks after a create that certainly took effect, but whose answer does not show
// the resource. The claim stores no identifier before an observation: another client may replace
// the resource until then, and no UID is known that would show it.
func (p *pass) made() annotation.State {
	p.memo().existed = p.Now()
	recorded := p.recorded
	recorded.Sent = recorded.Sent.Accept()
	return recorded
}

// unchanged returns the marks after a change that failed, according to its effect. If it had
// none, the marks of before the pass still apply. Otherwise the digest that was applied before is
// no longer valid.
func (p *pass) unchanged(has latest.Effect) annotation.State {
	recorded := p.recorded
	switch {
	case has == effect.None:
		recorded.Applied, recorded.Unanswered = p.before.Applied, p.before.Unanswered
	case has == effect.Certain && recorded.Unanswered != nil:
		recorded.Unanswered = (&annotation.SentChange{Spec: recorded.Unanswered.Spec}).After(p.outstanding())
	}
	return recorded
}

// conflict halts for the resource of another client, if an observation finds one after the
// external API has refused a create. Otherwise it returns the given halt: the external API is
// busy.
func (p *pass) conflict(ctx context.Context, stop error) error {
	var h *halt
	if p.seen = nil; p.look(ctx) != nil || !p.seen.GetExists() || !errors.As(stop, &h) {
		return stop
	}
	h.reason, h.state = Exists, stalled
	h.message = fmt.Sprintf("%s: to adopt the resource, annotate the object with %s=true", h.message, annotation.Adopt)
	return stop
}
