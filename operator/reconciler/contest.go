package reconciler

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/operator/resource"
)

// Claims are the claims that a process has made, one of each object. They stand in annotations as
// well, but a cache shows those late: of two objects that claim one resource at the same time, both
// would find none.
type Claims struct {
	mu   sync.Mutex
	made map[types.UID]*claimant
	of   map[string][]*claimant // by type and key
}

// claimant is an object with a claim.
type claimant struct {
	kind   *resource.Kind
	key    client.ObjectKey
	uid    types.UID
	target annotation.Target
	isOpen bool // a pass over it goes on, and may be about to write the claim
}

// indexed is what a claimant is found by.
func (c *claimant) indexed() string { return strings.ToLower(c.kind.Type) + " " + c.target.Key }

// open claims a resource, unless another object has that is none of the passed ones: then it
// returns that one.
func (c *Claims) open(by claimant, passed map[types.UID]bool) *claimant {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, other := range c.of[by.indexed()] {
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
	c.of[by.indexed()] = append(c.of[by.indexed()], &by)
	return nil
}

// close ends a pass over an object, which has its claim from now on, or has it not.
func (c *Claims) close(uid types.UID, isHeld bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := c.made[uid]; one == nil {
		return
	} else if one.isOpen = false; !isHeld {
		c.remove(uid)
	}
}

// drop forgets the claim of an object that is gone.
func (c *Claims) drop(uid types.UID) { c.close(uid, false) }

// has reports whether an object has a claim, or is about to write one.
func (c *Claims) has(uid types.UID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made[uid] != nil
}

// remove removes a claim. The caller holds the lock.
func (c *Claims) remove(uid types.UID) {
	one := c.made[uid]
	if one == nil {
		return
	}
	delete(c.made, uid)
	rest := slices.DeleteFunc(c.of[one.indexed()], func(other *claimant) bool { return other.uid == uid })
	if c.of[one.indexed()] = rest; len(rest) == 0 {
		delete(c.of, one.indexed())
	}
}

// rival is an object with a claim to a resource.
type rival struct {
	object  *unstructured.Unstructured
	since   time.Time
	hasMade bool
}

// claimedBy returns an object with the age of its claim. A claim counts as no older than its
// object.
func claimedBy(object *unstructured.Unstructured, m annotation.State) rival {
	since := m.Since
	if made := object.GetCreationTimestamp().Time; since.Before(made) {
		since = made
	}
	return rival{object, since, m.HasMade()}
}

// before reports whether the claim of one object counts before that of another: that of an object
// which has made or adopted the resource before a create that was only begun, else the earlier
// claim, else that of the object that was made earlier, else the one with the smaller UID.
func (r rival) before(other rival) bool {
	if r.hasMade != other.hasMade {
		return r.hasMade
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

// contest has the object go on only if no other one has claimed its resource before.
func (p *pass) contest(ctx context.Context) error {
	other, err := p.rival(ctx)
	switch {
	case err == nil && other != nil && p.mayProve(*other):
		p.contested = p.lost(other, nil)
		return nil
	case err != nil || other != nil:
		return p.lost(other, err)
	}
	passed := map[types.UID]bool{} // of other tenants, and claims that do not count
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
// although the claim of another one is earlier, which has only begun a create. Both can have a
// claim if the cache of a new process is late.
func (p *pass) mayProve(other rival) bool {
	return !other.hasMade && p.holds() && p.marks.ID == "" && p.marks.Operation == nil && p.isBelieved(p.marks.Sent)
}

// maxRivals is how many objects with claims to one identifier are looked at.
const maxRivals = 1000

// lost halts for another object. It is looked for again soon: that is an index in memory, and
// nothing is called for it.
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

// elsewhere is what an object of another namespace is called: its name is not for the users of this
// one.
const elsewhere = "an object in another namespace"

// whose is what the owner of a resource is called for the users of this object.
func (p *pass) whose(to *rival) string {
	if to.object.GetNamespace() != p.key.Namespace {
		return elsewhere
	}
	return to.String()
}

// yielding is how often an object looks whether the resource that it wants has been let go.
const yielding = 10 * time.Second

// isOtherTenants reports whether the claim of an object in a namespace is to a resource of another
// tenant than the target is: under one identifier, each tenant sees resources of its own. Where a
// place stands for the resource, nothing names the tenant but the credentials. The subscription of
// credentials says nothing of a resource whose identifier names one.
func (p *pass) isOtherTenants(ctx context.Context, target annotation.Target, namespace string, claimed annotation.Target) (bool, error) {
	if isOtherScope(target, claimed) {
		return true, nil
	}
	if !isPlace(target) || !isPlace(claimed) {
		return false, nil
	}
	same, err := p.Credentials.AreSame(ctx, secretOf(p.key.Namespace, target.Credentials), secretOf(namespace, claimed.Credentials))
	return !same, err
}

// isOtherScope reports whether the scopes of two targets say that they are resources of two
// tenants.
func isOtherScope(target, claimed annotation.Target) bool {
	return slices.ContainsFunc(claimed.Contradicts(target), func(name string) bool {
		return name != subscriptionScope || !provider.NamesSubscription(target.ID) || !provider.NamesSubscription(claimed.ID)
	})
}

// subscriptionScope is the name of the subscription in scopes.
const subscriptionScope = "subscription"

// isPlace reports whether a place stands for the resource, since the provider cannot identify it.
func isPlace(t annotation.Target) bool { return t.ID == "" && t.Key != "" }

// secretOf is the Secret of a name in a namespace; empty where there is no name, which means the
// provider's own credentials.
func secretOf(namespace, name string) client.ObjectKey {
	if name == "" {
		return client.ObjectKey{}
	}
	return client.ObjectKey{Namespace: namespace, Name: name}
}

// isApart reports whether an object of a kind certainly means a resource of another external API,
// or of another tenant, than the target is. The same identifier can be in both.
func (p *pass) isApart(ctx context.Context, target annotation.Target, k *resource.Kind, object *unstructured.Unstructured) (bool, error) {
	mine, err := p.Providers.For(p.kind.Type)
	if err != nil {
		return false, nil // nothing can be called for this object, and so nothing of another one can be changed
	}
	other, err := p.Providers.For(k.Type)
	claimed := annotation.Read(object).Target
	if err != nil || mine.Name() != other.Name() || len(target.Scope) == 0 && len(claimed.Scope) == 0 && !mine.HasConfigOf(other) {
		return true, nil
	}
	isOther := func() (bool, error) { return p.isOtherTenants(ctx, target, object.GetNamespace(), claimed) }
	if !isPlace(target) || !isPlace(claimed) || !areInTwoSecrets(target, p.key.Namespace, claimed, object.GetNamespace()) {
		return isOther()
	}
	found, err := p.examined(ctx, asTenant, object, func() (verdict, error) {
		is, err := isOther()
		return countedIf(!is), err
	})
	return found == discounted, err
}

// verified reads an object that this process has seen claim a resource, and reports whether its
// claim counts before one of this object. The object is nil if it claims the resource no more.
func (p *pass) verified(ctx context.Context, one claimant) (*rival, bool, error) {
	object := p.blank(one.kind.Hub)
	object.SetNamespace(one.key.Namespace)
	object.SetName(one.key.Name)
	isOther, isKnown, err := p.isOtherClaimant(ctx, one)
	switch {
	case err != nil:
		return nil, false, err
	case !isKnown:
		return &rival{object: object}, p.waits(), nil
	case isOther || one.isOpen:
		return &rival{object: object}, !isOther, nil
	}
	err = p.Live.Get(ctx, one.key, object)
	if client.IgnoreNotFound(err) != nil {
		return nil, false, fmt.Errorf("read %s %s: %w", one.kind.Hub.Kind, one.key, err)
	}
	m := annotation.Read(object)
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
	return &other, found == counted || found == unclear && p.waits(), err
}

// isOtherClaimant reports whether an object that this process has seen claim a resource is of
// another tenant, and whether that is known: a pass compares as many Secrets as it makes looks.
func (p *pass) isOtherClaimant(ctx context.Context, one claimant) (isOther, isKnown bool, err error) {
	if isPlace(p.aim) && isPlace(one.target) && areInTwoSecrets(p.aim, p.key.Namespace, one.target, one.key.Namespace) {
		if p.looks >= maxLooks {
			p.leftOut = true
			return false, false, nil
		}
		p.looks++
	}
	isOther, err = p.isOtherTenants(ctx, p.aim, one.key.Namespace, one.target)
	return isOther, true, err
}

// yield has a deleted object leave the resource alone that another one has claimed before.
func (p *pass) yield(ctx context.Context) error {
	other, err := p.rival(ctx)
	if err != nil || other == nil {
		return err
	}
	p.left = fmt.Sprintf("%s is the resource of %s, and is left alone", p.aim.ID, p.whose(other))
	p.log.Info("the resource belongs to another object", "id", p.aim.ID, "object", other.String())
	return nil
}

// indexed are the objects of a kind, in all namespaces, that an index has under a value. A kind
// without a cache has none.
func (r *Reconciler) indexed(ctx context.Context, k *resource.Kind, index, value string) ([]unstructured.Unstructured, error) {
	if value == "" || !r.Cached(k) {
		return nil, nil
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(k.Hub.GroupVersion().WithKind(k.Hub.Kind + "List"))
	if err := r.Client.List(ctx, list, client.MatchingFields{index: value}, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("look for objects of kind %s: %w", k.Hub.Kind, err)
	}
	return list.Items, nil
}
