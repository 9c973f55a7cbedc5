package reconciler

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/annotation"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/operator/resource"
)

// errReleased ends the last pass over an object: there is nothing left to report on.
var errReleased = errors.New("the object was released")

// outlive waits for objects that own something which would be deleted with this one's resource:
// those that name it as their owner, and those whose resource, or whose owner by its identifier,
// lies below the identifier of this one. An object that has made nothing has nothing to lose, and
// waits itself.
func (p *pass) outlive(ctx context.Context) error {
	left, err := p.byName(ctx)
	if err != nil {
		return err
	}
	below, err := p.below(ctx)
	if left = append(left, below...); err != nil || len(left) == 0 {
		return err
	}
	called, objects := map[string]bool{}, map[string]bool{}
	for i := range left {
		called[p.called(&left[i])], objects[name(&left[i])] = true, true
	}
	all := slices.Sorted(maps.Keys(called))
	names := strings.Join(all[:min(len(all), namedChildren)], ", ")
	if len(all) > namedChildren {
		names += fmt.Sprintf(" and %d more", len(all)-namedChildren)
	}
	return &halt{
		reason: "HasChildren", message: "these are part of the resource, and must be deleted first: " + names, state: waiting,
		objects: slices.Sorted(maps.Keys(objects)), after: p.lookAgain(), // no watch reports all that can end this
	}
}

// byName returns the objects that name this one as their owner, and own something.
func (p *pass) byName(ctx context.Context) (left []unstructured.Unstructured, err error) {
	for _, child := range p.kind.Children {
		k := p.Kinds.Of(child)
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(k.Hub.GroupVersion().WithKind(k.Hub.Kind + "List"))
		err := p.Client.List(ctx, list, client.InNamespace(p.key.Namespace), client.MatchingFields{ByOwner: p.key.Name}, client.UnsafeDisableDeepCopy)
		if err != nil {
			return nil, fmt.Errorf("look for objects of kind %s: %w", child.Kind, err)
		}
		for i := range list.Items {
			if _, id := ownerOf(k, &list.Items[i]); id == "" && p.hasClaim(&list.Items[i]) {
				left = append(left, list.Items[i])
			}
		}
	}
	return left, nil
}

// hasClaim reports whether an object has a resource, or is about to have one, or observes one.
func (p *pass) hasClaim(object *unstructured.Unstructured) bool {
	m := annotation.Read(object)
	return m.Owned || m.ID != "" || p.Claims.has(object.GetUID())
}

// below returns the objects whose identifiers lie below that of this one, and that hold up its
// deletion.
func (p *pass) below(ctx context.Context) (left []unstructured.Unstructured, err error) {
	id, _ := p.claimed()
	isFound := false // one of another namespace, by an observation: that is enough
	for _, k := range p.Kinds.All() {
		list, err := p.indexed(ctx, k, ByAncestor, annotation.Key(id))
		if err != nil {
			return nil, err
		}
		for i := range list {
			isOther := list[i].GetNamespace() != p.key.Namespace
			if list[i].GetUID() == p.object.GetUID() || isOther && isFound {
				continue
			}
			isHeld, err := p.isHeldUp(ctx, k, &list[i])
			if err != nil {
				return nil, err
			}
			if isHeld {
				left = append(left, list[i])
				isFound = isFound || isOther && p.Now().Sub(p.memo().found[list[i].GetUID()]) < 2*yielding
			}
		}
	}
	return left, nil
}

// isHeldUp reports whether another object, whose identifier lies below, holds up the deletion of
// this one.
func (p *pass) isHeldUp(ctx context.Context, k *resource.Kind, by *unstructured.Unstructured) (bool, error) {
	if isApart, err := p.isApart(ctx, p.marks.Target, k, by); err != nil || isApart {
		return false, err
	}
	if by.GetNamespace() == p.key.Namespace {
		return p.hasClaim(by), nil
	}
	if p.looks >= maxLooks { // then nothing is learned, and one hour is enough for all
		p.memo().silentSince(by.GetUID(), p.isLater(by), p.Now())
	}
	found, err := p.examined(ctx, asChild, by, func() (verdict, error) { return p.reaches(ctx, k, by) })
	return found != discounted, err
}

