package plan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/refine"
)

// allKinds are the kinds of further members that are not objects of a type.
func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":              `""`,
		"azAZ09_-.$@":   "azAZ09_-.$@",
		"`":             "\"`\"",
		"{":             `"{"`,
		"[":             `"["`,
		"/":             `"/"`,
		":":             `":"`,
		"two words":     `"two words"`,
		"é":             `"é"`,
		"a,b":           `"a,b"`,
		"$propertyBag":  "$propertyBag",
		"size@v1!raw":   `"size@v1!raw"`,
		"line\nbreak\"": `"line\nbreak\""`,
	} {
		if got := word(text); got != want {
			t.Errorf("%q is written %s, want %s", text, got, want)
		}
	}
}

func TestInitials(t *testing.T) {
	for name, want := range map[string]string{
		"BatchAccountsPool": "bap",
		"Person":            "p",
		"VMScaleSet":        "vss",
		"VirtualMachineVM":  "vmv",
		"DNSZone":           "dz",
		"Zoo":               "z",
		"AbleZebra":         "az",
		"ÉtéPlan":           "p",
		"person":            "",
		"":                  "",
	} {
		if got := initials(name); got != want {
			t.Errorf("the initials of %s are %q, want %q", name, got, want)
		}
	}
}

func TestNamesAreHandedOutOnce(t *testing.T) {
	names := refine.Identifiers{}
	for _, want := range []string{"Size", "Size2", "Size3"} {
		if got := names.Unique("Size"); got != want {
			t.Errorf("the name is %s, want %s", got, want)
		}
	}
	if got := fieldName(names, "propertyBag", nil); got != "PropertyBagValue" {
		t.Errorf("the field of propertyBag is %s", got)
	}
}

// TestValuesThatAreRenamedTwice checks the composition of two permutations of values.
func TestValuesThatAreRenamedTwice(t *testing.T) {
	for _, test := range []struct{ first, second, want string }{
		{"", "", ""},
		{"a b", "", "a b"},
		{"", "a b", "a b"},
		{"a b b a", "b c c b", "a c b a c b"},
		{"a b b a", "a b b a", "a a b b"},
		{"a a b b", "x y y x", "a a b b x y y x"},
		{"a b b a", "x y y x", "a b b a x y y x"},
		{"a b b c c a", "a b b a", "a a b c c b"},
	} {
		if got := strings.Join(renamedTwice(strings.Fields(test.first), strings.Fields(test.second)), " "); got != test.want {
			t.Errorf("%q and then %q is %q, want %q", test.first, test.second, got, test.want)
		}
	}
}

// TestKeysOfLists checks the keys of lists of objects whose schema states them.
func TestKeysOfLists(t *testing.T) {
	box := &Struct{}
	keyed := model.Facts{{Name: "x-kubernetes-list-map-keys", Value: `["name","port"]`}}
	for _, test := range []struct {
		reason string
		typ    model.Type
		of     Type
		want   string
	}{
		{"a list of objects", &model.List{Facts: keyed}, Type{Wrap: "l", Struct: box}, "name port"},
		{"one that states no keys", &model.List{}, Type{Wrap: "l", Struct: box}, ""},
		{"one whose keys are no list", &model.List{Facts: model.Facts{{Name: "x-kubernetes-list-map-keys", Value: `"name"`}}}, Type{Wrap: "l", Struct: box}, ""},
		{"a list of texts", &model.List{Facts: keyed}, Type{Wrap: "l"}, ""},
		{"a list of lists", &model.List{Facts: keyed}, Type{Wrap: "ll", Struct: box}, ""},
		{"a map", &model.Map{}, Type{Wrap: "m", Struct: box}, ""},
	} {
		f := &Field{Property: &model.Property{Type: test.typ}, Type: test.of}
		if got := strings.Join(f.Keys(), " "); got != test.want {
			t.Errorf("%s has the keys %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestReplicasPath(t *testing.T) {
	for _, test := range []struct {
		reason, scale string
		atRoot        bool
		want          string
	}{
		{"below the spec", `{"specReplicasPath":".spec.replicas"}`, false, ".spec.replicas"},
		{"of members at the root", `{"specReplicasPath":".replicas"}`, true, ".spec.replicas"},
		{"not stated", `{}`, true, ""},
		{"of another type", `{"specReplicasPath":1}`, true, ""},
		{"no such subresource", ``, true, ""},
	} {
		v := &model.Version{AtRoot: test.atRoot}
		if test.scale != "" {
			v.Facts = model.Facts{{Name: model.Scale, Value: test.scale}}
		}
		k := &KindVersion{Version: &chain.Version{Model: v}}
		if got := k.ReplicasPath(); got != test.want {
			t.Errorf("%s: the path is %q, want %q", test.reason, got, test.want)
		}
	}
}

// TestCompletedSteps checks that steps which do more than their moves count as completed.
func TestCompletedSteps(t *testing.T) {
	moves := []*Move{{Action: Keep}, {Action: Stow}}
	for _, test := range []struct {
		reason string
		step   Step
		want   bool
	}{
		{"moves alone", Step{Moves: moves}, false},
		{"a hand-written step", Step{Moves: moves, Hand: Hand{From: true}}, true},
		{"a function", Step{Moves: moves, Derived: []*Derived{{}}}, true},
		{"what is not to be filled", Step{Moves: moves, Empties: []*Empty{{}}}, true},
		{"both", Step{Moves: moves, Derived: []*Derived{{}}, Empties: []*Empty{{}}}, true},
		{"values that are called otherwise", Step{Moves: append(moves, &Move{Values: []string{"A", "B"}})}, true},
	} {
		if got := test.step.Completed(); got != test.want {
			t.Errorf("%s: the step is completed: %t, want %t", test.reason, got, test.want)
		}
	}
}

// TestNumbersOfLists checks that equal lists have one number, and that a list that contains
// itself has its own.
func TestNumbersOfLists(t *testing.T) {
	size := func() *lackList { return &lackList{items: []lack{{item: ListEntry{Name: "size"}}}} }
	in := func(name string, within *lackList) lack { return lack{ListEntry{Name: name}, within} }
	table := newListTable()
	first := table.add(&lackList{items: []lack{in("first", size()), in("second", size())}})
	if again := table.add(&lackList{items: []lack{in("first", size()), in("second", size())}}); again != first || first != 2 {
		t.Errorf("equal lists have the numbers %d and %d, want 2", first, again)
	}
	if other := table.add(&lackList{items: []lack{in("second", size()), in("first", size())}}); other == first {
		t.Error("lists in another order have the same number")
	}
	if n := table.add(nil); n != 0 {
		t.Errorf("no list has the number %d", n)
	}
	again := &lackList{}
	again.items = []lack{in("next", &lackList{items: []lack{in("back", again), in("size", nil)}}), in("own", again)}
	want := Lists{{{Name: "next", List: 2}, {Name: "own", List: 1}}, {{Name: "back", List: 1}, {Name: "size"}}}
	if diff := cmp.Diff(want, listsFrom(again)); diff != "" {
		t.Errorf("a list within itself: %s", diff)
	}
	recursive := newListTable()
	if n := recursive.add(again); n != 1 {
		t.Errorf("a list within itself has the number %d, want 1", n)
	}
	if diff := cmp.Diff(want, recursive.lists); diff != "" {
		t.Errorf("a list within itself, among others: %s", diff)
	}
}
