package convert

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
		if slices.Contains([]string{"nested objects", "unknown members beside a null", "wrong texts of angle brackets"}, test.name) {
			continue // they have few values, or nothing of them is written
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

// TestPlansEndWithTheirContext checks that a plan asks its context for every 1,024 values, in free
// JSON too, and that each of these looks ends the conversion.
func TestPlansEndWithTheirContext(t *testing.T) {
	const values = 16 * watch.Between
	up, down := gadgetWays(t)
	list := func(of string) string { return "[" + strings.Repeat(of+",", values-1) + of + "]" }
	members := func(of string) string {
		return "{" + linear.Members(values, func(i int) string { return fmt.Sprintf(`"k%d":%s`, i, of) }) + "}"
	}
	for name, object := range map[string]string{
		"texts":                    gadgetHead + `,"spec":{"lines":` + list(`"a"`) + `}}`,
		"objects":                  gadgetHead + `,"spec":{"parts":` + list(`{}`) + `}}`,
		"lists in lists":           gadgetHead + `,"spec":{"rows":` + list(`[]`) + `}}`,
		"a map":                    gadgetHead + `,"spec":{"tags":` + members(`"b"`) + `}}`,
		"a map of objects":         gadgetHead + `,"spec":{"spares":` + members(`{}`) + `}}`,
		"an open object":           gadgetHead + `,"spec":{"open":` + members(`{}`) + `}}`,
		"a list of free JSON":      gadgetHead + `,"spec":{"free":` + list(`7`) + `}}`,
		"an object of free JSON":   gadgetHead + `,"spec":{"free":` + members(`null`) + `}}`,
		"labels":                   gadgetHead[:len(gadgetHead)-1] + `,"labels":` + members(`"b"`) + `}}`,
		"managed fields":           gadgetHead[:len(gadgetHead)-1] + `,"managedFields":[{"manager":"m","operation":"Apply","fieldsV1":` + members(`{}`) + `}]}}`,
		"the hub":                  hubWith(`"parts":` + list(`{"on":true}`)),
		"the hub, with a bag":      hubWith(`"$propertyBag":{"k":1},"lines":` + list(`"a"`)),
		"the bag of the hub":       hubWith(`"$propertyBag":{"k":` + list(`7`) + `}`),
		"the hub, with late a bag": hubWith(`"parts":` + strings.TrimSuffix(list(`{"on":true}`), "{\"on\":true}]") + `{"$propertyBag":{"k":1}}]`),
	} {
		c := up
		if strings.Contains(object, gadgetHub) {
			c = down
		}
		ctx := &weary{t.Context(), 1 << 20}
		if _, why := c.Append(ctx, nil, []byte(object)); why != Converted {
			t.Errorf("%s: refused as %s", name, why)
		}
		looks := 1<<20 - ctx.looks
		if looks < values/watch.Between {
			t.Errorf("%s: %d looks at the context for %d values", name, looks, values)
		}
		for k := range looks {
			out, length, why := c.AppendFirst(&weary{t.Context(), k}, []byte("before"), []byte(object), 100)
			if why != Canceled || length != 0 || string(out) != "before" {
				t.Errorf("%s: %s at look %d of %d", name, why, k, looks)
			}
		}
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
