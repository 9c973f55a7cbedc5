package convert

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime/internal/declared"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/operation"
	"github.com/stratakube/strata/runtime/internal/preserve"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// leaseChange is a change of a property that stays in its object: seconds become milliseconds.
func leaseChange(step int) Change {
	return Change{Step: step, Property: declared.Moved{
		ID: "v2.lease", To: operation.ScaleWhole(1000, 1), From: operation.ScaleWhole(1, 1000),
		Far:  declared.MovedEnd{Path: []string{"seconds"}, Key: "seconds"},
		Near: declared.MovedEnd{Path: []string{"milliseconds"}, Key: "milliseconds"},
	}}
}

// timingChange is a change of a property that another object has in the hub.
func timingChange(step int) Change {
	return Change{Step: step, Moves: true, Property: declared.Moved{
		ID: "v2.ms", To: operation.ScaleWhole(1000, 1), From: operation.ScaleWhole(1, 1000),
		Far:  declared.MovedEnd{Path: []string{"limits", "seconds"}, Objects: []string{"limits"}, Key: "seconds"},
		Near: declared.MovedEnd{Path: []string{"retry", "timing", "milliseconds"}, Objects: []string{"retry"}, Key: "timing", Within: []string{"milliseconds"}},
	}}
}

// changed returns a change after an edit.
func changed(c Change, edit func(*Change)) Change {
	edit(&c)
	return c
}

// TestChangesOfPlansAreChecked wants a plan to refuse a change of a step that it lacks, one without
// a path or a key on either side, and one whose sides share a key in the bags of one object.
func TestChangesOfPlansAreChecked(t *testing.T) {
	for _, test := range []struct {
		reason string
		change Change
		want   string // of the error; empty for none
	}{
		{"the first step", leaseChange(0), ""},
		{"the last step", leaseChange(1), ""},
		{"a move", timingChange(1), ""},
		{"a step before the first", leaseChange(-1), "no step -1 for the change v2.lease"},
		{"a step behind the last", leaseChange(2), "no step 2 for the change v2.lease"},
		{"a step far behind the last", timingChange(7), "no step 7 for the change v2.ms"},
		{"no path in the version", changed(leaseChange(0), func(c *Change) { c.Property.Far.Path = nil }), "no path"},
		{"no path in the hub", changed(leaseChange(0), func(c *Change) { c.Property.Near.Path = nil }), "no path"},
		{"a path that ends at the common object", changed(timingChange(0), func(c *Change) { c.Property.Far.Path = []string{"limits"} }), "no path"},
		{"a path that ends before the common object", changed(timingChange(0), func(c *Change) { c.Property.Near.Path = nil }), "no path"},
		{"no key in the version", changed(leaseChange(0), func(c *Change) { c.Property.Far.Key = "" }), "no key"},
		{"no key of a move in the hub", changed(timingChange(0), func(c *Change) { c.Property.Near.Key = "" }), "no key"},
		{"one key for both sides", changed(leaseChange(0), func(c *Change) { c.Property.Near.Key = "seconds" }), "one key"},
		{"one key in the bags of two objects", changed(timingChange(0), func(c *Change) { c.Property.Near.Key = "seconds" }), ""},
		{"a path of two names without a move", changed(timingChange(0), func(c *Change) { c.Moves = false }), "no path"},
	} {
		err := Plan{Steps: make([]Step, 2), Changes: []Change{leaseChange(0), test.change}}.check()
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.reason, err, test.want)
		}
	}
}

