package chaos_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/e2e/fixtures"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// contests are objects whose resources other clients create at the same time, or whose rights
// disappear. In each round there are
//
//   - contend-N, whose resource another client creates as well: before the operator, within the
//     next five seconds, or from the operator's first PUT on;
//   - tenant-d-N, in a namespace whose Secret with credentials is missing every other round;
//   - ending-N, in a namespace of its own with credentials, which is deleted in the next round with
//     its Secret and its object.
//
// In each round, the references of notes to their owners name a version of another release.
type contests struct {
	*strangers
	running sync.WaitGroup
	mu      sync.Mutex
	others  map[int]armsim.Resource // by round: what another client was the first to create
	makers  map[string]bool         // by name: whether another client was the first whose PUT was taken
	called  map[string]bool         // whether the operator has sent a PUT
}

// The times at which another client begins to create a resource.
const (
	atOnce = iota
	soonAfter
	afterTheOperator
	beginnings // how many there are
)

const (
	tenantD    = "tenant-d"
	contending = "contend-"
	ending     = "ending-"
	staleOwner = fixtures.Group + "/v20110101"
)

var namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// comeContests makes the namespace whose Secret disappears.
func (t *strangers) comeContests() {
	t.Helper()
	t.contests = &contests{strangers: t, others: map[int]armsim.Resource{}, makers: map[string]bool{}, called: map[string]bool{}}
	t.namespace(tenantD)
}

func (t *strangers) namespace(name string) {
	t.Helper()
	t.create(namespaces, "", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}})
}

// round makes the objects of a round.
func (c *contests) round(n int) {
	c.Helper()
	if n%2 == 0 {
		c.credentials(tenantD, "d")
	} else {
		c.removesSecret(tenantD)
		c.happened["credentials that disappeared"]++
	}
	c.person(tenantD, fmt.Sprintf("%s-%d", tenantD, n), fmt.Sprintf("%s-%d", tenantD, n), false)

	name := fmt.Sprint(contending, n)
	begins, after := c.random.IntN(beginnings), time.Duration(c.random.Int64N(int64(5*time.Second)))
	c.running.Go(func() {
		switch begins {
		case soonAfter:
			time.Sleep(after)
		case afterTheOperator:
			c.awaitsCall(name)
		}
		c.contends(n, env.Parent+persons+name)
	})
	c.person(home, name, name, false)

	c.namespace(fmt.Sprint(ending, n))
	c.credentials(fmt.Sprint(ending, n), "e")
	c.person(fmt.Sprint(ending, n), fmt.Sprint(ending, n), fmt.Sprint(ending, n), false)
	if n > 0 {
		c.endsNamespace(fmt.Sprint(ending, n-1))
		c.ages(c.crowds[n-1])
	}
}

func (t *strangers) removesSecret(namespace string) {
	t.Helper()
	t.removes(schema.GroupVersionResource{Version: "v1", Resource: "secrets"}, namespace, "strata-credentials")
}

func (t *strangers) removes(of schema.GroupVersionResource, namespace, name string) {
	t.Helper()
	err := fixtures.Insist(t.Context(), func() error {
		return t.client.Resource(of).Namespace(namespace).Delete(t.Context(), name, metav1.DeleteOptions{})
	})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
}

