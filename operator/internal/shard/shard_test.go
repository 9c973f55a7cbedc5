package shard

import (
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// named returns the names of n replicas.
func named(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("replica-%d", i))
	}
	return all
}

// TestAssignment gives each slot to one replica, spreads them evenly, and depends on no order.
func TestAssignment(t *testing.T) {
	if got := assign(nil); got != nil {
		t.Errorf("without replicas the slots belong to %v", got)
	}
	for n := 1; n <= Slots+4; n++ {
		members, has := named(n), map[string]int{}
		assigned := assign(members)
		if len(assigned) != Slots {
			t.Fatalf("%d replicas: %d slots are assigned, want %d", n, len(assigned), Slots)
		}
		for slot, m := range assigned {
			if !slices.Contains(members, m) {
				t.Errorf("%d replicas: slot %d belongs to %q", n, slot, m)
			}
			has[m]++
		}
		for m, count := range has {
			if most := (Slots + n - 1) / n; count > most {
				t.Errorf("%d replicas: %s has %d slots, want at most %d", n, m, count, most)
			}
		}
		slices.Reverse(members)
		if again := assign(members); !slices.Equal(again, assigned) {
			t.Errorf("%d replicas: another order gives %v, want %v", n, again, assigned)
		}
	}
}

// TestFewSlotsMove bounds the slots that change between two replicas that stay when a third one
// comes or goes. A hash modulo the number of replicas would move most of them.
func TestFewSlotsMove(t *testing.T) {
	for n := 2; n <= 8; n++ {
		moved, trials := 0, 50
		for trial := range trials {
			members := make([]string, n+1)
			for i := range members {
				members[i] = fmt.Sprintf("%d-%d-%d", n, trial, i)
			}
			before, after := assign(members[:n]), assign(members)
			for slot := range Slots {
				if after[slot] != members[n] && after[slot] != before[slot] {
					moved++
				}
			}
		}
		if most := Slots * trials / 4; moved > most {
			t.Errorf("%d replicas and another one: %d of %d slots move between replicas that stay, want at most %d", n, moved, Slots*trials, most)
		}
	}
}

// TestKeysSpread puts 1,600 names into the slots.
func TestKeysSpread(t *testing.T) {
	var has [Slots]int
	for i := range 100 * Slots {
		has[slotOf(fmt.Sprintf("namespace-%d", i))]++
	}
	for slot, n := range has {
		if n < 60 || n > 140 {
			t.Errorf("slot %d has %d names of %d", slot, n, 100*Slots)
		}
	}
}

// TestGateWaits closes a slot with two passes. Other slots stay open, and the slot can open again.
func TestGateWaits(t *testing.T) {
	var g gate
	if g.enter(3) != nil {
		t.Fatal("a closed slot admits a pass")
	}
	g.open(3)
	g.open(4)
	first, second := g.enter(3), g.enter(3)
	idle := g.close(3)
	if g.enter(3) != nil || g.isOpen(3) || !g.isOpen(4) || g.opened() != 1 {
		t.Error("closing a slot closes that one only, and at once")
	}
	isIdle := func() bool {
		select {
		case <-idle:
			return true
		default:
			return false
		}
	}
	if first(); isIdle() {
		t.Error("a slot is idle while a pass runs")
	}
	if second(); !isIdle() {
		t.Error("a slot is not idle after its last pass")
	}
	select {
	case <-g.close(4):
	default:
		t.Error("a slot without a pass is not idle")
	}
	if g.open(3); g.enter(3) == nil {
		t.Error("a slot does not open again")
	}
}

// clock is a clock that tests set.
type clock struct{ atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(0, c.Load()) }

func (c *clock) pass(d time.Duration) { c.Add(int64(d)) }

