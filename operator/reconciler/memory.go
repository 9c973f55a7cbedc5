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

// memory stores what this process knows about objects. It is not needed after a crash.
type memory struct {
	mu      sync.Mutex
	objects map[client.ObjectKey]*memo
}

// memo is the memory of one object.
type memo struct {
	uid types.UID
	// written is the resource version of the last write.
	written string
	// recorded is the state of the object. It is needed if a client replaces the object and omits
	// the annotations of the operator.
	recorded annotation.State
	// failures are those in a row; polls those of polling, and refusals the polls that were refused.
	failures, polls, refusals int
	// polled is when the operation that runs began, or last answered a poll of this process.
	polled time.Time
	// answer and stored name the last answer and the status that was made of it.
	answer, stored string
	// tried stores the differences that a correction did not remove.
	tried tried
	// findings stores the results of examining claims of other objects.
	findings map[question]finding
	// waits is when the object began to wait for claims about which nothing can be learned; zero
	// if it does not wait.
	waits time.Time
	// deleted is the resource that the external API has deleted, or may have deleted; nil if
	// there is none.
	deleted *deletion
	// existed is when a call last showed that the resource exists; zero if none has.
	existed time.Time
	// missing is when an observation first missed the resource of a deleted object; zero if none
	// has.
	missing time.Time
	// failed is when the external API began to report that the last change has failed although
	// nothing differs; zero if it does not.
	failed time.Time
	// unsure is the digest of a change whose effect is unknown. isAnother reports whether an earlier
	// change could still take effect when it was sent: nothing shows then which of them did.
	unsure    string
	isAnother bool
	// found is when observations last found the resources of objects in other namespaces that
	// hold up the deletion.
	found map[types.UID]time.Time
	// silent is when this process first learned nothing about such a resource, by the UID of the
	// object. Objects that were created after the deletion began share the empty UID.
	silent map[types.UID]time.Time
}

// deletion records the delete of an instance, and how many observations since have found one with
// another entity tag.
type deletion struct {
	instance
	// isUnsure reports whether the delete may have had no effect, because its operation is lost
	// or runs for too long.
	isUnsure bool
	looks    int
	last     time.Time // when the last of these was counted
}

// counts counts an observation. Observations less than yielding apart count as one, since events
// can cause many.
func (d *deletion) counts(at time.Time) {
	if d.looks == 0 || at.Sub(d.last) >= yielding {
		d.looks, d.last = d.looks+1, at
	}
}

// deletes records that the external API has deleted an instance, or may have. A certain deletion
// remains certain.
func (m *memo) deletes(one instance, isUnsure bool) {
	if m.deleted == nil || m.deleted.instance != one {
		m.deleted = &deletion{instance: one, isUnsure: isUnsure}
	}
	m.deleted.isUnsure = m.deleted.isUnsure && isUnsure
}

// hasDeleted reports whether the external API has certainly deleted the resource.
func (m *memo) hasDeleted() bool { return m.deleted != nil && !m.deleted.isUnsure }

// finds records whether an observation found the resource of another object.
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

// silentSince returns when this process first learned nothing about the resource of another
// object. Late objects share one time, so that new ones do not restart it again and again.
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

// of returns the memo of an object, which only one pass at a time uses.
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

// forget removes the memo of an object, and returns its UID; empty if there was none.
func (m *memory) forget(key client.ObjectKey) (uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.objects[key]; known != nil {
		uid = known.uid
	}
	delete(m.objects, key)
	return uid
}

// forgetIn removes the memos of the objects in namespaces, and returns their UIDs.
func (m *memory) forgetIn(is func(namespace string) bool) (uids []types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, known := range m.objects {
		if is(key.Namespace) {
			uids = append(uids, known.uid)
			delete(m.objects, key)
		}
	}
	return uids
}

// isLate reports whether an object was read before the last write of this process. It returns
// false for a new object with the same name, which this process has not written.
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
