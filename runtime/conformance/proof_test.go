package conformance

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime"
)

func check(s Spoke, cases int) error {
	return s.check(options{cases: cases, seed: 20, budget: defaultBudget})
}

func TestGoodSpokesPass(t *testing.T) {
	for reason, spoke := range map[string]Spoke{
		"a resource whose conversions use the bag": personSpoke(),
		"conversions that share all memory":        Version("v1", upThing, downThing),
		"a type alone":                             Type[thing]("v1"),
		"a storage type, bag and all":              Type[storedPerson]("v1"),
		"conversions whose bags are never empty":   Version("v1", upBag, downBag),
		"metadata, which JSON cannot write empty":  Type[metadata]("v1"),
		"another decoder":                          Type[thing]("v1").Decode(json.Unmarshal),
	} {
		t.Run(reason, func(t *testing.T) {
			if err := check(spoke, 1000); err != nil {
				t.Error(err)
			}
		})
	}
}

func upBag(src, dst *storedPerson) error {
	return convertBag(src, dst)
}

func downBag(dst, src *storedPerson) error {
	return convertBag(src, dst)
}

func convertBag(src, dst *storedPerson) error {
	*dst = *src
	if src.Spec != nil {
		dst.Spec = new(*src.Spec)
		dst.Spec.PropertyBag = src.Spec.PropertyBag.Clone()
	}
	return nil
}

func TestFaultyConversionsAreCaught(t *testing.T) {
	for _, test := range []struct {
		reason   string
		up, down func(src, dst *thing)
		want     string
	}{
		{
			reason: "a property that up loses",
			up:     func(_, dst *thing) { dst.Name = nil },
			want:   "down(up(x)) is not x at Name: got absent, want",
		},
		{
			reason: "a property that down loses, deep inside",
			down: func(_, dst *thing) {
				dst.Inners = slices.Clone(dst.Inners)
				for i := range dst.Inners {
					dst.Inners[i].Next = nil
				}
			},
			want: ".Next: got absent, want",
		},
		{
			reason: "an empty list that becomes an absent one",
			up:     func(_, dst *thing) { dst.Tags = append([]string(nil), dst.Tags...) },
			want:   "down(up(x)) is not x at Tags: got absent, want []",
		},
		{
			reason: "an absent list that becomes an empty one",
			up:     func(_, dst *thing) { dst.Tags = append([]string{}, dst.Tags...) },
			want:   "down(up(x)) is not x at Tags: got [], want absent",
		},
		{
			reason: "an absent map that becomes an empty one",
			up: func(_, dst *thing) {
				if dst.ByName == nil {
					dst.ByName = map[string]inner{}
				}
			},
			want: "down(up(x)) is not x at ByName: got {}, want absent",
		},
		{
			reason: "an empty map of strings that becomes an absent one",
			up: func(_, dst *thing) {
				if len(dst.Notes) == 0 {
					dst.Notes = nil
				}
			},
			want: "down(up(x)) is not x at Notes: got absent, want {}",
		},
		{
			reason: "a zero that becomes absent",
			up: func(_, dst *thing) {
				if dst.Size != nil && *dst.Size == 0 {
					dst.Size = nil
				}
			},
			want: "down(up(x)) is not x at Size: got absent, want 0",
		},
		{
			reason: "a false that becomes absent",
			up: func(_, dst *thing) {
				if dst.On != nil && !*dst.On {
					dst.On = nil
				}
			},
			want: "down(up(x)) is not x at On: got absent, want false",
		},
		{
			reason: "an object without members that becomes absent",
			up: func(_, dst *thing) {
				if dst.Inner != nil && *dst.Inner == (inner{}) {
					dst.Inner = nil
				}
			},
			want: "down(up(x)) is not x at Inner: got absent, want {}",
		},
		{
			reason: "an integer that goes through float64",
			up: func(_, dst *thing) {
				if dst.Size != nil {
					size := int64(float64(*dst.Size))
					dst.Size = &size
				}
			},
			want: "down(up(x)) is not x at Size: got ",
		},
		{
			reason: "free JSON whose numbers are spelled anew",
			up: func(_, dst *thing) {
				var value any
				if dst.Free != nil && json.Unmarshal(dst.Free, &value) == nil {
					dst.Free, _ = json.Marshal(value)
				}
			},
			want: "down(up(x)) is not x at Free: got ",
		},
		{
			reason: "values in the wrong places of a map",
			up: func(_, dst *thing) {
				swapped := make(map[string]inner, len(dst.ByName))
				for key, value := range dst.ByName {
					swapped[key+"!"] = value
				}
				dst.ByName = swapped
			},
			want: "down(up(x)) is not x at ByName: got ",
		},
		{
			reason: "elements in another order",
			up: func(_, dst *thing) {
				dst.Inners = slices.Clone(dst.Inners)
				slices.Reverse(dst.Inners)
			},
			want: "down(up(x)) is not x at Inners[0].",
		},
		{
			reason: "a source that up changes, where the result shares its memory",
			up: func(src, _ *thing) {
				if len(src.Tags) > 1 {
					src.Tags[0] = "changed"
				}
			},
			want: "up or down changed x at Tags[0]: got \"changed\", want ",
		},
		{
			reason: "a source that down changes",
			down: func(src, _ *thing) {
				if src.Name != nil {
					src.Name = new("changed")
				}
			},
			want: "down changed up(x), or up is not deterministic, at Name: got \"changed\", want ",
		},
		{
			reason: "a bag that down empties without copying it",
			down: func(src, _ *thing) {
				if src.Notes != nil {
					src.Notes = nil
				}
			},
			want: "down changed up(x), or up is not deterministic, at Notes: got absent, want ",
		},
		{
			reason: "an up that is not deterministic, which down undoes",
			up:     func(src, dst *thing) { dst.Name = new(strings.Repeat("x", rand.IntN(1000))) },
			down:   func(src, dst *thing) { dst.Name = nil },
			want:   "Name: ",
		},
		{
			reason: "a panic",
			up:     func(_, dst *thing) { _ = dst.Tags[17] },
			want:   "panic: runtime error: index out of range [17]",
		},
	} {
		t.Run(test.reason, func(t *testing.T) {
			err := check(Version("v1", after(upThing, test.up), flipped(after(downThing2, test.down))), 500)
			wantError(t, err, test.want)
		})
	}
}

