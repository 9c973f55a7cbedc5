package operation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/operation"
)

func TestInverse(t *testing.T) {
	for _, test := range []struct{ text, inverse string }{
		{"plural", "singular: true"},
		{"wrappedIn", `unwrappedFrom: "a"`},
		{"split", `join: "a"`},
		{"keyedBy", `listedBy: "a"`},
		{"listedBy", `keyedBy: "a"`},
		{"factor", "factor: 3/2"},
		{"values", `values: {"b": "a", "d": "c"}`},
	} {
		o := operation.Operation{Kind: operation.Kind(test.text), Text: "a", By: 2, Over: 3, Pairs: []string{"a", "b", "c", "d"}}
		if got := o.Inverse().String(); got != test.inverse {
			t.Errorf("the inverse of %s is %s, want %s", o, got, test.inverse)
		}
		if !o.Inverse().Inverse().Is(o) {
			t.Errorf("the inverse of the inverse of %s is %s", o, o.Inverse().Inverse())
		}
	}
}

func TestMoves(t *testing.T) {
	for _, test := range []struct {
		o             operation.Operation
		text, inverse string
	}{
		{operation.Operation{Kind: operation.MovedTo, From: "a.b", To: "c"}, `movedTo: "c"`, `movedTo: "a.b"`},
		{operation.Operation{Kind: operation.Factor, By: 60, Over: 1, From: "a", To: "c.d"}, `movedTo: "c.d", factor: 60`, `movedTo: "a", factor: 1/60`},
	} {
		if got := test.o.String(); got != test.text || !test.o.Moves() {
			t.Errorf("%s, want %s", got, test.text)
		}
		if got := test.o.Inverse().String(); got != test.inverse {
			t.Errorf("the inverse of %s is %s, want %s", test.o, got, test.inverse)
		}
		if other := (operation.Operation{Kind: test.o.Kind, By: test.o.By, Over: test.o.Over, From: "other", To: test.o.To}); other.Is(test.o) || !test.o.Inverse().Inverse().Is(test.o) {
			t.Errorf("%s is compared without its path", test.o)
		}
	}
}

// TestOrder checks that the order of values makes no other operation: the ledger compares texts.
func TestOrder(t *testing.T) {
	o := operation.Operation{Kind: operation.Values, Pairs: []string{"a", "b", "c", "d"}}
	other := operation.Operation{Kind: operation.Values, Pairs: []string{"c", "d", "a", "b"}}
	if !o.Is(other) {
		t.Errorf("%s is not %s", o, other)
	}
}

// TestRenames checks that the names of values form a permutation, and that the inverse renames
// back.
func TestRenames(t *testing.T) {
	for _, test := range []struct {
		reason      string
		pairs, want []string
	}{
		{"a value takes a name that no other has", []string{"a", "b"}, []string{"a", "b", "b", "a"}},
		{"two values exchange their names", []string{"a", "b", "b", "a"}, []string{"a", "b", "b", "a"}},
		{"a value takes the name of one that takes another", []string{"a", "b", "b", "c"}, []string{"a", "b", "b", "c", "c", "a"}},
	} {
		o := operation.Operation{Kind: operation.Values, Pairs: test.pairs}
		if diff := cmp.Diff(test.want, o.Renames()); diff != "" {
			t.Errorf("%s: %s", test.reason, diff)
		}
		for i := 0; i < len(test.want); i += 2 {
			if back := renamed(o.Inverse().Renames(), test.want[i+1]); back != test.want[i] {
				t.Errorf("%s: %s becomes %s, and then %s", test.reason, test.want[i], test.want[i+1], back)
			}
		}
	}
}

func renamed(pairs []string, name string) string {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] == name {
			return pairs[i+1]
		}
	}
	return name
}

func TestParseFactor(t *testing.T) {
	for text, want := range map[string][2]int64{
		"1000": {1000, 1}, "1/1000": {1, 1000}, "2/4": {1, 2}, "60/1": {60, 1},
		"": {}, "0": {}, "1": {}, "-2": {}, "2/0": {}, "2/-4": {}, "5/5": {}, "0.5": {}, "1e3": {}, "9223372036854775808": {}, "1/2/3": {}, " 2": {},
	} {
		by, over, ok := operation.ParseFactor(text)
		if got := [2]int64{by, over}; got != want || ok != (want != [2]int64{}) {
			t.Errorf("%q is %v, %t", text, got, ok)
		}
	}
}
