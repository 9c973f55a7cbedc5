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

// rival returns the object whose claim to the same resource precedes that of this object; nil if
// there is none. A claim is an annotation. The operator believes one of the same namespace, whose
// clients can write each other's objects. Clients of another namespace can claim any resource:
// their claims count only if the object reaches the resource with its own credentials.
func (p *pass) rival(ctx context.Context) (*rival, error) {
	claims, err := p.claims(ctx)
	if err != nil {
		return nil, err
	}
	var open *rival // the first one whose claim may count
	for i, one := range claims {
		if p.isBefore(one.rival) {
			continue
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
	} else if p.waits(*open) {
		return open, nil
	}
	p.isUndecided = open != nil
	return nil, nil
}

// foreignClaim is the claim of another object to the resource of this one.
type foreignClaim struct {
	rival
	kind *resource.Kind
}

// claims returns the objects whose annotations may claim the resource of this one, in the order
// in which the claims count. It reads only the cache. Credentials that distinguish tenants are
// compared later, within the limit of looks.
func (p *pass) claims(ctx context.Context) (all []foreignClaim, err error) {
	seen := map[types.UID]bool{p.object.GetUID(): true}
	for _, k := range p.Kinds.OfType(p.kind.Type) {
		for _, key := range p.keys() {
			list, err := p.indexed(ctx, k, ByIdentity, key)
			if err != nil {
				return nil, err
			}
			for object := range list {
				m := p.Keys.Read(object)
				if seen[object.GetUID()] || !m.Owned {
					continue
				}
				seen[object.GetUID()] = true
				if isSame, _ := p.isSameResource(m); isSame && !isOtherScope(p.aim, m.Target) {
					all = append(all, foreignClaim{claimedBy(object, m), k})
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

// meant returns the object that has claimed the resource and whose spec means it, if the spec of
// this object means another resource; nil if there is none. Where namespaces share the credentials
// of the operator, a forged claim counts as any other. It must not delete the resource of another
// object.
func (p *pass) meant(ctx context.Context) (*rival, error) {
	claims, err := p.claims(ctx)
	if err != nil || len(claims) == 0 {
		return nil, err
	}
	if found, err := p.wants(ctx, p.kind, p.object); err != nil || found != discounted {
		return nil, err
	}
	for i, one := range claims[:min(len(claims), maxLooks)] {
		found, err := p.wants(ctx, one.kind, one.object)
		if err != nil {
			return nil, err
		}
		if found == counted {
			return &claims[i].rival, nil
		}
	}
	return nil, nil
}

// holds reports whether this object has a claim to the resource that it means now.
func (p *pass) holds() bool {
	isSame, _ := p.isSameResource(p.recorded)
	return p.recorded.Owned && isSame
}

// isBefore reports whether this object has a claim that precedes another one.
func (p *pass) isBefore(other rival) bool {
	mine := claimedBy(p.object, p.recorded)
	return p.holds() && !p.isMoot(mine, other) && mine.before(other)
}

// isMoot reports whether nothing shows which of two objects owns the resource. Namespaces share
// the credentials of the operator, and it has signed neither claim: clients may have written both.
// Then both objects yield, until a user deletes or detaches one of them.
func (p *pass) isMoot(a, b rival) bool {
	return p.Keys != nil && !a.isSigned && !b.isSigned && a.isShared && b.isShared && a.object.GetNamespace() != b.object.GetNamespace()
}

// waits reports whether this object waits for a claim about which nothing can be learned. An
// object with a claim waits only if it yields to an earlier one already, or if the operator has
// signed that claim, and not the one of this object. No object waits for longer than believed.
// Otherwise a client of another namespace could withhold the resource for ever.
func (p *pass) waits(open rival) bool {
	memo := p.memo()
	if memo.waits.IsZero() {
		memo.waits = p.Now()
	}
	isWeak := !p.holds() || open.isSigned && !p.recorded.Signed
	return (isWeak || p.yields()) && p.Now().Sub(memo.waits) < believed
}

// yields reports whether the stored status names another object as the owner of the resource.
func (p *pass) yields() bool { return isYielding(p.object) }

// isYielding reports whether the status of an object names another one as the owner of its
// resource.
func isYielding(object *unstructured.Unstructured) bool {
	ready := find(conditionsOf(object), Ready)
	return ready != nil && ready.Status == metav1.ConditionFalse && ready.Reason == OwnedByAnother
}

// verdict is the result of examining a claim: whether it counts.
type verdict int

const (
	discounted verdict = iota
	counted
	// unclear means that nothing can be learned about a claim now, or in this pass.
	unclear
)

// maxLooks is the maximum number of claims of other objects that a pass examines. Each may cost a
// call, or read Secrets.
const maxLooks = 10

// lookAgain returns the pause before unclear claims are examined again. It is short if this pass
// has skipped some.
func (p *pass) lookAgain() time.Duration {
	if p.leftOut {
		return time.Second
	}
	return yielding
}

// counts reports whether the claim in the annotations of another object counts.
func (p *pass) counts(ctx context.Context, k *resource.Kind, object *unstructured.Unstructured) (verdict, error) {
	m, isHere := annotation.Read(object), object.GetNamespace() == p.key.Namespace
	readsNone := !isAddress(p.aim) && !isAddress(m.Target) || !areInTwoSecrets(p.aim, p.key.Namespace, m.Target, object.GetNamespace())
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

// areInTwoSecrets reports whether the credentials for two targets are in two Secrets, so that a
// comparison must read both.
func areInTwoSecrets(a annotation.Target, in string, b annotation.Target, there string) bool {
	first, second := secretOf(in, a.Credentials), secretOf(there, b.Credentials)
	return first != second && first.Name != "" && second.Name != ""
}

// examine observes the resource that an object of another namespace has claimed, with that
// object's own credentials.
func (p *pass) examine(ctx context.Context, k *resource.Kind, object *unstructured.Unstructured) (verdict, error) {
	q := p.over(k, object)
	if found, err := q.run(ctx, toIdentify); err != nil || found != counted {
		return found, err
	}
	// The tenant in the claim may be forged. The one that the provider returns for the
	// credentials is not.
	isSame, err := p.isSame(ctx, q.key.Namespace, annotation.State{ID: q.recorded.ID, Address: q.externalAddress, Target: q.aim})
	if err != nil || !isSame {
		return discounted, err
	}
	found, err := q.run(ctx, []phase{(*pass).look})
	if err != nil || found != counted || q.seen.GetExists() {
		return found, err
	}
	return p.wants(ctx, k, object)
}

// wants reports whether the spec of an object means the resource of this one, so that the object
// is about to create it.
func (p *pass) wants(ctx context.Context, k *resource.Kind, object *unstructured.Unstructured) (verdict, error) {
	q := p.over(k, object)
	q.recorded = annotation.State{}
	found, err := q.run(ctx, []phase{(*pass).convertForDelete, (*pass).locate, (*pass).equipForDelete, (*pass).seek})
	if err != nil || found != counted {
		return found, err
	}
	if isSame, err := p.isSame(ctx, q.key.Namespace, annotation.State{Address: q.externalAddress, Target: q.aim}); err != nil || !isSame {
		return discounted, err
	}
	return counted, nil
}

// toIdentify lists the phases that determine the resource of a claim, and the credentials for it.
var toIdentify = []phase{(*pass).convertForDelete, (*pass).locateForDelete, (*pass).equipForDelete, (*pass).identifyToDelete}

// over returns a pass over another object, which counts nothing and has a memory of its own.
func (p *pass) over(k *resource.Kind, object *unstructured.Unstructured) *pass {
	options := p.Options
	options.Counts = nil
	return New(k, options).newPass(client.ObjectKeyFromObject(object), object.DeepCopy(), p.log)
}

// run runs phases of a pass over another object. It returns counted if all succeed, unclear if
// nothing was learned, and discounted after any other halt. An error comes from the API server.
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

// hadSecret reports whether the claim may have been made with the Secret of the object. The
// Secret may be missing for a moment, for example while a client replaces it. hadSecret returns
// false if the object names a Secret, and the claim names none.
func (p *pass) hadSecret() bool {
	return p.recorded.Target.Credentials != "" || p.object.GetAnnotations()[annotation.Credentials] == ""
}

// keys returns the index keys of claims to the resource of this object: its identifier and its
// address. A claim has only the address if the provider could not identify resources then.
func (p *pass) keys() []string {
	keys := []string{p.aim.Key, annotation.Key(p.aim.ID), addressKey(p.kind, p.externalAddress)}
	if p.aim.ID == "" {
		keys = append(keys, annotation.Key(p.recorded.ID), p.externalAddress.Key())
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// addressKey returns the key that replaces the identifier of a resource if the provider cannot
// identify it: its type and its address.
func addressKey(k *resource.Kind, at annotation.Address) string {
	return strings.ToLower(k.Type) + at.Key()
}

// isSameResource reports whether marks name the resource that this object means, and whether only
// the addresses were compared.
func (p *pass) isSameResource(m annotation.State) (isSame, byAddress bool) {
	if p.aim.ID != "" && m.Target.ID != "" {
		return m.Target.Key == p.aim.Key, false
	}
	mine, other := annotation.Key(p.aim.ID), annotation.Key(m.ID)
	if mine == "" {
		mine = annotation.Key(p.recorded.ID)
	}
	if other == "" {
		other = annotation.Key(m.Target.ID)
	}
	if mine != "" && other != "" {
		return mine == other, false
	}
	key := m.Target.Key
	if !isAddress(m.Target) {
		key = addressKey(p.kind, m.Address)
	}
	return key == addressKey(p.kind, p.externalAddress), true
}

// isSame reports whether the marks of an object in a namespace claim the resource that this
// object means.
func (p *pass) isSame(ctx context.Context, namespace string, m annotation.State) (bool, error) {
	isSame, byAddress := p.isSameResource(m)
	if !isSame {
		return false, nil
	}
	if isOther, err := p.isOtherTenants(ctx, p.aim, namespace, m.Target); err != nil || isOther {
		return false, err
	}
	if !byAddress || isAddress(p.aim) == isAddress(m.Target) {
		return true, nil
	}
	return p.Credentials.AreSame(ctx, secretOf(p.key.Namespace, p.aim.Credentials), secretOf(namespace, m.Target.Credentials))
}