// TestSequencesOfPlansAreChecked wants a plan to refuse a sequence whose steps it lacks, and one
// whose types do not lie between its parts.
func TestSequencesOfPlansAreChecked(t *testing.T) {
	one := []any{&fixtures.StoredSpec{}}
	for _, test := range []struct {
		reason   string
		sequence Sequence
		want     string // of the error; empty for none
	}{
		{"the first step", Sequence{Step: 0, Parts: []int{1, 3}, Between: one}, ""},
		{"the last step", Sequence{Step: 3, Parts: []int{1, 2}, Between: one}, ""},
		{"one part", Sequence{Step: 0, Parts: []int{1}}, ""},
		{"a step before the first", Sequence{Step: -1, Parts: []int{1, 2}, Between: one}, "no sequence for the step -1"},
		{"a step behind the last", Sequence{Step: 4, Parts: []int{1, 2}, Between: one}, "no sequence for the step 4"},
		{"too few types", Sequence{Step: 0, Parts: []int{1, 2}}, "no sequence for the step 0"},
		{"too many types", Sequence{Step: 0, Parts: []int{1, 2}, Between: slices.Repeat(one, 2)}, "no sequence for the step 0"},
		{"more types than one too many", Sequence{Step: 0, Parts: []int{1, 2}, Between: slices.Repeat(one, 3)}, "no sequence for the step 0"},
		{"no parts", Sequence{Step: 0}, "no sequence for the step 0"},
		{"the first step as a part", Sequence{Step: 3, Parts: []int{0, 1}, Between: one}, "no step 0 for a sequence"},
		{"a part behind the last", Sequence{Step: 0, Parts: []int{1, 4}, Between: one}, "no step 4 for a sequence"},
		{"itself as a part", Sequence{Step: 2, Parts: []int{1, 2}, Between: one}, "no step 2 for a sequence"},
	} {
		err := Plan{Steps: make([]Step, 4), Sequences: []Sequence{{Step: 1, Parts: []int{2}}, test.sequence}}.check()
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.reason, err, test.want)
		}
	}
}

// TestValuesOfMovesAreChecked wants names in pairs, and only for members of both sides.
func TestValuesOfMovesAreChecked(t *testing.T) {
	pair := []string{"red", "blue"}
	for _, test := range []struct {
		reason string
		move   Move
		isBad  bool
	}{
		{"a member", Move{Name: "a", Values: pair}, false},
		{"a rename", Move{Far: "a", Near: "b", Values: pair}, false},
		{"no values of one side", Move{Far: "a"}, false},
		{"a name without another", Move{Name: "a", Values: pair[:1]}, true},
		{"three names", Move{Name: "a", Values: []string{"red", "blue", "green"}}, true},
		{"the version alone", Move{Far: "a", Values: pair}, true},
		{"the hub alone", Move{Near: "a", Values: pair}, true},
	} {
		if err := test.move.check(1); (err != nil) != test.isBad {
			t.Errorf("%s: %v", test.reason, err)
		}
	}
}

// TestPlansDifferByTheirSequences compares plans with sequences. Blank objects count by their
// types.
func TestPlansDifferByTheirSequences(t *testing.T) {
	plan := func(s ...Sequence) Plan { return Plan{Steps: make([]Step, 4), Sequences: s} }
	base := func() Sequence { return Sequence{Step: 0, Parts: []int{1, 2}, Between: []any{&fixtures.StoredSpec{}}} }
	if !plan(base()).is(plan(base())) {
		t.Error("a plan is not itself")
	}
	for reason, other := range map[string]Sequence{
		"the step":             {Step: 3, Parts: []int{1, 2}, Between: base().Between},
		"the parts":            {Step: 0, Parts: []int{1, 3}, Between: base().Between},
		"the types between":    {Step: 0, Parts: []int{1, 2}, Between: []any{&fixtures.StoredPart{}}},
		"parts and the types":  {Step: 0, Parts: []int{2, 1}, Between: []any{&fixtures.StoredPart{}}},
		"the step and its end": {Step: 3, Parts: []int{2, 1}, Between: base().Between},
	} {
		if plan(base()).is(plan(other)) {
			t.Errorf("plans are the same, but %s differ", reason)
		}
	}
	if plan(base()).is(plan()) {
		t.Error("a plan with a sequence is one without")
	}
}

