package host

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stratakube/strata/operator/plugin/contract"
)

func servedAs(kind, name string, number int) contract.Served {
	return contract.Served{ID: contract.ID{Kind: kind, Number: number}, Name: name}
}

// TestRegistry checks that a name of a kind belongs to one plugin, in all its versions, in any
// order of registration.
func TestRegistry(t *testing.T) {
	var r registry
	a, b, c := &process{path: "a"}, &process{path: "b"}, &process{path: "c"}
	if r.knows(a) || fmt.Sprint(r.all()) != "[]" {
		t.Errorf("at first there is %v", r.all())
	}
	for range 2 {
		if err := r.add(a, []contract.Served{servedAs("k", "n", 3), servedAs("k", "m", 1), servedAs("k", "n", 1), servedAs("j", "n", 2)}); err != nil {
			t.Error(err)
		}
	}
	err := r.add(b, []contract.Served{servedAs("k", "n", 2), servedAs("k", "o", 1)})
	var duplicate *DuplicateError
	if !errors.As(err, &duplicate) || *duplicate != (DuplicateError{Kind: "k", Name: "n", First: "a", Second: "b"}) {
		t.Errorf("error = %v, want a DuplicateError", err)
	}
	if !r.knows(a) || !r.knows(b) || r.knows(c) {
		t.Error("who was asked is not known, or who was not is")
	}
	if got, want := fmt.Sprint(r.all()), "[j n v2 k m v1 k n v1 k n v3 k o v1]"; got != want {
		t.Errorf("served is %s, want %s", got, want)
	}
	if got := fmt.Sprint(r.names("k"), r.names("j"), r.names("i")); got != "[m n o] [n] []" {
		t.Errorf("names are %s", got)
	}
	e, ok := r.find("k", "n")
	if e.versions[0] = 7; !ok || e.process != a || len(e.versions) != 2 {
		t.Errorf("found %v, %v", e, ok)
	}
	if again, _ := r.find("k", "n"); fmt.Sprint(again.versions) != "[1 3]" {
		t.Errorf("who has found a name can change its versions: %v", again.versions)
	}
	if _, ok := r.find("j", "o"); ok {
		t.Error("a name of another kind is found")
	}
	for want, of := range map[string]contract.Served{
		"not found: it has only v1, v3, and this host knows no more than k.v0": servedAs("k", "n", 0),
		"not found: there are m, n, o":                                         servedAs("k", "x", 1),
		"not found: there is none of this kind":                                servedAs("i", "n", 1),
	} {
		if err := r.missing(of.ID, of.Name); !errors.Is(err, contract.ErrNotServed) || err.Error() != want {
			t.Errorf("error = %v, want %s", err, want)
		}
	}
}