// reaches finds whether an object of another namespace has claimed a resource below that of this
// one, and reaches it with its own credentials. A claim is an annotation: each client of that
// namespace can write one to whatever it likes. What is found is never counted, and so not
// remembered: the resource may go.
func (p *pass) reaches(ctx context.Context, k *resource.Kind, object *unstructured.Unstructured) (verdict, error) {
	q := p.over(k, object)
	mine, _ := p.claimed()
	id, _ := q.claimed()
	if !q.marks.Owned || !strings.HasPrefix(annotation.Key(id), annotation.Key(mine)+"/") {
		return discounted, nil
	}
	if found, err := q.run(ctx, toIdentify); err != nil || found != counted {
		return p.unlessUnheard(object, found), err
	}
	// The tenant in the claim may be forged. The one that the provider returns for the credentials
	// is not.
	if isOther, err := p.isOtherTenants(ctx, p.marks.Target, q.key.Namespace, q.aim); err != nil || isOther {
		return discounted, err
	}
	if found, err := q.run(ctx, []phase{(*pass).look}); err != nil || found != counted {
		return p.unlessUnheard(object, found), err
	}
	p.memo().finds(object.GetUID(), q.seen.GetExists(), p.Now())
	if !q.seen.GetExists() {
		return discounted, nil
	}
	return unclear, nil
}

// unlessUnheard returns what was found of the claim of an object in another namespace, which holds
// up the deletion of this one while nothing can be learned of its resource. It does not for longer
// than [unheard] after this process first learned nothing, or after the last look that found it:
// else credentials that never work would hold up the deletion for ever. The time of the deletion
// says nothing: processes before this one may have found the resource a moment ago.
func (p *pass) unlessUnheard(object *unstructured.Unstructured, found verdict) verdict {
	memo, now := p.memo(), p.Now()
	if found != unclear {
		return found
	}
	since := memo.silentSince(object.GetUID(), p.isLater(object), now)
	if found := memo.found[object.GetUID()]; found.After(since) {
		since = found
	}
	if now.Sub(since) >= unheard {
		return discounted
	}
	return unclear
}

// isLater reports whether an object was made after the deletion of this one began.
func (p *pass) isLater(object *unstructured.Unstructured) bool {
	deleted := p.object.GetDeletionTimestamp()
	return deleted != nil && object.GetCreationTimestamp().After(deleted.Time)
}

// unheard is for how long a resource that nothing can be learned of holds up a deletion in another
// namespace.
const unheard = time.Hour

// called is what an object is called for the user of this one.
func (p *pass) called(object *unstructured.Unstructured) string {
	if object.GetNamespace() == p.key.Namespace {
		return object.GetKind() + " " + object.GetName()
	}
	return elsewhere
}

const namedChildren = 5

// convertForDelete is convert for what is to go: a body is of little use, and must not be in the
// way.
func (p *pass) convertForDelete(ctx context.Context) error {
	if err := p.convert(ctx); err != nil {
		p.log.V(1).Info("deleting without a body", "reason", err.Error())
		p.body = nil
	}
	if p.api.Empty() {
		p.api = p.kind.API()
	}
	return nil
}

// locateForDelete is where the resource was claimed, whatever the spec says now, and whether or not
// its owner is there.
func (p *pass) locateForDelete(ctx context.Context) error {
	if p.marks.Address == (annotation.Address{}) {
		return p.locate(ctx)
	}
	_ = p.locate(ctx) // for the owners
	p.place = p.marks.Address
	return nil
}

// equipForDelete is equip without secrets of the spec, which may have been deleted already.
func (p *pass) equipForDelete(ctx context.Context) error {
	if err := p.giveForDelete(ctx); err != nil {
		return err
	}
	err := p.address(ctx, nil)
	var h *halt
	if errors.As(err, &h) && h.reason == provider.ReasonSecretMissing {
		h.message += fmt.Sprintf("; to delete the object and leave its resource, annotate it with %s=%s", annotation.ReconcilePolicy, annotation.Detach)
	}
	return err
}