// TestStepsWithChanges converts objects with declared changes in both directions: a property that
// stays in its object, and one that moves to another. A value that the other side cannot represent
// stays in the bag.
func TestStepsWithChanges(t *testing.T) {
	whole, limits, noBag := shape.Of(reflect.TypeFor[treePool]()), shape.Of(reflect.TypeFor[treeLimits]()), shape.Of(reflect.TypeFor[farPaper]())
	stays := Change{Step: 1, Property: declared.Moved{
		ID: "v2.lease", To: operation.ScaleWhole(1000, 1), From: operation.ScaleWhole(1, 1000),
		Far:  declared.MovedEnd{Path: []string{"seconds"}, Key: "term"},
		Near: declared.MovedEnd{Path: []string{"seconds"}, Key: "lease"},
	}}
	steps := []Step{
		{{Name: "limits", Step: 1}, {Name: "retry", Step: 2}},
		{{Far: "seconds", Down: []Key{{Name: "term"}}}, {Near: "seconds", Up: []Key{{Name: "lease"}}}},
		nil,
	}
	moves := []Step{{{Name: "limits", Step: 1}, {Name: "retry", Step: 2}}, {{Far: "seconds"}}, {{Near: "timing"}}}
	for _, test := range []struct {
		reason       string
		steps        []Step
		step         int
		from, to     *shape.Shape
		changes      []Change
		up           bool
		object, want string
		refusal      Refusal
	}{
		{"no change of the step", make([]Step, 2), 0, limits, limits, []Change{stays}, true, `{"seconds":5}`, `{"seconds":5}`, Converted},
		{"a property of the version", steps, 1, limits, limits, []Change{timingChange(0), stays}, true, `{"seconds":5}`, `{"seconds":5000}`, Converted},
		{"a property of the hub", steps, 1, limits, limits, []Change{timingChange(0), stays}, false, `{"seconds":5000}`, `{"seconds":5}`, Converted},
		{"a value that the version rounds", steps, 1, limits, limits, []Change{stays}, false, `{"seconds":1500}`, `{"seconds":1,"$propertyBag":{"lease":1500}}`, Converted},
		{"a value that the hub lacks", steps, 1, limits, limits, []Change{stays}, true, `{"seconds":9223372036854775807}`, `{"$propertyBag":{"term":9223372036854775807}}`, Converted},
		{"an absent property", steps, 1, limits, limits, []Change{stays}, true, `{"name":"a"}`, `{"name":"a"}`, Converted},
		{"a move to the hub", moves, 0, whole, whole, []Change{timingChange(0)}, true,
			`{"limits":{"name":"a","seconds":5},"retry":{}}`, `{"limits":{"name":"a"},"retry":{"timing":{"milliseconds":5000}}}`, Converted},
		{"a move from the hub", moves, 0, whole, whole, []Change{timingChange(0)}, false,
			`{"limits":{"name":"a"},"retry":{"timing":{"milliseconds":5000}}}`, `{"limits":{"name":"a","seconds":5},"retry":{}}`, Converted},
		{"a move that the hub lacks", moves, 0, whole, whole, []Change{timingChange(0)}, true,
			`{"limits":{"seconds":9223372036854775807},"retry":{}}`, `{"limits":{"$propertyBag":{"seconds":9223372036854775807}},"retry":{}}`, Converted},
		{"a path that the version lacks", moves, 0, whole, whole, []Change{changed(timingChange(0), func(c *Change) { c.Property.Far.Path = []string{"limits", "hours"} })}, true, `{}`, "", NoPlan},
		{"a path that the hub lacks", moves, 0, whole, whole, []Change{changed(timingChange(0), func(c *Change) { c.Property.Near.Path = []string{"retry", "hours"} })}, true, `{}`, "", NoPlan},
		{"no type for the result", steps, 1, limits, nil, []Change{stays}, true, `{"seconds":5}`, "", NoPlan},
		{"a result without a bag", make([]Step, 2), 1, limits, noBag, []Change{stays}, true, `{"seconds":5}`, "", NoPlan},
	} {
		m := recaster{steps: test.steps, up: test.up, changes: test.changes, made: map[recastKey]*recast{}}
		r := m.make(test.step, test.from, test.to)
		m.finish()
		e := edit{reader: reader{Cursor: jsontext.Cursor{Data: []byte(test.object)}, limit: jsontext.MaxDepth, repeats: new(repeats), takesBags: true, bags: true}}
		if ok := e.object(r); ok != (test.refusal == Converted) || e.refusal != test.refusal || ok && string(e.out) != test.want {
			t.Errorf("%s: %t (%s) %s, want %s (%s)", test.reason, ok, e.refusal, e.out, test.want, test.refusal)
		}
	}
}

