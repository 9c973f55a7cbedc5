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
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/operator/resource"
)

// errReleased ends the last pass over an object, which has no status to report any more.
var errReleased = errors.New("the object was released")

// outlive halts while other objects own resources that would be deleted with this one. These name
// this object as their owner, or have an identifier, or the identifier of an owner, below that of
// this object. An object that has made nothing does not hold up the deletion: it waits itself.
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
	for _, one := range left {
		called[one.called], objects[one.name] = true, true
	}
	all := slices.Sorted(maps.Keys(called))
	names := strings.Join(all[:min(len(all), namedChildren)], ", ")
	if len(all) > namedChildren {
		names += fmt.Sprintf(" and %d more", len(all)-namedChildren)
	}
	return &halt{
		reason: "HasChildren", message: "these are part of the resource, and must be deleted first: " + names, state: waiting,
		objects: slices.Sorted(maps.Keys(objects)), after: p.lookAgain(), // no watch reports all changes that can end this
	}
}

// child is an object that holds up a deletion: its name in messages, and its full name.
type child struct{ called, name string }

func (p *pass) child(object *unstructured.Unstructured) child {
	return child{p.called(object), name(object)}
}

// byName returns the objects that name this one as their owner and have a claim.
func (p *pass) byName(ctx context.Context) (left []child, err error) {
	for _, of := range p.kind.Children {
		k := p.Kinds.Of(of)
		list, err := p.listed(ctx, k, client.InNamespace(p.key.Namespace), client.MatchingFields{ByOwner: p.key.Name})
		if err != nil {
			return nil, err
		}
		for object := range list {
			if _, id := ownerOf(k, object); id == "" && p.hasClaim(object) {
				left = append(left, p.child(object))
			}
		}
	}
	return left, nil
}

// hasClaim reports whether an object has a resource, is about to create one, or observes one.
func (p *pass) hasClaim(object *unstructured.Unstructured) bool {
	m := annotation.Read(object)
	return m.Owned || m.ID != "" || p.Claims.has(object.GetUID())
}

// below returns the objects that hold up the deletion of this one because their identifiers are
// below its own.
func (p *pass) below(ctx context.Context) (left []child, err error) {
	id, _ := p.claimed()
	isFound := false // an observed one of another namespace; one is enough
	for _, k := range p.Kinds.All() {
		list, err := p.indexed(ctx, k, ByAncestor, annotation.Key(id))
		if err != nil {
			return nil, err
		}
		for object := range list {
			isOther := object.GetNamespace() != p.key.Namespace
			if object.GetUID() == p.object.GetUID() || isOther && isFound {
				continue
			}
			isClaimed, err := p.isBlocked(ctx, k, object)
			if err != nil {
				return nil, err
			}
			if isClaimed {
				left = append(left, p.child(object))
				isFound = isFound || isOther && p.Now().Sub(p.memo().found[object.GetUID()]) < 2*yielding
			}
		}
	}
	return left, nil
}

// isBlocked reports whether an object with an identifier below that of this one holds up its
// deletion.
func (p *pass) isBlocked(ctx context.Context, k *resource.Kind, by *unstructured.Unstructured) (bool, error) {
	if isApart, err := p.isApart(ctx, p.recorded.Target, k, by); err != nil || isApart {
		return false, err
	}
	if by.GetNamespace() == p.key.Namespace {
		return p.hasClaim(by), nil
	}
	if p.looks >= maxLooks { // without a look nothing is learned; one hour is enough for all of them
		p.memo().silentSince(by.GetUID(), p.isLater(by), p.Now())
	}
	found, err := p.examined(ctx, asChild, by, func() (verdict, error) { return p.reaches(ctx, k, by) })
	return found != discounted, err
}