// reads remembers who was the first whose PUT for a resource that is contended was taken.
func (c *contests) reads(call armsim.Call) {
	name := last(call.Path)
	if call.Method != http.MethodPut || !strings.HasPrefix(name, contending) || !strings.HasPrefix(call.Path, env.Parent+"/") {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	isOthers := call.Headers[requestID] == stormsID
	if c.called[name] = c.called[name] || !isOthers; !call.Committed {
		return
	}
	if _, is := c.makers[name]; !is {
		c.makers[name] = isOthers
	}
}

// awaitsCall waits until the operator has sent a PUT, whatever its answer.
func (c *contests) awaitsCall(name string) {
	for began := time.Now(); time.Since(began) < *patience && c.Context().Err() == nil; time.Sleep(50 * time.Millisecond) {
		c.mu.Lock()
		is := c.called[name]
		c.mu.Unlock()
		if is {
			return
		}
	}
}

// contends calls the external API as another client until the resource is there, and records it if
// this client has made it.
func (c *contests) contends(n int, id string) {
	for began := time.Now(); time.Since(began) < *patience && c.Context().Err() == nil; time.Sleep(10 * time.Millisecond) {
		status := c.creates(id)
		if made, is := c.isMade(id, "Easley"); is {
			c.mu.Lock()
			c.others[n] = made
			c.mu.Unlock()
			return
		}
		if _, is := c.isMade(id, "Jackson"); is && status == http.StatusPreconditionFailed {
			return
		}
	}
}

// endsNamespace deletes a namespace, and then what is in it, as the controller of namespaces does.
func (c *contests) endsNamespace(name string) {
	c.Helper()
	c.removes(namespaces, "", name)
	c.removesSecret(name)
	c.removes(people, name, name)
	c.happened["namespaces that were deleted"]++
}

// ages has the references of notes to their owners name another version, as an operator of another
// release has written them.
func (c *contests) ages(set *fixtures.Set) {
	c.Helper()
	patch := fmt.Sprintf(`[{"op":"test","path":"/metadata/ownerReferences/0/kind","value":"Person"},{"op":"replace","path":"/metadata/ownerReferences/0/apiVersion","value":%q}]`, staleOwner)
	for _, m := range set.Members {
		if m.Kind.Name != "PersonsNote" {
			continue
		}
		err := fixtures.Insist(c.Context(), func() error {
			_, err := c.of(set, m).Patch(c.Context(), m.Name, types.JSONPatchType, []byte(patch), metav1.PatchOptions{})
			return err
		})
		switch {
		case err == nil:
			c.happened["owner references of another version"]++
		case !apierrors.IsInvalid(err) && !apierrors.IsNotFound(err): // it has none yet, or is deleted
			c.Fatal(err)
		}
	}
}

// calm waits until each object has its expected state, and deletes those that contend.
func (c *contests) calm() {
	c.Helper()
	c.credentials(tenantD, "d")
	c.running.Wait()
	c.truth.reads()
	c.endsNamespace(fmt.Sprint(ending, rounds()-1))
	for n := range rounds() {
		c.comesTo(people, tenantD, fmt.Sprintf("%s-%d", tenantD, n), "True")
		c.decides(n)
		c.comesTo(people, fmt.Sprint(ending, n), fmt.Sprint(ending, n), "")
	}
	for _, set := range c.crowds {
		for _, m := range set.Members {
			if m.Kind.Name == "PersonsNote" {
				c.isHealed(set, m)
			}
		}
	}
}

// decides fails the test unless the object that contends is Ready with its own resource, or leaves
// that of the other client. Then it deletes the object.
func (c *contests) decides(n int) {
	c.Helper()
	name := fmt.Sprint(contending, n)
	c.mu.Lock()
	isOthers, is := c.makers[name]
	r, isThere := c.others[n]
	c.mu.Unlock()
	switch {
	case !is:
		c.Errorf("the resource of %s was never made", name)
	case isOthers != isThere:
		c.changed++
		c.Errorf("another client made the resource of %s: %t; and it is there: %t", name, isOthers, isThere)
	}
	if isOthers {
		c.foreign[r.ID] = r
		c.comesTo(people, home, name, "Exists")
		c.detaches(name)
		c.happened["resources that another client was the first to create"]++
	} else {
		c.comesTo(people, home, name, "True")
		c.happened["resources that the operator was the first to create"]++
	}
	c.deletes(people, name)
	c.comesTo(people, home, name, "")
}

// detaches lets go of the resource: after a create without an answer, only a user can decide.
func (c *contests) detaches(name string) {
	c.Helper()
	err := fixtures.Insist(c.Context(), func() error {
		_, err := c.client.Resource(people).Namespace(home).Patch(c.Context(), name, types.MergePatchType,
			[]byte(`{"metadata":{"annotations":{"strata.dev/reconcile-policy":"detach-on-delete"}}}`), metav1.PatchOptions{})
		return err
	})
	if err != nil {
		c.Fatal(err)
	}
}

func (c *contests) isHealed(set *fixtures.Set, m fixtures.Member) {
	c.Helper()
	shared.Eventually(c.T, *patience, m.Name, func() error {
		c.mends()
		object, err := c.of(set, m).Get(c.Context(), m.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if owners := object.GetOwnerReferences(); len(owners) != 1 || owners[0].APIVersion == staleOwner {
			return fmt.Errorf("its owners are %+v", owners)
		}
		return nil
	})
}

// areDone fails the test if a resource of these objects was created twice, or remains without a
// warning. It returns the resources that are none of these.
func (c *contests) areDone(resources []armsim.Resource) (rest []armsim.Resource) {
	c.Helper()
	warned := c.warnings()
	for _, r := range resources {
		_, isForeign := c.foreign[r.ID]
		switch name := last(r.ID); {
		case isForeign:
			rest = append(rest, r)
		case strings.HasPrefix(name, tenantD):
			if r.Creates != 1 {
				c.Errorf("%s was created %d times", r.ID, r.Creates)
			}
		case strings.HasPrefix(name, contending):
			c.orphaned++
			c.Errorf("%s is left in the external API, and no object has it", r.ID)
		case strings.HasPrefix(name, ending):
			if !slices.ContainsFunc(warned, func(message string) bool { return strings.Contains(message, name) }) {
				c.orphaned++
				c.Errorf("%s is left in the external API, its namespace is deleted, and no event warns: %q", r.ID, warned)
			}
			c.happened["resources left with a warning, since no process knew the credentials of the namespace"]++
		default:
			rest = append(rest, r)
		}
	}
	return rest
}

// warnings returns the messages of the events NotDeleted about namespaces.
func (c *contests) warnings() (all []string) {
	c.Helper()
	list, err := c.client.Resource(schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}).Namespace(metav1.NamespaceDefault).List(c.Context(), metav1.ListOptions{})
	if err != nil {
		c.Fatal(err)
	}
	for i := range list.Items {
		if reason, _, _ := unstructured.NestedString(list.Items[i].Object, "reason"); reason == "NotDeleted" {
			note, _, _ := unstructured.NestedString(list.Items[i].Object, "note")
			regarding, _, _ := unstructured.NestedString(list.Items[i].Object, "regarding", "name")
			all = append(all, regarding+": "+note)
		}
	}
	return all
}
