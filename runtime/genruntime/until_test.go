package genruntime_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stratakube/strata/runtime/convert"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
)

// late is a context that is done from its second look on.
type late struct {
	context.Context
	looks int
}

func (l *late) Done() <-chan struct{} { return make(chan struct{}) }

func (l *late) Err() error {
	if l.looks++; l.looks > 1 {
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
		shown := fixtures.ShownOf(t, stored)
		err := convert.Until(ctx, shown, func() error {
			return genruntime.ToHub(shown, &fixtures.StoredGadget{}, &fixtures.StoredGadget{}, count)
		})
		if ended := errors.Is(err, context.DeadlineExceeded); ended != ends || steps == 1 == ends {
			t.Errorf("to the hub: %d further steps and %v, if the context ends: %v", steps, err, ends)
		}
		steps = 0
		if ends {
			ctx = &late{Context: t.Context()}
		}
		into := &shownLate{}
		err = convert.Until(ctx, into, func() error { return genruntime.FromHub(into, stored, stored, count) })
		if ended := errors.Is(err, context.DeadlineExceeded); ended != ends || steps != 1 || into.converted == ends {
			t.Errorf("from the hub: %d steps, converted %v, and %v, if the context ends: %v", steps, into.converted, err, ends)
		}
	}
}

// shownLate records that it was converted.
type shownLate struct {
	fixtures.Gadget
	converted bool
}

func (s *shownLate) ConvertFromStorage(*fixtures.StoredGadget) error {
	s.converted = true
	return nil
}
