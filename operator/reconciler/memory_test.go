package reconciler

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/annotation"
)

// TestLateObjects is a table over the states of a written object in a cache.
func TestLateObjects(t *testing.T) {
	key := client.ObjectKey{Name: "ada"}
	for _, test := range []struct {
		reason        string
		written, read string
		uid           types.UID
		want          bool
	}{
		{"an older one", "10", "9", "u", true},
		{"what was written", "10", "10", "u", false},
		{"a newer one", "10", "11", "u", false},
		{"nothing was written", "", "9", "u", false},
		{"it was made anew", "10", "9", "v", false},
		{"versions that nobody can compare", "b", "a", "u", true},
		{"the same one of those", "b", "b", "u", false},
	} {
		m := &memory{}
		read := &metav1.ObjectMeta{UID: "u", ResourceVersion: test.read}
		if m.isLate(key, read) {
			t.Errorf("%s: what nobody knows is late", test.reason)
		}
		m.of(key, "u").written = test.written
		read.UID = test.uid
		if got := m.isLate(key, read); got != test.want {
			t.Errorf("%s is late: %t", test.reason, got)
		}
	}
}

// TestMemoryIsOfOneObject replaces an object by another one of the same name.
func TestMemoryIsOfOneObject(t *testing.T) {
	m, key := &memory{}, client.ObjectKey{Name: "ada"}
	if uid := m.forget(key); uid != "" {
		t.Errorf("no object is remembered as %q", uid)
	}
	m.of(key, "u").recorded = annotation.State{Owned: true, ID: "/A"}
	m.of(key, "u").failures = 3
	if m.of(key, "u").failures != 3 {
		t.Error("what is known of an object is forgotten")
	}
	if fresh := m.of(key, "v"); fresh.failures != 0 || fresh.recorded.Owned {
		t.Errorf("another object is remembered as %+v", fresh)
	}
	m.of(key, "v").recorded = annotation.State{Owned: true, ID: "/B"}
	if uid := m.forget(key); uid != "v" {
		t.Errorf("%q is forgotten", uid)
	}
	if uid := m.forget(key); uid != "" {
		t.Errorf("what is forgotten is %q", uid)
	}
}