// reaches finds whether an object of another namespace has claimed a resource below that of this
// one, and can read it with its own credentials. The claim alone proves nothing, since clients of
// that namespace can write any annotation. The verdict for an existing resource is unclear and
// not counted, so that it is soon examined again: the resource may be deleted.
func (p *pass) reaches(ctx context.Context, k *resource.Kind, object *unstructured.Unstructured) (verdict, error) {
	q := p.over(k, object)
	mine, _ := p.claimed()
	id, _ := q.claimed()
	if !q.recorded.Owned || !strings.HasPrefix(annotation.Key(id), annotation.Key(mine)+"/") {
		return discounted, nil
	}
	if found, err := q.run(ctx, toIdentify); err != nil || found != counted {
		return p.unlessUnheard(object, found), err
	}
	// The tenant in the claim may be forged. The one that the provider returns for the credentials
	// is not.
	if isOther, err := p.isOtherTenants(ctx, p.recorded.Target, q.key.Namespace, q.aim); err != nil || isOther {
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

// unlessUnheard returns the verdict on an object in another namespace. While the operator can
// learn nothing about its resource, the object holds up the deletion of this one, for at most
// [unheard]. That time begins when this process first learned nothing, or with the last
// observation that found the resource. Without the limit, credentials that never work would hold
// up the deletion for ever. The time of the deletion does not count, since an earlier process may
// have found the resource a moment ago.
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

// isLater reports whether an object was created after the deletion of this one began.
func (p *pass) isLater(object *unstructured.Unstructured) bool {
	deleted := p.object.GetDeletionTimestamp()
	return deleted != nil && object.GetCreationTimestamp().After(deleted.Time)
}

// unheard is how long a resource about which nothing can be learned holds up a deletion in
// another namespace.
const unheard = time.Hour

// called returns the name of an object for users of this one.
func (p *pass) called(object *unstructured.Unstructured) string {
	if object.GetNamespace() == p.key.Namespace {
		return object.GetKind() + " " + object.GetName()
	}
	return elsewhere
}

const namedChildren = 5

// convertForDelete is convert for a deletion, which continues without a body if the conversion
// fails.
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

// locateForDelete sets the address for which the resource was claimed, whatever the spec contains
// now, and whether or not its owner exists.
func (p *pass) locateForDelete(ctx context.Context) error {
	if p.recorded.Address == (annotation.Address{}) {
		return p.locate(ctx)
	}
	_ = p.locate(ctx) // only for the owners
	p.externalAddress = p.recorded.Address
	return nil
}

// equipForDelete is equip without the secrets of the spec, which may have been deleted already.
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

// giveForDelete writes the values of ConfigMaps into the body if the body has to prove which
// resource a create made. It continues without values that are missing or may not be read. Then
// nothing proves that the resource belongs to the object, and the user decides.
func (p *pass) giveForDelete(ctx context.Context) error {
	if p.wanted == nil || p.body == nil || p.recorded.Sent == nil {
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

// remove deletes the resource if the claim proves that it belongs to the object, and observes
// that it no longer exists.
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

// awaitUser halts because only the user knows whether the existing resource belongs to the
// object.
func (p *pass) awaitUser() error {
	return &halt{reason: Exists, state: stalled, after: slower * p.Patience, message: provider.Bounded(fmt.Sprintf(
		"%s is there, and may have been made by a call of this object without a known result, or by another client: to delete it with the object, annotate the object with %s=true; to leave it, with %s=%s",
		p.identity(), annotation.Adopt, annotation.ReconcilePolicy, annotation.Detach), p.values()...)}
}

// lag is how long reads of an external API may lag behind its writes.
const lag = 30 * time.Second

// mayLag reports whether an observation may have missed the resource. It may if the resource
// existed a moment ago and may be the object's, and this process has not deleted it. Annotations
// may contain a time far in the future, so that the time since the first observation of this
// process without the resource counts too.
func (p *pass) mayLag() bool {
	sent := p.recorded.Sent
	hasMade := p.recorded.HasMade() || sent != nil && (sent.Ended || sent.Doubted)
	return hasMade && !p.memo().hasDeleted() && p.wasThere() && p.Now().Sub(p.missing()) < lag
}

// wasThere reports whether the resource was observed, claimed, accepted or made a moment ago. A
// future time, by the clock of another machine, counts as a moment ago.
func (p *pass) wasThere() bool {
	return p.Now().Sub(slices.MaxFunc(p.timesThere(), time.Time.Compare)) < lag
}

// wasThereLately is wasThere, except that a time far in the future does not count. A claim must
// not outlive its resource because of such a time.
func (p *pass) wasThereLately() bool {
	return slices.ContainsFunc(p.timesThere(), func(at time.Time) bool { return p.isRecent(at, lag) })
}

// timesThere returns when the resource was observed, claimed, made and accepted; zero for unknown
// times.
func (p *pass) timesThere() []time.Time {
	times := []time.Time{p.memo().existed, p.recorded.Since, p.recorded.Made}
	if sent := p.recorded.Sent; sent != nil && (sent.Accepted || sent.Ended) {
		times = append(times, sent.At)
	}
	return times
}

// missing returns when an observation first missed the resource of a deleted object. It sets that
// time to now if there is none.
func (p *pass) missing() time.Time {
	memo := p.memo()
	if memo.missing.IsZero() {
		memo.missing = p.Now()
	}
	return memo.missing
}

// gone ends the deletion of a resource that an observation has not found. While a call of unknown
// outcome may still make the resource, it halts.
func (p *pass) gone() error {
	now := p.Now()
	left := min(p.effective().Add(settling).Sub(now), p.missing().Add(settling).Sub(now)) // annotations may contain a future time
	switch running := p.mayRun(); {
	case left <= 0 && running != nil:
		p.left = fmt.Sprintf("%s is not there, and may still be made: the external API has accepted its create, which was last known to run at %s, and nothing has shown how it ended",
			p.identity(), running.At.Format(time.RFC3339))
		return nil
	case left <= 0 && p.mayChange():
		p.left = fmt.Sprintf("%s is not there, and may be made again: an operation of it is followed no longer, and nothing has shown how it ended", p.identity())
		return nil
	case left <= 0:
		p.happened(Deleted, "the resource is gone from the external API")
		return nil
	}
	return &halt{reason: Deleting, state: progressing, after: min(left, yielding), message: fmt.Sprintf(
		"the resource is not there, and a call with an unknown outcome may still make it: the object stays for %s; to let it go at once, annotate it with %s=%s",
		left.Round(time.Second), annotation.ReconcilePolicy, annotation.Detach)}
}

// settling is how long a call without an answer may still take effect. External APIs and their
// gateways end such calls sooner.
const settling = 5 * time.Minute

// effective returns the time of the last call that may still make the resource; zero if there is
// none. It is now if that call may still run, or if its time is not known.
func (p *pass) effective() time.Time {
	var at time.Time
	if change := p.recorded.Unanswered; change != nil {
		at = change.At
	}
	for sent := p.recorded.Sent; p.recorded.ID == "" && sent != nil; sent = sent.Before {
		switch {
		case sent.MayRun(), !sent.IsAnswered() && sent.At.IsZero():
			return p.Now()
		case !sent.IsAnswered() && sent.At.After(at):
			at = sent.At
		}
		if sent.Cut.After(at) {
			at = sent.Cut
		}
	}
	return at
}

// mayRun returns the last create that the external API has accepted, and whose end nothing has
// shown; nil if there is none. After longestOperation without a process that follows it, the
// operator no longer expects it to make the resource. One whose time is not known still may.
func (p *pass) mayRun() *annotation.SentCreate {
	for sent := p.recorded.Sent; p.recorded.ID == "" && sent != nil; sent = sent.Before {
		if (sent.MayRun() || sent.Lost) && (sent.At.IsZero() || p.isRecent(sent.Followed(), longestOperation)) {
			return sent
		}
	}
	return nil
}

// mayChange reports whether a change may make the resource again, since nothing has shown how its
// operation ended. After longestOperation the operator no longer expects that.
func (p *pass) mayChange() bool {
	change := p.recorded.Unanswered
	return change != nil && change.Unended && p.isRecent(change.At, longestOperation)
}

// delete deletes the observed resource.
func (p *pass) delete(ctx context.Context) error {
	if p.recorded.Operation != nil { // a delete that has ended without deleting the resource
		if err := p.conclude(ctx, opEnded); err != nil {
			return err
		}
	}
	if p.recorded.ID == "" { // the create has taken effect, and makes no further resource
		if err := p.remember(ctx, p.owning(p.recorded)); err != nil {
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

// leaveNew leaves a resource that another client has created with the identifier of the deleted
// one.
func (p *pass) leaveNew() error {
	p.left = p.identity() + " is left in the external API: that of this object was deleted, and another client has made this one since"
	return nil
}

// instance distinguishes a resource from others with its identifier. An empty member is unknown.
type instance struct{ uid, etag string }

func instanceOf(seen *v1.Observation) instance {
	return instance{uid: short(seen.GetUid()), etag: short(seen.GetEtag())}
}

// short returns a text, or its digest if the text is too long for an annotation.
func short(text string) string {
	if len(text) <= longestMark {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// isOther reports whether two instances have different UIDs, and so are two resources.
func (i instance) isOther(than instance) bool {
	return i.uid != "" && than.uid != "" && i.uid != than.uid
}

// isChanged reports whether two instances that only their entity tags can distinguish have
// different ones. They are two resources, or one that was changed, for example by its deletion.
func (i instance) isChanged(than instance) bool {
	return (i.uid == "" || than.uid == "") && i.etag != "" && than.etag != "" && i.etag != than.etag
}

// isMadeAnew reports whether the external API has deleted the resource, and has a new one with
// its identifier. If only the entity tag differs, several observations must show that: a resource
// that is being deleted disappears meanwhile.
func (p *pass) isMadeAnew() bool {
	was := p.memo().deleted
	if was == nil || p.isMarked() {
		return false
	}
	return was.isOther(instanceOf(p.seen)) || p.mayBeNew() && was.looks >= enoughLooks
}

// mayBeNew reports whether the resource has another entity tag than the deleted one, and is not
// being deleted.
func (p *pass) mayBeNew() bool {
	was := p.memo().deleted
	return was != nil && !p.isMarked() && !p.isBeingDeleted() && was.isChanged(instanceOf(p.seen))
}

// isBeingDeleted reports whether the external API reports that the resource is being deleted.
func (p *pass) isBeingDeleted() bool {
	return p.lastChange() == v1.Change_CHANGE_DELETING
}

// enoughLooks is the number of observations, at least ten seconds apart, that must find another
// entity tag after a delete. Then the resource counts as a new one.
const enoughLooks = 5

// lookOnce halts for another observation of a resource that may be the deleted one or a new one.
// The operator neither deletes the resource again nor releases the object.
func (p *pass) lookOnce() error {
	p.memo().deleted.counts(p.Now())
	return &halt{reason: Deleting, state: progressing, after: yielding, message: "the resource was deleted, and one with another entity tag is there: it is observed again"}
}

// isReplaced reports whether the resource has another UID than the claimed one.
func (p *pass) isReplaced() bool {
	return instance{uid: p.recorded.ResourceUID}.isOther(instance{uid: instanceOf(p.seen).uid})
}

// isLost reports whether the resource of the object was replaced, and its mark does not show that
// the object did so.
func (p *pass) isLost() bool { return p.isReplaced() && !p.isMarked() }

// release removes the finalizer, so that the API server removes the object.
func (p *pass) release(ctx context.Context) error {
	switch {
	case p.left != "":
		p.done = append(p.done, happening{reason: NotDeleted, message: p.left, isWarning: true})
	case len(p.done) == 0:
		p.happened(Detached, "the resource is left alone")
	}
	if err := p.intend(ctx, p.recorded, p.letGo); err != nil {
		return err
	}
	p.Claims.drop(p.memory.forget(p.key))
	return errReleased
}
