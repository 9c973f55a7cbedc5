package reconciler

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/internal/packed"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/operator/resource"
)

// Claims stores the claims of a process, one for each object. Annotations have them too, but a
// cache shows these late. Without Claims, two objects that claim one resource at the same time
// would not find each other.
type Claims struct {
	mu   sync.Mutex
	made map[types.UID]*claimant
	of   map[string][]*claimant // by claimant.indexed
}

// claimant is an object with a claim.
type claimant struct {
	kind   *resource.Kind
	key    client.ObjectKey
	uid    types.UID
	target annotation.Target
	isOpen bool // a pass over it runs, and may be about to write the claim
}

// indexed returns the key under which a claimant is indexed.
func (c *claimant) indexed() string {
	return shortKey(strings.ToLower(c.kind.Type) + " " + c.target.Key)
}

// open registers a claim, unless an object outside passed has claimed the resource: then it
// returns that object, and registers nothing.
func (c *Claims) open(by claimant, passed map[types.UID]bool) *claimant {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := by.indexed()
	for _, other := range c.of[key] {
		if other.uid != by.uid && !passed[other.uid] {
			found := *other
			return &found
		}
	}
	if c.made == nil {
		c.made, c.of = map[types.UID]*claimant{}, map[string][]*claimant{}
	}
	c.remove(by.uid)
	by.isOpen = true
	c.made[by.uid] = &by
	c.of[key] = append(c.of[key], &by)
	return nil
}

// close ends the pass over an object, which has its claim from then on if isHeld is set, and no
// claim otherwise.
func (c *Claims) close(uid types.UID, isClaimed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := c.made[uid]; one == nil {
		return
	} else if one.isOpen = false; !isClaimed {
		c.remove(uid)
	}
}

// drop removes the claim of an object that no longer exists.
func (c *Claims) drop(uid types.UID) { c.close(uid, false) }

// has reports whether an object has a claim, or is about to write one.
func (c *Claims) has(uid types.UID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made[uid] != nil
}

// remove removes a claim. The caller must hold the lock.
func (c *Claims) remove(uid types.UID) {
	one := c.made[uid]
	if one == nil {
		return
	}
	delete(c.made, uid)
	key := one.indexed()
	rest := slices.DeleteFunc(c.of[key], func(other *claimant) bool { return other.uid == uid })
	if c.of[key] = rest; len(rest) == 0 {
		delete(c.of, key)
	}
}

// rival is an object with a claim to a resource.
type rival struct {
	object  *unstructured.Unstructured
	since   time.Time
	hasMade bool
	// made is when the operator learned that the object has created the resource, by a signed claim.
	made     time.Time
	isSigned bool
	// isShared reports whether the claim names no Secret, so that the credentials are those of the
	// operator.
	isShared bool
}

// claimedBy returns an object with the time of its claim. A claim counts as no older than its
// object.
func claimedBy(object *unstructured.Unstructured, m annotation.State) rival {
	since := m.Since
	if made := object.GetCreationTimestamp().Time; since.Before(made) {
		since = made
	}
	r := rival{object: object, since: since, hasMade: m.HasMade(), isSigned: m.Signed, isShared: m.Target.Credentials == ""}
	if m.Signed {
		r.made = m.Made
	}
	return r
}

// before reports whether the claim of one object precedes that of another. A claim that the
// operator has signed precedes one that a client may have written. An object that has made or
// adopted the resource precedes one that has only begun a create. Of two signed claims, the one of
// the later create precedes: the create has shown that no resource was left of an earlier claim,
// which a client may have put back. Otherwise the earlier claim precedes, then the object that was
// created earlier, then the smaller UID.
func (r rival) before(other rival) bool {
	if r.isSigned != other.isSigned {
		return r.isSigned
	}
	if r.hasMade != other.hasMade {
		return r.hasMade
	}
	if !r.made.Equal(other.made) {
		return r.made.After(other.made)
	}
	if !r.since.Equal(other.since) {
		return r.since.Before(other.since)
	}
	a, b := r.object.GetCreationTimestamp(), other.object.GetCreationTimestamp()
	if !a.Equal(&b) {
		return a.Before(&b)
	}
	return r.object.GetUID() < other.object.GetUID()
}

func (r rival) String() string { return name(r.object) }

func name(object *unstructured.Unstructured) string {
	return object.GetKind() + " " + strings.TrimPrefix(object.GetNamespace()+"/"+object.GetName(), "/")
}

