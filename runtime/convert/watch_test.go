package convert

import (
	"context"
	"errors"
	"testing"

	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/linear"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// weary is a context that is done after some looks at it.
type weary struct {
	context.Context
	looks int
}

func (w *weary) Done() <-chan struct{} { return make(chan struct{}) }

func (w *weary) Err() error {
	if w.looks--; w.looks < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

func TestLongObjectsEndWithTheirContext(t *testing.T) {
	for _, test := range growing {
		if test.name == "nested objects" || test.name == "unknown members beside a null" {
			continue // one is short, of the other nothing is written
		}
		t.Run(test.name, func(t *testing.T) {
			data := []byte(`{` + apiHead + `,"spec":` + test.spec(8*watch.Between) + `}`)
			if err := DecodeContext(&weary{t.Context(), 2}, data, new(fixtures.Gadget)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("decoding ended with %v", err)
			}
			if err := DecodeContext(&weary{t.Context(), 1 << 20}, data, new(fixtures.Gadget)); err != nil {
				t.Errorf("decoding failed with %v", err)
			}
		})
	}
	stored := storedIn(t, `{"parts":[`+linear.Members(8*watch.Between, func(int) string { return `{"color":"a"}` })+`]}`)
	out, err := AppendContext(&weary{t.Context(), 2}, []byte("before"), stored)
	if !errors.Is(err, context.DeadlineExceeded) || string(out) != "before" {
		t.Errorf("encoding ended with %v and %d bytes", err, len(out))
	}
	if _, err := AppendContext(t.Context(), nil, stored); err != nil {
		t.Error(err)
	}
}

// TestLooksAreRare wants a watch to ask its context at the begin, and then once in many steps.
func TestLooksAreRare(t *testing.T) {
	var none context.Context
	if watch.New(none) != nil || watch.New(context.Background()) != nil {
		t.Error("a context that never ends is watched")
	}
	ctx := &weary{t.Context(), 1 << 20}
	w := watch.New(ctx)
	for range 3*watch.Between + 1 {
		if !w.OK() {
			t.Fatal(w.Err)
		}
	}
	if looks := 1<<20 - ctx.looks; looks != 4 {
		t.Errorf("%d looks at the context in %d steps", looks, 3*watch.Between+1)
	}
	ctx.looks = 0
	steps := 0
	for ; w.OK(); steps++ {
	}
	if steps >= watch.Between || !w.Failed() {
		t.Errorf("the watch ends after %d steps, and has failed: %t", steps, w.Failed())
	}
	looks := ctx.looks
	for range 2 * watch.Between {
		if w.OK() {
			t.Fatal("an ended watch goes on")
		}
	}
	if ctx.looks != looks {
		t.Error("an ended watch asks its context again")
	}
}
