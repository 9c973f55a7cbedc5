package reconciler

import (
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/annotation"
)

// memory is what spares work. Nothing that it holds matters after a crash.
type memory struct {
	mu      sync.Mutex
	objects map[client.ObjectKey]*memo
}

// memo is of one object.
type memo struct {
	uid types.UID
	// written is the resource version of the last write.
	written string
	// marks are what the object was given to remember, for when a client replaces it and leaves out
	// what others wrote.
	marks annotation.State
	// failures are those in a row; polls those of polling, and refusals the polls that were refused.
	failures, polls, refusals int
	// answer and stored name the last answer and the status that was made of it.
	answer, stored string
	// tried is drift that applying did not end.
	tried tried
	// findings are what was found of claims of other objects.
	findings map[question]finding
	// waits is since when the object waits for claims of which nothing can be learned; zero while
	// it does not.
	waits time.Time
	// deleted is what the external API has deleted, or may have; nil for nothing.
	deleted *deletion
	// existed is when a call last said that the resource exists; zero for never.
	existed time.Time
	// missing is when a look first missed the resource of a deleted object; zero where none has.
	missing time.Time
	// failed is since when the external API reports that the last change has failed, although
	// nothing differs; zero while it does not.
	failed time.Time
	// unsure is the digest of a call whose effect is unknown.
	unsure string
	// found is when looks found resources of objects in other namespaces that hold up the deletion.
	found map[types.UID]time.Time
	// silent is when this process first learned nothing of such a resource, by object; under the
	// empty UID, of any of them.
	silent map[types.UID]time.Time
}

// deletion is the delete of an instance, and how many looks have found one with another entity tag
// since.
type deletion struct {
	instance
	// isUnsure reports whether the delete may not have taken effect: its operation is lost, or goes
	// on for too long.
	isUnsure bool
	looks    int
	last     time.Time // when the last of these looks was counted
}

// counts counts a look. Looks that follow each other at once count as one: events can cause many.
func (d *deletion) counts(at time.Time) {
	if d.looks == 0 || at.Sub(d.last) >= yielding {
		d.looks, d.last = d.looks+1, at
	}
}

// deletes remembers that the external API has deleted an instance, or may have, once. What is
// certain stays so.
func (m *memo) deletes(one instance, isUnsure bool) {
	if m.deleted == nil || m.deleted.instance != one {
		m.deleted = &deletion{instance: one, isUnsure: isUnsure}
	}
	m.deleted.isUnsure = m.deleted.isUnsure && isUnsure
}

// hasDeleted reports whether the external API has certainly deleted the resource.
func (m *memo) hasDeleted() bool { return m.deleted != nil && !m.deleted.isUnsure }

// finds remembers whether an observation found the resource of another object.
func (m *memo) finds(uid types.UID, exists bool, at time.Time) {
	delete(m.found, uid)
	if !exists {
		return
	}
	if m.found == nil {
		m.found = map[types.UID]time.Time{}
	}
	m.found[uid] = at
}

// silentSince returns since when nothing is learned of the resource of another object. Objects that
// are late share the time of the first one, so that new ones do not begin it again and again.
func (m *memo) silentSince(uid types.UID, isLate bool, at time.Time) time.Time {
	if m.silent == nil {
		m.silent = map[types.UID]time.Time{"": at}
	}
	if isLate {
		uid = ""
	}
	since, has := m.silent[uid]
	if !has {
		m.silent[uid], since = at, at
	}
	return since
}

// of is the memo of an object. It is used by one pass at a time.
func (m *memory) of(key client.ObjectKey, uid types.UID) *memo {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.objects[key]; known != nil && known.uid == uid {
		return known
	}
	if m.objects == nil {
		m.objects = map[client.ObjectKey]*memo{}
	}
	fresh := &memo{uid: uid}
	m.objects[key] = fresh
	return fresh
}

// forget forgets an object, and returns its UID.
func (m *memory) forget(key client.ObjectKey) (uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.objects[key]; known != nil {
		uid = known.uid
	}
	delete(m.objects, key)
	return uid
}

// isLate reports whether an object was read before the last write. One that was made anew since was
// not written.
func (m *memory) isLate(key client.ObjectKey, read metav1.Object) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.objects[key]
	if known == nil || known.written == "" || known.uid != read.GetUID() {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(read.GetResourceVersion(), known.written)
	return err != nil && read.GetResourceVersion() != known.written || order < 0
}