// contest halts if another object has an earlier claim to the resource. It only records that halt
// if an observation may prove that this object has made the resource.
func (p *pass) contest(ctx context.Context) error {
	other, err := p.rival(ctx)
	switch {
	case err == nil && other != nil && p.mayProve(*other):
		p.contested = p.lost(other, nil)
		return nil
	case err != nil || other != nil:
		return p.lost(other, err)
	}
	passed := map[types.UID]bool{} // those of other tenants, and claims that do not count
	for range maxRivals {
		one := p.Claims.open(claimant{kind: p.kind, key: p.key, uid: p.object.GetUID(), target: p.aim}, passed)
		if one == nil {
			return nil
		}
		other, counts, err := p.verified(ctx, *one)
		switch {
		case err != nil || counts:
			return p.lost(other, err)
		case other == nil:
			p.Claims.drop(one.uid)
		default:
			passed[one.uid] = true
		}
	}
	return p.lost(nil, nil)
}

// mayProve reports whether an observation can prove that this object has made the resource,
// although another object has an earlier claim. That object has only begun a create. Both can
// have a claim if the cache of a new process is late.
func (p *pass) mayProve(other rival) bool {
	return !other.hasMade && (p.recorded.Signed || !other.isSigned) && p.holds() && p.recorded.ID == "" && p.recorded.Operation == nil && p.isBelieved(p.recorded.Sent)
}

// maxRivals is the maximum number of objects with claims to one identifier that are examined.
const maxRivals = 1000

// lost halts because another object has claimed the resource. The next pass is soon, since it
// only reads an index in memory and calls nothing.
func (p *pass) lost(to *rival, err error) error {
	if err != nil {
		return err
	}
	whose, objects := "another object", []string(nil)
	if to != nil {
		whose, objects = p.whose(to), []string{to.String()}
	}
	return &halt{reason: OwnedByAnother, state: stalled, after: p.lookAgain(), objects: objects, message: provider.Bounded(fmt.Sprintf(
		"%s has claimed %s before: one object can own a resource, and this one can when that one is deleted or detached", whose, p.aim.ID))}
}

// elsewhere replaces the name of an object in another namespace, which users of this object must
// not see.
const elsewhere = "an object in another namespace"

// whose returns the name of the owner of a resource for users of this object.
func (p *pass) whose(to *rival) string {
	if to.object.GetNamespace() != p.key.Namespace {
		return elsewhere
	}
	return to.String()
}

// yielding is the pause after which an object looks again whether the resource that it needs has
// been released.
const yielding = 10 * time.Second

// isOtherTenants reports whether an object in a namespace has claimed a resource of another
// tenant than the target. One identifier may name resources of several tenants. If an address
// replaces the identifiers, only the credentials show the tenant. The subscription of credentials
// does not matter for identifiers that contain one.
func (p *pass) isOtherTenants(ctx context.Context, target annotation.Target, namespace string, claimed annotation.Target) (bool, error) {
	if isOtherScope(target, claimed) {
		return true, nil
	}
	if !isAddress(target) || !isAddress(claimed) {
		return false, nil
	}
	same, err := p.Credentials.AreSame(ctx, secretOf(p.key.Namespace, target.Credentials), secretOf(namespace, claimed.Credentials))
	return !same, err
}

// isOtherScope reports whether the scopes of two targets show that they are resources of two
// tenants.
func isOtherScope(target, claimed annotation.Target) bool {
	return slices.ContainsFunc(claimed.Contradicts(target), func(name string) bool {
		return name != subscriptionScope || !provider.NamesSubscription(target.ID) || !provider.NamesSubscription(claimed.ID)
	})
}

// subscriptionScope is the name of the subscription in scopes.
const subscriptionScope = "subscription"

// isAddress reports whether a target has an address in place of an identifier, since the provider
// cannot identify it.
func isAddress(t annotation.Target) bool { return t.ID == "" && t.Key != "" }

// secretOf returns the key of a Secret in a namespace. It is empty if the name is empty, which
// means the provider's own credentials.
func secretOf(namespace, name string) client.ObjectKey {
	if name == "" {
		return client.ObjectKey{}
	}
	return client.ObjectKey{Namespace: namespace, Name: name}
}

// isApart reports whether an object certainly means a resource of another external API or tenant
// than the target. One identifier can exist in both.
func (p *pass) isApart(ctx context.Context, target annotation.Target, k *resource.Kind, object *unstructured.Unstructured) (bool, error) {
	mine, err := p.Providers.For(p.kind.Type)
	if err != nil {
		return false, nil // there is no provider, so no call of this object can change a resource of another
	}
	other, err := p.Providers.For(k.Type)
	claimed := annotation.Read(object).Target
	if err != nil || mine.Name() != other.Name() || len(target.Scope) == 0 && len(claimed.Scope) == 0 && !mine.HasConfigOf(other) {
		return true, nil
	}
	isOther := func() (bool, error) { return p.isOtherTenants(ctx, target, object.GetNamespace(), claimed) }
	if !isAddress(target) || !isAddress(claimed) || !areInTwoSecrets(target, p.key.Namespace, claimed, object.GetNamespace()) {
		return isOther()
	}
	found, err := p.examined(ctx, asTenant, object, func() (verdict, error) {
		is, err := isOther()
		return countedIf(!is), err
	})
	return found == discounted, err
}

