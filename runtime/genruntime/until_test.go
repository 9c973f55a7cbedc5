package genruntime_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/convert"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// late is a context that is done after some looks, and after the first if none are set.
type late struct {
	context.Context
	looks, after int
}

func (l *late) Done() <-chan struct{} { return make(chan struct{}) }

func (l *late) Err() error {
	if l.looks++; l.looks > max(1, l.after) {
		return context.DeadlineExceeded
	}
	return nil
}

// TestConversionsEndBetweenTheirSteps checks that a conversion whose context is done after its
// first step does not begin the second one.
func TestConversionsEndBetweenTheirSteps(t *testing.T) {
	stored := fixtures.BigGadget(false)
	for _, ends := range []bool{false, true} {
		steps := 0
		ctx := t.Context()
		if ends {
			ctx = &late{Context: ctx}
		}
		count := func(*fixtures.StoredGadget, *fixtures.StoredGadget) error {
			steps++
			return nil
		}
		visible := fixtures.APIOf(t, stored)
		err := convert.Until(ctx, visible, func() error {
			return genruntime.ToHub(visible, &fixtures.StoredGadget{}, &fixtures.StoredGadget{}, count)
		})
		if ended := errors.Is(err, context.DeadlineExceeded); ended != ends || steps == 1 == ends {
			t.Errorf("to the hub: %d further steps and %v, if the context ends: %v", steps, err, ends)
		}
		steps = 0
		if ends {
			ctx = &late{Context: t.Context()}
		}
		into := &visibleLate{}
		err = convert.Until(ctx, into, func() error { return genruntime.FromHub(into, stored, stored, count) })
		if ended := errors.Is(err, context.DeadlineExceeded); ended != ends || steps != 1 || into.converted == ends {
			t.Errorf("from the hub: %d steps, converted %v, and %v, if the context ends: %v", steps, into.converted, err, ends)
		}
	}
}

// visibleLate records that it was converted.
type visibleLate struct {
	fixtures.Gadget
	converted bool
}

func (s *visibleLate) ConvertFromStorage(*fixtures.StoredGadget) error {
	s.converted = true
	return nil
}

// lateSpec is the spec of a hub that a version represents only by conversions.
type lateSpec struct {
	Title           *string             `json:"title,omitzero"`
	Text            *string             `json:"text,omitzero"`
	OriginalVersion string              `json:"originalVersion,omitzero"`
	PropertyBag     runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// TestDecisionEndsWithItsContext checks that the decision on an original version begins no further
// conversion when its context is done. It converts to two versions and back.
func TestDecisionEndsWithItsContext(t *testing.T) {
	converted := 0
	for _, version := range []string{"v1", "v2"} {
		pass := func(src, dst *lateSpec) error {
			converted++
			*dst = lateSpec{Text: src.Text}
			return nil
		}
		genruntime.RegisterDerived(version, pass, pass)
	}
	expressions := genruntime.Expressions{
		Versions: []genruntime.Expression{{Version: "v1", Lacks: 1}, {Version: "v2", Lacks: 1}, {Version: "v3", Hub: true}},
		Lists:    genruntime.Lists{{{Name: "title"}}},
	}
	conversions := func(looks int) int {
		converted = 0
		g := new(fixtures.Gadget)
		spec := &lateSpec{Title: new("x"), OriginalVersion: "v1|v2"}
		ctx := &late{Context: t.Context(), after: looks}
		err := convert.Until(ctx, g, func() error {
			genruntime.DecideOriginal(g, spec, expressions)
			return nil
		})
		if ended := errors.Is(err, context.DeadlineExceeded); !ended && (converted < 4 || spec.OriginalVersion != "v2") {
			t.Errorf("after %d looks: %d conversions and %q, although the context was not done", looks, converted, spec.OriginalVersion)
		}
		return converted
	}
	last := -1
	for looks := range 12 {
		got := conversions(looks + 1)
		if got > last+1 {
			t.Errorf("%d conversions between two looks", got-last)
		}
		last = got
	}
	if last != 4 {
		t.Errorf("a whole decision has %d conversions, want 4", last)
	}
}

// TestDecisionOfStorageObject checks that ToHub passes the context of an API object to the
// decision in its second step.
func TestDecisionOfStorageObject(t *testing.T) {
	g := fixtures.APIOf(t, fixtures.BigGadget(false))
	ended, isOther := false, false
	var own *fixtures.StoredGadget
	err := convert.Until(&late{Context: t.Context(), after: 2}, g, func() error {
		return genruntime.ToHub(g, new(fixtures.StoredGadget), new(fixtures.StoredGadget), func(src, _ *fixtures.StoredGadget) error {
			own = src
			ended, isOther = watch.Of(src).Ended(), watch.Of(new(fixtures.StoredGadget)) != nil
			return nil
		})
	})
	if err == nil || !ended || isOther {
		t.Errorf("the step's look at the context reports %v, that of another object %v (%v)", ended, isOther, err)
	}
	if watch.Of(own) != nil {
		t.Error("the storage object still has the context after the conversion")
	}
}