// TestObjectsWithChangesAreBounded wants the objects with changes of one conversion to have at most
// 4 MiB in source and result together.
func TestObjectsWithChangesAreBounded(t *testing.T) {
	const half = 1 << 20 // of an object of 2 MiB
	limits := shape.Of(reflect.TypeFor[treeLimits]())
	r := &recast{of: limits, changes: &changing{up: true, to: limits}}
	object := func(length int) []byte {
		return []byte(`{"name":"` + strings.Repeat("x", length-len(`{"name":""}`)) + `"}`)
	}
	for _, test := range []struct {
		source, result int // of the second object
		want           Refusal
	}{
		{half, half, Converted}, {half + 1, half, TooLarge}, {half, half + 1, TooLarge},
	} {
		e := edit{out: []byte(`[`), reader: reader{limit: jsontext.MaxDepth, repeats: new(repeats)}}
		e.out = append(e.out, object(half)...)
		if !e.change(r, object(half), 1) {
			t.Fatalf("the first object is refused: %s", e.refusal)
		}
		mark := len(e.out)
		e.out = append(e.out, object(test.result)...)
		if ok := e.change(r, object(test.source), mark); ok != (test.want == Converted) || e.refusal != test.want {
			t.Errorf("%d bytes become %d: %s, want %s", test.source, test.result, e.refusal, test.want)
		}
	}
}

// TestForeignVersionsAreRegistered wants each version once, and none of a call with another type
// for a known version.
func TestForeignVersionsAreRegistered(t *testing.T) {
	stored := Foreign{API: &fixtures.ScaledGadget{}, Version: "v1api20110101storage"}
	second := Foreign{API: &fixtures.ScaledGadget{}, Version: "v1beta20110101storage"}
	kind := stored.kind()
	for range 2 {
		if err := RegisterForeign(stored); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(foreigns.known[kind]); got != 1 {
		t.Errorf("one version is registered %d times", got)
	}
	if err := RegisterForeign(second, Foreign{API: otherScaledGadget{&fixtures.ScaledGadget{}}, Version: stored.Version}); err == nil {
		t.Error("another type is registered for a known version")
	}
	if all := ForeignsOf(kind, gadgetHub); len(all) != 1 || all[stored.Version] == nil {
		t.Errorf("a call that fails registers versions: %v", all)
	}
	if err := RegisterForeign(stored, second); err != nil {
		t.Fatal(err)
	}
	all := ForeignsOf(kind, gadgetHub)
	if len(all) != 2 || all[second.Version] == nil {
		t.Fatalf("the versions are %v", all)
	}
	if got := all[stored.Version].Conversions(); got != 3 {
		t.Errorf("a kind with one API version takes %d conversions, want 3", got)
	}
	if none := ForeignsOf(schema.GroupKind{Group: kind.Group, Kind: "None"}, gadgetHub); len(none) != 0 {
		t.Errorf("an unknown kind has the versions %v", none)
	}
}

// otherScaledGadget is another type of the kind.
type otherScaledGadget struct{ *fixtures.ScaledGadget }

// TestDecisionStepsOfKinds wants four steps for each of up to two versions whose conversions are
// registered, and none for what is no hub.
func TestDecisionStepsOfKinds(t *testing.T) {
	type (
		spec   struct{ A *string }
		hub    struct{ Spec *spec }
		listed struct{ Spec []spec }
		bare   struct{ Status *spec }
	)
	for i, want := range []int{0, 4, 8, 8} {
		if got := DecisionSteps(&hub{}); got != want {
			t.Errorf("a kind with %d versions takes %d steps, want %d", i, got, want)
		}
		preserve.RegisterDerived(reflect.TypeFor[spec](), strconv.Itoa(i), func(spec any, _ func() bool) any { return spec })
	}
	for _, none := range []any{nil, hub{}, new(string), &listed{}, &bare{}, []hub{{}}} {
		if got := DecisionSteps(none); got != 0 {
			t.Errorf("%T takes %d steps", none, got)
		}
	}
}