func downThing2(src, dst *thing) error { return downThing(dst, src) }

// after returns a conversion followed by a fault.
func after(convert func(src, dst *thing) error, fault func(src, dst *thing)) func(src, dst *thing) error {
	return func(src, dst *thing) error {
		err := convert(src, dst)
		if fault != nil {
			fault(src, dst)
		}
		return err
	}
}

func flipped(convert func(src, dst *thing) error) func(dst, src *thing) error {
	return func(dst, src *thing) error { return convert(src, dst) }
}

func TestErrorsOfConversionsAreFailures(t *testing.T) {
	broken := func(_, _ *thing) error { return errors.New("no way") }
	wantError(t, check(Version("v1", broken, downThing), 1), "case 0: up(x): no way")
	wantError(t, check(Version("v1", upThing, broken), 1), "case 0: down(up(x)): no way")
}

func TestIgnoredFieldsMayBeLost(t *testing.T) {
	emptied := func(dst *person, src *storedPerson) error {
		err := down(dst, src)
		if dst.Status != nil {
			dst.Status = &status{Phase: dst.Status.Phase, Conditions: dst.Status.Conditions}
		}
		return err
	}
	if err := check(Version("v1", up, emptied).Ignore("Status.PropertyBag"), 300); err != nil {
		t.Error("ignored:", err)
	}
	wantError(t, check(Version("v1", up, emptied), 300), "down(up(x)) is not x at Status.PropertyBag: got absent, want")
}

func TestFieldsThatAreNeverDrawnAreCaught(t *testing.T) {
	for _, test := range []struct {
		reason string
		cases  int
		want   string
	}{
		{"few cases prove nothing about coverage", enoughCases - 1, ""},
		{"every property must be drawn", enoughCases, `conformance.starved: 2 fields were never drawn in 200 cases: ["Name" "Tags"]`},
		{"and property bags, which are rarer", enoughForRare, `3 fields were never drawn in 1000 cases: ["Name" "Tags" "Bag"]`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			err := Type[starved]("v1").check(options{cases: test.cases, seed: 20, budget: 0})
			if test.want != "" {
				wantError(t, err, test.want)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// starved is a type of which, without a budget, only the values without pointers are drawn.
type starved struct {
	Name *string               `json:"name,omitzero"`
	Tags map[string]string     `json:"tags,omitzero"`
	Bag  runtime.PropertyBag   `json:"$propertyBag,omitzero"`
	Open struct{ Count int64 } `json:"open"`
}

func TestFailuresNameTheirSeed(t *testing.T) {
	spoke := Version("v1", func(src, dst *thing) error { return share(dst, thing{}) }, downThing)
	err := spoke.check(options{cases: 50, seed: 33, budget: defaultBudget})
	_, rest, found := strings.Cut(err.Error(), "STRATA_SEED=")
	if !found {
		t.Fatalf("no seed in %v", err)
	}
	seed, _, _ := strings.Cut(rest, " ")
	t.Setenv("STRATA_SEED", seed)
	t.Setenv("STRATA_CASES", "1")
	again := spoke.prove("anything")
	_, want, _ := strings.Cut(err.Error(), ": ")
	_, got, _ := strings.Cut(again.Error(), ": ")
	if got != want {
		t.Errorf("repeated:\n%s\nfirst:\n%s", got, want)
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no failure, want one with %q", want)
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("failure is\n%v\nwant one with\n%s", err, want)
	}
}
