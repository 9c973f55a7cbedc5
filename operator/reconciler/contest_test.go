package reconciler

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/resource"
)

// TestEarlierClaimCounts is a table over two objects with a claim to one resource.
func TestEarlierClaimCounts(t *testing.T) {
	of := func(uid types.UID, made, since int64) rival {
		object := &unstructured.Unstructured{}
		object.SetUID(uid)
		object.SetCreationTimestamp(metav1.Unix(made, 0))
		return claimedBy(object, annotation.State{Since: time.Unix(since, 0)})
	}
	made := func(r rival) rival { r.hasMade = true; return r }
	for _, test := range []struct {
		reason       string
		first, other rival
	}{
		{"the earlier claim", of("z", 1, 10), of("a", 1, 11)},
		{"the earlier claim of the later object", of("z", 2, 10), of("a", 1, 11)},
		{"of claims of one time that of the earlier object", of("z", 1, 10), of("a", 2, 10)},
		{"else the smaller UID", of("a", 1, 10), of("b", 1, 10)},
		{"the claim of the maker before an earlier one", made(of("z", 2, 11)), of("a", 1, 10)},
		{"of two that have made it the earlier claim", made(of("z", 2, 10)), made(of("a", 1, 11))},
		{"no claim is older than its object", of("z", 1, 3), of("a", 5, 0)},
		{"a claim that says no time is as old as its object", of("z", 1, 0), of("a", 5, 0)},
	} {
		if !test.first.before(test.other) || test.other.before(test.first) {
			t.Errorf("%s: that of %s does not count before that of %s", test.reason, test.first.object.GetUID(), test.other.object.GetUID())
		}
	}
}

// TestClaimsOfProcess opens and closes claims of two objects to one resource.
func TestClaimsOfProcess(t *testing.T) {
	c, person := &Claims{}, &resource.Kind{Type: "Microsoft.Crm/persons"}
	of := func(uid types.UID, key string) claimant {
		return claimant{kind: person, uid: uid, target: annotation.Target{Key: key}}
	}
	ada, augusta := of("ada", "r"), of("augusta", "r")
	wants := func(reason string, by claimant, want types.UID, isOpen bool) {
		t.Helper()
		other := c.open(by, nil)
		if (other == nil) != (want == "") || other != nil && (other.uid != want || other.isOpen != isOpen) {
			t.Errorf("%s: %s meets %+v, want %q", reason, by.uid, other, want)
		}
	}
	wants("nobody has claimed it", ada, "", false)
	wants("a later pass of the same object", ada, "", false)
	wants("a pass over the other goes on", augusta, "ada", true)
	c.close("augusta", true)
	wants("no other object can end the pass", augusta, "ada", true)
	c.close("ada", true)
	wants("the other one holds the claim", augusta, "ada", false)
	if !c.has("ada") || c.has("augusta") {
		t.Error("the claim is not that of the first object")
	}
	c.drop("augusta")
	wants("no other object can drop it", augusta, "ada", false)
	c.drop("ada")
	wants("it was dropped", augusta, "", false)
	c.close("augusta", false)
	wants("a pass has ended without a claim", ada, "", false)
	if c.open(of("augusta", "another"), nil) != nil {
		t.Error("a claim to one resource is in the way of another")
	}
	if other := of("charles", "r"); c.open(claimant{kind: &resource.Kind{Type: "Other.Crm/persons"}, uid: other.uid, target: other.target}, nil) != nil {
		t.Error("a claim is in the way of one to a resource of another type")
	}
	if c.open(of("eve", "r"), map[types.UID]bool{"ada": true}) != nil {
		t.Error("a claim that was passed over is in the way")
	}
	c.drop("eve")
	c.close("nobody", true)
	if c.has("nobody") {
		t.Error("a pass that opened nothing has left a claim")
	}
	wants("the object claims another resource", of("ada", "else"), "", false)
	wants("and has let go of the first one", of("augusta", "r"), "", false)
}
