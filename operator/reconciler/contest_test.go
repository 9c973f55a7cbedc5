package reconciler

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/operator/mark"
)

// TestTheEarlierClaimCounts is a table over two objects with a claim to one resource.
func TestTheEarlierClaimCounts(t *testing.T) {
	of := func(uid types.UID, made, since int64) rival {
		object := &unstructured.Unstructured{}
		object.SetUID(uid)
		object.SetCreationTimestamp(metav1.Unix(made, 0))
		return claimedBy(object, mark.Marks{Since: time.Unix(since, 0)})
	}
	for _, test := range []struct {
		reason       string
		first, other rival
	}{
		{"the earlier claim", of("z", 1, 10), of("a", 1, 11)},
		{"the earlier claim of the later object", of("z", 2, 10), of("a", 1, 11)},
		{"of claims of one time that of the earlier object", of("z", 1, 10), of("a", 2, 10)},
		{"else the smaller UID", of("a", 1, 10), of("b", 1, 10)},
		{"no claim is older than its object", of("z", 1, 3), of("a", 5, 0)},
		{"a claim that says no time is as old as its object", of("z", 1, 0), of("a", 5, 0)},
	} {
		if !test.first.before(test.other) || test.other.before(test.first) {
			t.Errorf("%s: that of %s does not count before that of %s", test.reason, test.first.object.GetUID(), test.other.object.GetUID())
		}
	}
}

// TestClaimsOfAProcess has two objects open and close claims to one resource.
func TestClaimsOfAProcess(t *testing.T) {
	c := &Claims{}
	ada, augusta := claimant{uid: "ada"}, claimant{uid: "augusta"}
	wants := func(reason string, by claimant, want types.UID, isOpen bool) {
		t.Helper()
		other := c.open("r", by)
		if (other == nil) != (want == "") || other != nil && (other.uid != want || other.isOpen != isOpen) {
			t.Errorf("%s: %s meets %+v, want %q", reason, by.uid, other, want)
		}
	}
	wants("nobody has claimed it", ada, "", false)
	wants("a later pass of the same object", ada, "", false)
	wants("a pass over the other goes on", augusta, "ada", true)
	c.close("r", "augusta", true)
	wants("no other object can end the pass", augusta, "ada", true)
	c.close("r", "ada", true)
	wants("the other one holds the claim", augusta, "ada", false)
	c.drop("r", "augusta")
	wants("no other object can drop it", augusta, "ada", false)
	c.drop("r", "ada")
	wants("it was dropped", augusta, "", false)
	c.close("r", "augusta", false)
	wants("a pass has ended without a claim", ada, "", false)
	if c.open("another", augusta) != nil {
		t.Error("a claim to one resource is in the way of another")
	}
	c.close("nothing", "ada", true)
	if c.open("nothing", augusta) != nil {
		t.Error("a pass that opened nothing has left a claim")
	}
}
