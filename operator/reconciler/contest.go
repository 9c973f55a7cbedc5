package reconciler

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/kind"
	"github.com/stratakube/strata/operator/mark"
	"github.com/stratakube/strata/operator/outside"
)

// Claims are the claims that a process has made, by what resources are indexed by. They stand in annotations as well, but a
// cache shows those late: of two objects that claim one resource at the same time, both would find none.
type Claims struct {
	mu   sync.Mutex
	made map[string]claimant
}

// claimant is an object with a claim.
type claimant struct {
	kind   *kind.Kind
	key    client.ObjectKey
	uid    types.UID
	isOpen bool // a pass over it goes on, and may be about to write the claim
}

// open claims a resource, unless another object has: then it returns that one.
func (c *Claims) open(key string, by claimant) *claimant {
	c.mu.Lock()
	defer c.mu.Unlock()
	if other, has := c.made[key]; has && other.uid != by.uid {
		return &other
	}
	if c.made == nil {
		c.made = map[string]claimant{}
	}
	by.isOpen = true
	c.made[key] = by
	return nil
}

// close ends a pass over an object, which has the claim from now on, or has it not.
func (c *Claims) close(key string, uid types.UID, isHeld bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one, has := c.made[key]; !has || one.uid != uid {
		return
	} else if one.isOpen = false; isHeld {
		c.made[key] = one
		return
	}
	delete(c.made, key)
}

// drop forgets the claim of an object that is gone.
func (c *Claims) drop(key string, uid types.UID) { c.close(key, uid, false) }

// rival is an object with a claim to a resource.
type rival struct {
	object *unstructured.Unstructured
	since  time.Time
}

// claimedBy is an object with what its marks say. No claim is older than its object: whoever may annotate an object cannot
// come before those that were there.
func claimedBy(object *unstructured.Unstructured, m mark.Marks) rival {
	since := m.Since
	if made := object.GetCreationTimestamp().Time; since.Before(made) {
		since = made
	}
	return rival{object, since}
}

// before reports whether the claim of one object counts before that of another: the earlier claim, else that of the object
// that was made earlier, else the one with the smaller UID.
func (r rival) before(other rival) bool {
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
	if err != nil || other != nil {
		return p.lost(other, err)
	}
	for range 2 {
		one := p.Claims.open(p.aim.Key, claimant{kind: p.kind, key: p.key, uid: p.object.GetUID()})
		if one == nil {
			return nil
		}
		other, err := p.verified(ctx, *one)
		if err != nil || other != nil {
			return p.lost(other, err)
		}
		p.Claims.drop(p.aim.Key, one.uid)
	}
	return p.lost(nil, nil)
}

// lost halts for another object. It is looked for again soon: that is an index in memory, and nothing is called for it.
func (p *pass) lost(to *rival, err error) error {
	if err != nil {
		return err
	}
	whose := "another object"
	if to != nil {
		whose = to.String()
	}
	return &halt{reason: OwnedByAnother, state: stalled, after: yielding, message: outside.Bounded(fmt.Sprintf(
		"%s has claimed %s before: one object can own a resource, and this one can when that one is deleted or detached", whose, p.aim.ID))}
}

// yielding is how often an object looks whether the resource that it wants has been let go.
const yielding = 10 * time.Second

// rival is the object whose claim to the same resource counts before that of this object; nil if there is none.
func (p *pass) rival(ctx context.Context) (*rival, error) {
	var first *rival
	for _, k := range p.Kinds.OfType(p.kind.Type) {
		list, err := p.indexed(ctx, k, ByIdentity, p.aim.Key)
		if err != nil {
			return nil, err
		}
		for i := range list {
			m := mark.Read(&list[i])
			one := claimedBy(&list[i], m)
			if list[i].GetUID() != p.object.GetUID() && m.Held && p.isSame(m) && (first == nil || one.before(*first)) {
				first = &one
			}
		}
	}
	if first == nil || p.marks.Held && p.marks.Key() == p.aim.Key && claimedBy(p.object, p.marks).before(*first) {
		return nil, nil
	}
	return first, nil
}

// isSame reports whether marks claim the resource that the object is about. Under one identifier, credentials of another
// tenant see another resource.
func (p *pass) isSame(m mark.Marks) bool {
	return m.Key() == p.aim.Key && len(m.Target.Contradicts(p.aim)) == 0
}

// verified reads an object that this process has seen claim a resource; nil if it claims it no more.
func (p *pass) verified(ctx context.Context, one claimant) (*rival, error) {
	object := p.blank(one.kind.Hub)
	if one.isOpen {
		object.SetNamespace(one.key.Namespace)
		object.SetName(one.key.Name)
		return &rival{object: object}, nil
	}
	err := p.Live.Get(ctx, one.key, object)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("read %s %s: %w", one.kind.Hub.Kind, one.key, err)
	}
	m := mark.Read(object)
	if err != nil || object.GetUID() != one.uid || !m.Held || !p.isSame(m) {
		return nil, nil
	}
	other := claimedBy(object, m)
	return &other, nil
}

// yield has a deleted object leave the resource alone that another one has claimed before.
func (p *pass) yield(ctx context.Context) error {
	other, err := p.rival(ctx)
	if err != nil || other == nil {
		return err
	}
	p.left = fmt.Sprintf("%s is the resource of %s, and is left alone", p.aim.ID, other)
	return nil
}

// indexed are the objects of a kind, in all namespaces, that an index has under a value. A kind without a cache has none.
func (r *Reconciler) indexed(ctx context.Context, k *kind.Kind, index, value string) ([]unstructured.Unstructured, error) {
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