// giveForDelete puts the values of ConfigMaps into the body if that has to prove what a create
// made. Values that are not there, or must not be read any more, are left out: the resource is then
// not certainly the object's.
func (p *pass) giveForDelete(ctx context.Context) error {
	if p.wanted == nil || p.body == nil || p.marks.Sent == nil {
		return nil
	}
	n, _, err := namedBy(p.object, provider.AddedMembers(p.wanted), p.public)
	if err != nil {
		return nil
	}
	err = p.give(ctx, n.configMapRefs)
	var h *halt
	if errors.As(err, &h) || apierrors.IsForbidden(err) {
		p.log.V(1).Info("deleting without the values of ConfigMaps", "reason", err.Error())
		return nil
	}
	return err
}

// end waits for the operation that was begun, and asks for its end if it was to make something.
func (p *pass) end(ctx context.Context) error {
	operation := p.marks.Operation
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
	case how == opGoesOn && err != nil:
		return err
	case how == opGoesOn:
		return p.again(ctx, outcome.GetOperation())
	case operation.Aim == annotation.ToDelete:
		return p.endDelete(ctx, how, err)
	case how == opEnded && err == nil && outcome.GetObservation().GetExists(): // it may have made the resource anew
		p.sees(outcome.GetObservation())
		err := p.finish(ctx, operation.Digest)
		p.seen = nil
		return err
	case how == opLost && err != nil && p.isCreating() && p.isBelieved(p.marks.Sent):
		return p.awaitCreate(ctx, err)
	}
	return p.conclude(ctx, how) // what there is of it is deleted
}

// endDelete goes on with a deletion after its operation. The operation stays until the next delete,
// since it stores what was being deleted: a resource that differs from that is not deleted while it
// is not known whether the delete took effect.
func (p *pass) endDelete(ctx context.Context, how progress, failed error) error {
	if how == opFailed {
		return errors.Join(p.conclude(ctx, how), failed)
	}
	operation := p.marks.Operation
	p.memo().deletes(instance{uid: operation.ResourceUID, etag: operation.Etag}, how != opEnded)
	return nil
}

// awaitCreate goes on with a deletion only if the resource exists. One that the create makes later
// would not be deleted.
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
	err := p.provider.Cancel(ctx, &latest.OperationRequest{Subject: p.subject, Operation: &latest.Operation{Handle: p.marks.Operation.Handle, CanCancel: true}})
	if err != nil && provider.FailureOf(err).Reason == provider.ReasonUnavailable {
		return p.failed(err)
	}
	if err != nil {
		p.log.Info("the operation was not cancelled", "reason", provider.Bounded(err.Error(), p.values()...))
	}
	marks, underway := p.marks, *p.marks.Operation
	underway.Cancelled = true
	marks.Operation = &underway
	return p.remember(ctx, marks)
}

// remove deletes the resource, if the claim proves that it is the object's own, and makes sure that
// it is gone.
func (p *pass) remove(ctx context.Context) error {
	if err := p.look(ctx); err != nil {
		return err
	}
	switch {
	case !p.seen.GetExists() && p.mayLag():
		return &halt{reason: Deleting, state: progressing, after: yielding, message: fmt.Sprintf(
			"the resource was there a moment ago, and an observation has not found it: the operator observes again for %s before it lets the object go", lag)}
	case !p.seen.GetExists():
		return p.gone()
	}
	isOurs, err := p.isOurs(ctx)
	if err != nil {
		return err
	}
	isNew := p.isMadeAnew()
	switch isUnsure := (isNew || !isOurs) && !p.isOthers() && p.mayBeOurs(); {
	case isUnsure && !annotation.MayAdopt(p.object):
		return cmp.Or(p.doubt(ctx), p.awaitUser())
	case isUnsure:
		p.memo().deleted = nil
	case !isOurs:
		p.left = p.identity() + " is left in the external API: it is not what this object has made, or tried to make"
		return nil
	case isNew:
		return p.leaveNew()
	case p.mayBeNew():
		return p.lookOnce()
	}
	return p.delete(ctx)
}

