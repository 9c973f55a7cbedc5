package reconciler_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/annotation"
)

// statesPage is the decision that lists the states of a claim and their changes.
const statesPage = "../../docs/adr/0070-states-of-claims.md"

// stateOf returns the state of a claim under the name that the page gives it.
func stateOf(m annotation.State) string {
	switch {
	case !m.Owned && m.ID != "":
		return "observed"
	case !m.Owned:
		return "none"
	case m.Operation != nil && m.Operation.Aim == annotation.ToDelete:
		return "deleting"
	case m.ID != "":
		return stateOfKnown(m)
	case m.Operation != nil:
		return "creating"
	case m.Sent == nil:
		return "claimed"
	}
	return stateOfSent(m.Sent)
}

// stateOfKnown returns the state of a claim with an identifier, unless it is deleting.
func stateOfKnown(m annotation.State) string {
	switch {
	case m.Operation != nil:
		return "changing"
	case m.Unanswered != nil:
		return "unanswered"
	case m.Gone:
		return "gone"
	}
	return "owned"
}

// stateOfSent returns the state of a claim with a create that has no operation.
func stateOfSent(sent *annotation.SentCreate) string {
	switch {
	case sent.Doubted:
		return "doubted"
	case sent.Refused:
		return "refused"
	case sent.Ended && sent.Accepted:
		return "ended"
	case sent.Ended:
		return "failed"
	case sent.Accepted:
		return "accepted"
	}
	return "sent"
}

// change is a change of the state of a claim.
type change struct{ from, to string }

// changes returns the states and their changes that the page lists. The tests of this package share
// them.
var changes = sync.OnceValues(func() (states map[string]bool, all map[change]bool) {
	states, all = map[string]bool{}, map[change]bool{}
	data, err := os.ReadFile(statesPage)
	if err != nil {
		panic(err)
	}
	header := ""
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") || len(cells) != 3 {
			header = ""
			continue
		}
		first, second := strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1])
		switch {
		case header == "":
			header = first
		case strings.HasPrefix(first, "---"):
		case header == "state":
			states[first] = true
		case header == "from":
			all[change{first, second}] = true
		}
	}
	return states, all
})

// drawn counts the changes that the tests of this process have seen.
var drawn = struct {
	sync.Mutex
	changes map[change]int
}{changes: map[change]int{}}

// writesClaim fails the test if the page does not list the change of a claim that the operator has
// written.
func (w *world) writesClaim(before, after client.Object) {
	if before.GetAnnotations()[annotation.Claim] != "" && !annotation.HasClaim(before) {
		return // a client has made it unreadable, and the operator writes what it knows
	}
	one := change{stateOf(annotation.Read(before)), stateOf(annotation.Read(after))}
	if one.from == one.to {
		return
	}
	drawn.Lock()
	drawn.changes[one]++
	drawn.Unlock()
	if _, all := changes(); !all[one] {
		w.Errorf("the state of the claim changes from %s to %s, which %s does not list", one.from, one.to, statesPage)
	}
}

// TestStatesOfClaims requires that each change in the page is between two of its states, and that
// something begins and ends each state.
func TestStatesOfClaims(t *testing.T) {
	states, all := changes()
	if len(states) < 10 || len(all) < 40 {
		t.Fatalf("the page lists %d states and %d changes", len(states), len(all))
	}
	begins, ends := map[string]bool{"none": true}, map[string]bool{}
	for one := range all {
		if !states[one.from] || !states[one.to] {
			t.Errorf("the page lists a change from %s to %s, and not both states", one.from, one.to)
		}
		begins[one.to], ends[one.from] = true, true
	}
	for _, state := range slices.Sorted(maps.Keys(states)) {
		if !begins[state] || !ends[state] {
			t.Errorf("the state %s: something begins it %t, something ends it %t", state, begins[state], ends[state])
		}
	}
}

// TestMain requires that a soak of the whole package makes each change that the page lists.
func TestMain(m *testing.M) {
	code := m.Run()
	isWhole := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == ""
	if code == 0 && isWhole && os.Getenv("STRATA_SOAK") != "" {
		_, all := changes()
		for one := range all {
			if drawn.changes[one] == 0 {
				fmt.Printf("no test has changed the state of a claim from %s to %s\n", one.from, one.to)
				code = 1
			}
		}
	}
	os.Exit(code)
}