// verified reads the object of a claim that this process has registered, and reports whether its
// claim precedes one of this object. The object is nil if it no longer claims the resource.
func (p *pass) verified(ctx context.Context, one claimant) (*rival, bool, error) {
	object := p.blank(one.kind.Hub)
	object.SetNamespace(one.key.Namespace)
	object.SetName(one.key.Name)
	isOther, isKnown, err := p.isOtherClaimant(ctx, one)
	switch {
	case err != nil:
		return nil, false, err
	case !isKnown:
		return &rival{object: object}, p.waits(rival{}), nil
	case isOther || one.isOpen:
		return &rival{object: object}, !isOther, nil
	}
	err = p.Live.Get(ctx, one.key, object)
	if client.IgnoreNotFound(err) != nil {
		return nil, false, fmt.Errorf("read %s %s: %w", one.kind.Hub.Kind, one.key, err)
	}
	m := p.Keys.Read(object)
	if err != nil || object.GetUID() != one.uid || !m.Owned {
		return nil, false, nil
	}
	if isSame, _ := p.isSameResource(m); !isSame {
		return nil, false, nil
	}
	other := claimedBy(object, m)
	if p.isBefore(other) {
		return &other, false, nil
	}
	found, err := p.counts(ctx, one.kind, object)
	waits := found == unclear && p.waits(other)
	p.isUndecided = p.isUndecided || found == unclear && !waits
	return &other, found == counted || waits, err
}

// isOtherClaimant reports whether a claimant of this process belongs to another tenant, and
// whether that is known. A pass compares at most maxLooks pairs of Secrets.
func (p *pass) isOtherClaimant(ctx context.Context, one claimant) (isOther, isKnown bool, err error) {
	if isAddress(p.aim) && isAddress(one.target) && areInTwoSecrets(p.aim, p.key.Namespace, one.target, one.key.Namespace) {
		if p.looks >= maxLooks {
			p.leftOut = true
			return false, false, nil
		}
		p.looks++
	}
	isOther, err = p.isOtherTenants(ctx, p.aim, one.key.Namespace, one.target)
	return isOther, true, err
}

// yield makes a deleted object leave the resource unchanged if another object has an earlier
// claim to it, or if only the claim of that one is to the resource that its spec means.
func (p *pass) yield(ctx context.Context) error {
	other, err := p.rival(ctx)
	if err == nil && other == nil {
		other, err = p.meant(ctx)
	}
	if err != nil || other == nil {
		return err
	}
	p.left = fmt.Sprintf("%s is the resource of %s, and is left alone", p.aim.ID, p.whose(other))
	p.log.Info("the resource belongs to another object", "id", p.aim.ID, "object", other.String())
	return nil
}

// indexed returns the objects of a kind, in all namespaces, that an index has under an identifier.
// It returns none for a kind without a cache.
func (r *Reconciler) indexed(ctx context.Context, k *resource.Kind, index, id string) (iter.Seq[*unstructured.Unstructured], error) {
	if id == "" || !r.Cached(k) {
		return func(func(*unstructured.Unstructured) bool) {}, nil
	}
	return r.listed(ctx, k, client.MatchingFields{index: shortKey(id)})
}

// listed returns the objects of a kind in the cache. They are decoded one after the other, since
// there can be many. Nobody may change them.
func (r *Reconciler) listed(ctx context.Context, k *resource.Kind, of ...client.ListOption) (iter.Seq[*unstructured.Unstructured], error) {
	items, err := r.cached(ctx, k, of)
	return func(yield func(*unstructured.Unstructured) bool) {
		for _, item := range items {
			if u := packed.Of(item); u != nil && !yield(u) {
				return
			}
		}
	}, err
}

// cached returns the objects of a kind in the cache, as it stores them. Nobody may change them.
func (r *Reconciler) cached(ctx context.Context, k *resource.Kind, of []client.ListOption) ([]runtime.Object, error) {
	list := packed.ListOf(k.Hub)
	if err := r.Client.List(ctx, list, append(of, client.UnsafeDisableDeepCopy)...); err != nil {
		return nil, fmt.Errorf("look for objects of kind %s: %w", k.Hub.Kind, err)
	}
	return list.Items, nil
}