// awaitUser halts for the user, who alone knows if the resource that is there is the object's own.
func (p *pass) awaitUser() error {
	return &halt{reason: Exists, state: stalled, after: slower * p.Patience, message: provider.Bounded(fmt.Sprintf(
		"%s is there, and may have been made by a call of this object without a known result, or by another client: to delete it with the object, annotate the object with %s=true; to leave it, with %s=%s",
		p.identity(), annotation.Adopt, annotation.ReconcilePolicy, annotation.Detach), p.values()...)}
}

// lag is for how long reads of an external API may lag behind its writes.
const lag = 30 * time.Second

// mayLag reports whether an observation may have missed the resource: it was there a moment ago, or
// its create was accepted or has ended, and this process has not deleted it. Annotations may name a
// time that is far ahead, so that looks of this process count too.
func (p *pass) mayLag() bool {
	sent := p.marks.Sent
	hasMade := p.marks.HasMade() || sent != nil && sent.Ended
	return hasMade && !p.memo().hasDeleted() && p.wasThere() && p.Now().Sub(p.missing()) < lag
}

// wasThere reports whether the resource was there, was claimed, was accepted or was made a moment
// ago. A time by a clock that is ahead counts as a moment ago.
func (p *pass) wasThere() bool {
	return p.Now().Sub(slices.MaxFunc(p.timesThere(), time.Time.Compare)) < lag
}

// wasThereLately is wasThere, but a time by a clock that is far ahead does not count. A claim must
// not outlive its resource because of such a time.
func (p *pass) wasThereLately() bool {
	return slices.ContainsFunc(p.timesThere(), func(at time.Time) bool { return p.isRecent(at, lag) })
}

// timesThere returns when the resource was seen, claimed, accepted and made; zero for what is not
// known.
func (p *pass) timesThere() []time.Time {
	times := []time.Time{p.memo().existed, p.marks.Since, p.marks.Made}
	if sent := p.marks.Sent; sent != nil && (sent.Accepted || sent.Ended) {
		times = append(times, sent.At)
	}
	return times
}

// missing returns when a look first missed the resource of a deleted object, which is now if none
// has before.
func (p *pass) missing() time.Time {
	memo := p.memo()
	if memo.missing.IsZero() {
		memo.missing = p.Now()
	}
	return memo.missing
}

// gone ends the deletion of a resource that an observation has not found, unless a call of unknown
// outcome may still make it.
func (p *pass) gone() error {
	now := p.Now()
	left := min(p.effective().Add(settling).Sub(now), p.missing().Add(settling).Sub(now)) // annotations may name a later time
	if left <= 0 {
		p.happened(Deleted, "the resource is gone from the external API")
		return nil
	}
	return &halt{reason: Deleting, state: progressing, after: min(left, yielding), message: fmt.Sprintf(
		"the resource is not there, and a call with an unknown outcome may still make it: the object stays for %s; to let it go at once, annotate it with %s=%s",
		left.Round(time.Second), annotation.ReconcilePolicy, annotation.Detach)}
}

// settling is for how long a call without an answer may still take effect. APIs and the gateways
// before them give up sooner.
const settling = 5 * time.Minute

// effective returns when a call was made last that may still make the resource; the zero time for
// none.
func (p *pass) effective() time.Time {
	var at time.Time
	if change := p.marks.Unanswered; change != nil {
		at = change.At
	}
	for sent := p.marks.Sent; p.marks.ID == "" && sent != nil; sent = sent.Before {
		if !sent.Accepted && !sent.Refused && !sent.Ended && sent.At.After(at) {
			at = sent.At
		}
	}
	return at
}