// TestMembers lets replicas come, go, and end without a word. The clock of one is an hour ahead.
func TestMembers(t *testing.T) {
	leases := fake.NewClientset().CoordinationV1().Leases("system")
	var at clock
	replica := func(name string, ahead time.Duration) *members {
		return &members{
			leases: leases, of: "operator", own: name, holder: name, lease: 10 * time.Second, log: slog.New(slog.DiscardHandler),
			now: func() time.Time { return at.now().Add(ahead) },
		}
	}
	wants := func(m *members, want ...string) {
		t.Helper()
		if got, err := m.look(t.Context()); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s sees %v (%v), want %v", m.own, got, err, want)
		}
	}
	other := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "of-another", Labels: map[string]string{membersOf: "another"}}}
	if _, err := leases.Create(t.Context(), other, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	a, b, c := replica("a", 0), replica("b", time.Hour), replica("c", 0)
	wants(a, "a")
	wants(b, "a", "b")
	wants(c, "a", "b", "c")
	wants(a, "a", "b", "c")
	wants(b, "a", "b", "c")
	at.pass(9 * time.Second)
	wants(a, "a", "b", "c")
	wants(b, "a", "b", "c")
	at.pass(2 * time.Second) // c has said nothing for 11 seconds
	wants(b, "a", "b")
	wants(a, "a", "b")
	wants(replica("d", 0), "a", "b", "c", "d") // it cannot know that c has gone
	wants(b, "a", "b", "d")
	at.pass(staleAfter*10*time.Second + 1)
	wants(b, "b")
	if _, err := leases.Get(t.Context(), "c", metav1.GetOptions{}); err == nil {
		t.Error("the lease of a replica that has gone stays for ever")
	}
	wants(a, "a", "b")
	if err := b.leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	wants(a, "a")
	if err := b.leave(t.Context()); err != nil {
		t.Errorf("leaving again: %v", err)
	}
}

// TestNamespaceSlots follows a namespace that is created, gets a label, and is deleted.
func TestNamespaceSlots(t *testing.T) {
	var at clock
	moved := make(chan string, 1)
	n := namespaces{pause: 20 * time.Millisecond, moved: func(name string) { moved <- name }, now: at.now}
	namespace := func(name, key string) *metav1.PartialObjectMetadata {
		o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if key != "" {
			o.Labels = map[string]string{Label: key}
		}
		return o
	}
	wants := func(reason, name string, slot int, wait time.Duration) {
		t.Helper()
		if got, after := n.slot(name); got != slot || after != wait {
			t.Errorf("%s: slot %d after %s, want %d after %s", reason, got, after, slot, wait)
		}
	}
	wants("cluster-scoped objects", "", slotOf(""), 0)
	wants("not known yet", "one", -1, unknown)
	n.see(namespace("one", ""))
	wants("without a label", "one", slotOf("one"), 0)
	n.see(namespace("two", "team"))
	n.see(namespace("three", "team"))
	wants("with a label", "two", slotOf("team"), 0)
	wants("with the same label", "three", slotOf("team"), 0)
	n.see(namespace("one", "team"))
	wants("moved just now", "one", slotOf("team"), n.pause)
	select {
	case name := <-moved:
		if name != "one" {
			t.Errorf("%s has moved, want one", name)
		}
	case <-time.After(10 * time.Second):
		t.Error("nobody is told that a namespace has moved")
	}
	at.pass(n.pause)
	wants("after the pause", "one", slotOf("team"), 0)
	n.see(namespace("one", "team"))
	wants("seen again", "one", slotOf("team"), 0)
	n.forget("one")
	wants("deleted", "one", -1, unknown)
}

// TestDeletedAfterMove deletes a namespace in the pause after its label has changed. What is known
// of its objects is forgotten.
func TestDeletedAfterMove(t *testing.T) {
	var s Shards
	lost := 0
	s.OnChange(func(func(string) bool) { t.Error("a deleted namespace is gained") }, func(is func(string) bool) {
		if is("one") && !is("two") {
			lost++
		}
	})
	if s.moved("one"); lost != 1 {
		t.Errorf("a deleted namespace is lost %d times, want once", lost)
	}
}

// TestNamesOfLeases refuses a name that is no value of a label.
func TestNamesOfLeases(t *testing.T) {
	for _, name := range []string{"", "a b", fmt.Sprintf("%064d", 1)} {
		if _, err := New(Options{Name: name, Leases: fake.NewClientset().CoordinationV1()}); err == nil {
			t.Errorf("the name %q is accepted", name)
		}
	}
}
