package shard

import (
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// Label is the label of a namespace whose value replaces its name in the choice of a replica. One
// replica reconciles all namespaces with the same value.
const Label = "strata.dev/shard"

// unknown is the pause before a namespace that is not in the cache yet is looked for again.
const unknown = time.Second

// namespaces knows the slots of namespaces.
type namespaces struct {
	pause time.Duration
	moved func(namespace string) // is called after the pause of a namespace that has moved
	now   func() time.Time

	mu    sync.Mutex
	known map[string]place
}

// place is the slot of a namespace, and the time before which no replica reconciles it.
type place struct {
	slot  int
	after time.Time
}

// slot returns the slot of a namespace. The caller tries again after wait, unless that is zero.
// Then the namespace is not known yet, or its label has changed.
func (n *namespaces) slot(namespace string) (slot int, wait time.Duration) {
	if namespace == "" {
		return slotOf(""), 0
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	at, is := n.known[namespace]
	if !is {
		return -1, unknown
	}
	return at.slot, max(0, at.after.Sub(n.now()))
}

// see stores the slot of a namespace.
func (n *namespaces) see(object metav1.Object) {
	name, key := object.GetName(), object.GetLabels()[Label]
	if key == "" {
		key = object.GetName()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil {
		n.known = map[string]place{}
	}
	at, is := n.known[name]
	switch slot := slotOf(key); {
	case !is:
		n.known[name] = place{slot: slot}
	case at.slot != slot:
		n.known[name] = place{slot: slot, after: n.now().Add(n.pause)}
		time.AfterFunc(n.pause, func() { n.moved(name) })
	}
}

// forget removes a namespace that was deleted.
func (n *namespaces) forget(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.known, name)
}

// Namespaces returns the handler of an informer of namespaces, which needs only their metadata.
func (s *Shards) Namespaces() cache.ResourceEventHandler {
	see := func(object any) {
		if one, ok := object.(metav1.Object); ok {
			s.namespaces.see(one)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: see, UpdateFunc: func(_, object any) { see(object) },
		DeleteFunc: func(object any) {
			if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				s.namespaces.forget(gone.Key)
			} else if one, ok := object.(metav1.Object); ok {
				s.namespaces.forget(one.GetName())
			}
		},
	}
}