// delete deletes the resource that was seen.
func (p *pass) delete(ctx context.Context) error {
	if p.marks.Operation != nil { // a delete that has ended, and left the resource
		if err := p.conclude(ctx, opEnded); err != nil {
			return err
		}
	}
	if p.marks.ID == "" { // the create has taken effect, and makes nothing more
		if err := p.remember(ctx, p.owning(p.marks)); err != nil {
			return err
		}
	}
	was := instanceOf(p.seen)
	p.memo().deleted, p.seen = nil, nil
	outcome, err := p.provider.Delete(ctx, p.subject)
	if err != nil {
		return p.failed(err)
	}
	if operation := outcome.GetOperation(); operation != nil {
		return p.begin(ctx, operation, annotation.PendingOperation{Aim: annotation.ToDelete, ResourceUID: was.uid, Etag: was.etag}, false)
	}
	p.memo().deletes(was, false)
	if err := p.look(ctx); err != nil {
		return err
	}
	switch {
	case !p.seen.GetExists():
		return p.gone()
	case p.isMadeAnew() && p.mayBeOurs():
		return p.awaitUser()
	case p.isMadeAnew():
		return p.leaveNew()
	case p.mayBeNew():
		return p.lookOnce()
	}
	p.memo().deleted = nil // a later entity tag proves nothing
	return &halt{reason: Deleting, message: "the resource was deleted, and is still there", state: failing}
}

// leaveNew leaves a resource that another client has made under the identifier of the one that was
// deleted.
func (p *pass) leaveNew() error {
	p.left = p.identity() + " is left in the external API: that of this object was deleted, and another client has made this one since"
	return nil
}

// instance distinguishes a resource from others with its identifier. An empty member is unknown.
type instance struct{ uid, etag string }

func instanceOf(seen *v1.Observation) instance {
	return instance{uid: short(seen.GetUid()), etag: short(seen.GetEtag())}
}

// short returns a text, or its digest where the text is too long for an annotation.
func short(text string) string {
	if len(text) <= longestMark {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// isOther reports whether two instances have different UIDs: then they are of two resources.
func (i instance) isOther(than instance) bool {
	return i.uid != "" && than.uid != "" && i.uid != than.uid
}

// isChanged reports whether two instances, of which nothing but the entity tag can tell, have
// different ones: then they are of two resources, or of one that was changed, as its deletion may
// do.
func (i instance) isChanged(than instance) bool {
	return (i.uid == "" || than.uid == "") && i.etag != "" && than.etag != "" && i.etag != than.etag
}

// isMadeAnew reports whether the external API has deleted the resource and has another one in its
// place now. If only the entity tag differs, it must do so in several observations: what is being
// deleted goes meanwhile.
func (p *pass) isMadeAnew() bool {
	was := p.memo().deleted
	if was == nil || p.isMarked() {
		return false
	}
	return was.isOther(instanceOf(p.seen)) || p.mayBeNew() && was.looks >= enoughLooks
}

// mayBeNew reports whether the resource has another entity tag than the one that was deleted, and
// does not say that it is being deleted.
func (p *pass) mayBeNew() bool {
	was := p.memo().deleted
	return was != nil && !p.isMarked() && !p.isBeingDeleted() && was.isChanged(instanceOf(p.seen))
}

// isBeingDeleted reports whether the external API says that the resource is being deleted.
func (p *pass) isBeingDeleted() bool {
	return p.lastChange() == v1.Change_CHANGE_DELETING
}

// enoughLooks is how many looks, ten seconds apart, must find another entity tag after a delete
// until the resource counts as another one.
const enoughLooks = 5

// lookOnce halts for another observation of a resource that may or may not be the one that was
// deleted. It is not deleted again, and not let go.
func (p *pass) lookOnce() error {
	p.memo().deleted.counts(p.Now())
	return &halt{reason: Deleting, state: progressing, after: yielding, message: "the resource was deleted, and one with another entity tag is there: it is observed again"}
}

// isReplaced reports whether the resource has another UID than the one that was claimed.
func (p *pass) isReplaced() bool {
	return instance{uid: p.marks.ResourceUID}.isOther(instance{uid: instanceOf(p.seen).uid})
}

// isLost reports whether the resource of the object was replaced, and nothing says that the object
// has done so.
func (p *pass) isLost() bool { return p.isReplaced() && !p.isMarked() }

// release lets the object go.
func (p *pass) release(ctx context.Context) error {
	switch {
	case p.left != "":
		p.done = append(p.done, happening{reason: NotDeleted, message: p.left, isWarning: true})
	case len(p.done) == 0:
		p.happened(Detached, "the resource is left alone")
	}
	if err := p.intend(ctx, p.marks, p.letGo); err != nil {
		return err
	}
	p.Claims.drop(p.memory.forget(p.key))
	return errReleased
}
