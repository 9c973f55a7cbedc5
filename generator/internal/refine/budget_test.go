package refine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/model"
)

// entangled writes a model of n types with two members each, which combine pairs of the types so
// that merging reaches all subsets of them.
func entangled(n int, member func(i, j int) string) string {
	var b strings.Builder
	b.WriteString("resource A/things\n  version v1\n    spec &T0\n")
	for i := range n {
		fmt.Fprintf(&b, "    def T%d object\n      .own%d string\n      .a %s\n      .b %s\n", i, i,
			member(2*i%n, (2*i+1)%n), member((3*i+1)%n, (5*i+2)%n))
	}
	return b.String()
}

// combined returns a union or a conjunction of two types.
func combined(how string, i, j int) string {
	return fmt.Sprintf("%s\n        - &T%d\n        - &T%d", how, i, j)
}

// entanglements are forms in which members refer to pairs of types.
var entanglements = map[string]func(i, j int) string{
	"unions":       func(i, j int) string { return combined("oneof", i, j) },
	"conjunctions": func(i, j int) string { return combined("allof", i, j) },
	"both": func(i, j int) string {
		return combined([]string{"oneof", "allof"}[(i+j)%2], i, j)
	},
	"lists": func(i, j int) string { return "list " + combined("oneof", i, j) },
	"maps":  func(i, j int) string { return "map " + combined("oneof", i, j) },
}

// TestSubsets refines types of which merging makes one for each subset, and checks that the
// number of results grows with the types, not with their subsets.
func TestSubsets(t *testing.T) {
	for name, member := range entanglements {
		for _, n := range []int{12, 18, 25, 100} {
			t.Run(fmt.Sprintf("%s of %d", name, n), func(t *testing.T) {
				raw := parse(t, entangled(n, member))
				got := Refine(context.Background(), raw, Options{})
				if len(got.Problems) > 0 {
					t.Fatal(got.Problems)
				}
				checkBudget(t, raw[0].Versions[0], got)
				if again := report(Refine(context.Background(), raw, Options{})); again != report(got) {
					t.Error("the same model is refined in another way")
				}
			})
		}
	}
}

// checkBudget fails unless the merged types are within the budget, and each type beyond it is
// free JSON with a reason.
func checkBudget(t *testing.T, raw *model.Version, got *Result) {
	t.Helper()
	own := newBudget()
	own.grow(raw.Spec)
	v := got.Resources[0].Versions[0]
	weights := 0
	for _, d := range v.Defs {
		weights += weight(nil, objectShape(d.Object()))
	}
	// The budget does not count the types of the schema and the unions that it writes.
	if most := own.left + 20*len(raw.Defs); weights > most {
		t.Errorf("%d definitions weigh %d, more than %d", len(v.Defs), weights, most)
	}
	reasons := strings.Count(string(model.Print(got.Resources...)), tooMany)
	if reasons == 0 || reasons != len(got.Conflicts) {
		t.Errorf("%d members are free JSON, and %d conflicts reported", reasons, len(got.Conflicts))
	}
}

// TestPairsAreWithinBudget refines types with unions of all pairs of them. Each union is written in
// the schema, and an object with the members of both types. Their members together grow with the
// schema, and not faster.
func TestPairsAreWithinBudget(t *testing.T) {
	for _, n := range []int{14, 28, 40} {
		var text strings.Builder
		text.WriteString("resource A/things\n  version v1\n    spec &T0\n")
		for i := range n {
			fmt.Fprintf(&text, "    def T%d object\n", i)
			for j := range n {
				fmt.Fprintf(&text, "      .p%d %s\n", j, combined("oneof", j, (i+j)%n))
			}
		}
		raw := parse(t, text.String())
		own := newBudget()
		own.grow(raw[0].Versions[0].Spec)
		got := Refine(context.Background(), raw, Options{})
		if len(got.Problems) > 0 {
			t.Fatal(got.Problems)
		}
		weights := 0
		for _, d := range got.Resources[0].Versions[0].Defs {
			weights += weight(nil, objectShape(d.Object()))
		}
		if most := own.left + own.written + 3*n*n; weights > most {
			t.Errorf("%d types have definitions that weigh %d, more than %d", n, weights, most)
		}
		if isFull := n > 14; isFull && !strings.Contains(string(model.Print(got.Resources...)), tooMany) {
			t.Errorf("no union of %d types is beyond the budget", n)
		}
	}
}
