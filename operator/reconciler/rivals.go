package reconciler

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/operator/resource"
)

// rival returns the object whose claim to the same resource counts before that of this object; nil
// if there is none. A claim is an annotation. That of an object in the same namespace is believed:
// its clients can write each other's objects. Clients of another namespace can claim whatever they
// like: their claims count if the object reaches the resource with its own credentials.
func (p *pass) rival(ctx context.Context) (*rival, error) {
	claims, err := p.claims(ctx)
	if err != nil {
		return nil, err
	}
	var open *rival // whose claim may count
	for i, one := range claims {
		if p.isBefore(one.rival) {
			break
		}
		switch found, err := p.counts(ctx, one.kind, one.object); {
		case err != nil:
			return nil, err
		case found == counted:
			return &claims[i].rival, nil
		case found == unclear && open == nil:
			open = &claims[i].rival
		}
	}
	if open == nil {
		p.memo().waits = time.Time{}
	} else if p.waits() {
		return open, nil
	}
	return nil, nil
}

// foreignClaim is the claim of another object to the resource of this one.
type foreignClaim struct {
	rival
	kind *resource.Kind
}

// claims returns the objects whose annotations may claim the resource of this one, in the order in
// which the claims count. It reads nothing but the cache: whether credentials say that two claims
// are of two tenants is looked at later, within the limit of looks.
func (p *pass) claims(ctx context.Context) (all []foreignClaim, err error) {
	seen := map[types.UID]bool{p.object.GetUID(): true}
	for _, k := range p.Kinds.OfType(p.kind.Type) {
		for _, key := range p.keys() {
			list, err := p.indexed(ctx, k, ByIdentity, key)
			if err != nil {
				return nil, err
			}
			for i := range list {
				m := annotation.Read(&list[i])
				if seen[list[i].GetUID()] || !m.Owned {
					continue
				}
				seen[list[i].GetUID()] = true
				if isSame, _ := p.isSameResource(m); isSame && !isOtherScope(p.aim, m.Target) {
					all = append(all, foreignClaim{claimedBy(&list[i], m), k})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b foreignClaim) int {
		switch {
		case a.before(b.rival):
			return -1
		case b.before(a.rival):
			return 1
		}
		return 0
	})
	return all, nil
}

// holds reports whether this object has a claim to the resource that it is about.
func (p *pass) holds() bool {
	isSame, _ := p.isSameResource(p.marks)
	return p.marks.Owned && isSame
}

// isBefore reports whether this object has a claim that counts before another one.
func (p *pass) isBefore(other rival) bool {
	return p.holds() && claimedBy(p.object, p.marks).before(other)
}

// waits reports whether this object waits for claims of which nothing can be learned. One that has
// a claim does not, unless it yields to an earlier one already, and none does for long: else a
// client of another namespace could keep it from its resource for ever.
func (p *pass) waits() bool {
	memo := p.memo()
	if memo.waits.IsZero() {
		memo.waits = p.Now()
	}
	return (!p.holds() || p.yields()) && p.Now().Sub(memo.waits) < believed
}

// yields reports whether the stored status says that the resource is that of another object.
func (p *pass) yields() bool {
	ready := find(conditionsOf(p.object), Ready)
	return ready != nil && ready.Status == metav1.ConditionFalse && ready.Reason == OwnedByAnother
}

// verdict is whether the claim of another object counts.
type verdict int

const (
	discounted verdict = iota
	counted
	// unclear is that of a claim of which nothing can be learned now, or of which no more can be in
	// this pass.
	unclear
)

// maxLooks is how many claims of other objects are looked at in a pass: each may cost a call, or
// read Secrets.
const maxLooks = 10

// lookAgain returns when claims are looked at again of which nothing is clear: soon if this pass
// had no look left for some.
func (p *pass) lookAgain() time.Duration {
	if p.leftOut {
		return time.Second
	}
	return yielding
}

// counts reports whether the claim of another object counts, which its annotation says.
func (p *pass) counts(ctx context.Context, k *resource.Kind, object *unstructured.Unstructured) (verdict, error) {
	m, isHere := annotation.Read(object), object.GetNamespace() == p.key.Namespace
	readsNone := !isPlace(p.aim) && !isPlace(m.Target) || !areInTwoSecrets(p.aim, p.key.Namespace, m.Target, object.GetNamespace())
	if isHere && readsNone {
		isSame, err := p.isSame(ctx, object.GetNamespace(), m)
		return countedIf(isSame), err
	}
	return p.examined(ctx, asRival, object, func() (verdict, error) {
		isSame, err := p.isSame(ctx, object.GetNamespace(), m)
		if err != nil || !isSame || isHere {
			return countedIf(isSame), err
		}
		return p.examine(ctx, k, object)
	})
}

func countedIf(counts bool) verdict {
	if counts {
		return counted
	}
	return discounted
}

// areInTwoSecrets reports whether the credentials for two targets are in two Secrets, which must be
// read to compare them.
func areInTwoSecrets(a annotation.Target, in string, b annotation.Target, there string) bool {
	first, second := secretOf(in, a.Credentials), secretOf(there, b.Credentials)
	return first != second && first.Name != "" && second.Name != ""
}

// examine looks at the resource that an object of another namespace has claimed, with that object's
// own credentials.
func (p *pass) examine(ctx context.Context, k *resource.Kind, object *unstructured.Unstructured) (verdict, error) {
	q := p.over(k, object)
	if found, err := q.run(ctx, toIdentify); err != nil || found != counted {
		return found, err
	}
	// The tenant in the claim may be forged. The one that the provider returns for the credentials
	// is not.
	isSame, err := p.isSame(ctx, q.key.Namespace, annotation.State{ID: q.marks.ID, Address: q.place, Target: q.aim})
	if err != nil || !isSame {
		return discounted, err
	}
	found, err := q.run(ctx, []phase{(*pass).look})
	if err != nil || found != counted || q.seen.GetExists() {
		return found, err
	}
	return p.wants(ctx, k, object)
}

// wants reports whether the spec of an object means the resource of this one: then its owner is
// about to make it.
func (p *pass) wants(ctx context.Context, k *resource.Kind, object *unstructured.Unstructured) (verdict, error) {
	q := p.over(k, object)
	q.marks = annotation.State{}
	found, err := q.run(ctx, []phase{(*pass).convertForDelete, (*pass).locate, (*pass).equipForDelete, (*pass).seek})
	if err != nil || found != counted {
		return found, err
	}
	if isSame, err := p.isSame(ctx, q.key.Namespace, annotation.State{Address: q.place, Target: q.aim}); err != nil || !isSame {
		return discounted, err
	}
	return counted, nil
}

// toIdentify are the phases that find which resource a claim is to, and the credentials for it.
var toIdentify = []phase{(*pass).convertForDelete, (*pass).locateForDelete, (*pass).equipForDelete, (*pass).identifyToDelete}

// over returns a pass over another object, which counts and remembers nothing.
func (p *pass) over(k *resource.Kind, object *unstructured.Unstructured) *pass {
	options := p.Options
	options.Counts = nil
	return New(k, options).newPass(client.ObjectKeyFromObject(object), object.DeepCopy(), p.log)
}

// run makes some phases of a pass over another object, and returns whether they went well. An error
// is one of the API server.
func (p *pass) run(ctx context.Context, phases []phase) (verdict, error) {
	var h *halt
	for _, phase := range phases {
		switch err := phase(p, ctx); {
		case errors.As(err, &h) && (h.unknown || h.reason == provider.ReasonSecretMissing && p.hadSecret()):
			return unclear, nil
		case errors.As(err, &h), err == nil && p.left != "":
			return discounted, nil
		case err != nil:
			return discounted, err
		}
	}
	return counted, nil
}

// hadSecret reports whether the claim can have been made with the Secret of the object, which may
// not be there for a moment, as while a client replaces it. It cannot where the object names a
// Secret, and the claim none.
func (p *pass) hadSecret() bool {
	return p.marks.Target.Credentials != "" || p.object.GetAnnotations()[annotation.Credentials] == ""
}

// keys are what claims to the resource of this object are indexed by: its identifier, and its
// place. A claim that was made with a provider that cannot identify resources names the place, and
// so does one whose provider could, and cannot now.
func (p *pass) keys() []string {
	keys := []string{p.aim.Key, annotation.Key(p.aim.ID), placeKey(p.kind, p.place)}
	if p.aim.ID == "" {
		keys = append(keys, annotation.Key(p.marks.ID), p.place.Key())
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// placeKey stands for the identifier of a resource at a place, where the provider cannot identify
// it.
func placeKey(k *resource.Kind, at annotation.Address) string {
	return strings.ToLower(k.Type) + at.Key()
}

// isSameResource reports whether marks name the resource that this object is about, and whether
// only the place distinguishes them.
func (p *pass) isSameResource(m annotation.State) (isSame, byPlace bool) {
	if p.aim.ID != "" && m.Target.ID != "" {
		return m.Target.Key == p.aim.Key, false
	}
	mine, other := annotation.Key(p.aim.ID), annotation.Key(m.ID)
	if mine == "" {
		mine = annotation.Key(p.marks.ID)
	}
	if other == "" {
		other = annotation.Key(m.Target.ID)
	}
	if mine != "" && other != "" {
		return mine == other, false
	}
	key := m.Target.Key
	if !isPlace(m.Target) {
		key = placeKey(p.kind, m.Address)
	}
	return key == placeKey(p.kind, p.place), true
}

// isSame reports whether the marks of an object in a namespace claim the resource that this object
// is about.
func (p *pass) isSame(ctx context.Context, namespace string, m annotation.State) (bool, error) {
	isSame, byPlace := p.isSameResource(m)
	if !isSame {
		return false, nil
	}
	if isOther, err := p.isOtherTenants(ctx, p.aim, namespace, m.Target); err != nil || isOther {
		return false, err
	}
	if !byPlace || isPlace(p.aim) == isPlace(m.Target) {
		return true, nil
	}
	return p.Credentials.AreSame(ctx, secretOf(p.key.Namespace, p.aim.Credentials), secretOf(namespace, m.Target.Credentials))
}
