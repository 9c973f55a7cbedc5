package typed_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/example/crm"
	"github.com/stratakube/strata/webhook/internal/hotel"
)

func TestConversionEndsWithItsContext(t *testing.T) {
	pair := engine.Pair{Kind: schema.GroupKind{Group: "crm.example.com", Kind: "Person"}, From: "v20110101", To: "v20190909storage"}
	c := engineOf(t, crm.AddToScheme).Converter(pair)
	if c == nil {
		t.Fatal("no converter")
	}
	object := []byte(`{"apiVersion":"crm.example.com/v20110101","kind":"Person","metadata":{"name":"ada"},"spec":{"properties":{"firstName":"Ada"}}}`)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := c.Append(ctx, nil, object); err != nil {
		t.Fatal(err)
	}
	cancel()
	if out, err := c.Append(ctx, nil, object); !errors.Is(err, context.Canceled) {
		t.Errorf("got %s, %v", out, err)
	}
}

// TestUnknownMembersBesideDamagedMetadata checks that the time is linear in the number of members.
// Otherwise the test would not end in time.
func TestUnknownMembersBesideDamagedMetadata(t *testing.T) {
	pair := engine.Pair{Kind: schema.GroupKind{Group: "crm.example.com", Kind: "Person"}, From: "v20110101", To: "v20190909storage"}
	c := engineOf(t, crm.AddToScheme).Converter(pair)
	took := func(n int) time.Duration {
		var object strings.Builder
		object.WriteString(`{"apiVersion":"crm.example.com/v20110101","kind":"Person","metadata":{"name":5}`)
		for i := range n {
			fmt.Fprintf(&object, `,"m%d":1`, i)
		}
		object.WriteString(`}`)
		best := time.Hour
		for range 3 {
			start := time.Now()
			if _, err := c.Append(t.Context(), nil, []byte(object.String())); err != nil {
				t.Fatal(err)
			}
			best = min(best, time.Since(start))
		}
		return best
	}
	const tries, n, tooSteep = 4, 4000, 10
	for try := 1; ; try++ {
		if ratio := float64(took(4*n)) / float64(took(n)); ratio < tooSteep {
			return
		} else if try == tries {
			t.Fatalf("four times the members take %.1f times as long", ratio)
		}
	}
}

// ending is a context that ends after some looks at it, and counts them.
type ending struct {
	context.Context
	after, looks int
}

func (e *ending) Done() <-chan struct{} { return make(chan struct{}) }

func (e *ending) Err() error {
	if e.looks++; e.looks > e.after {
		return context.DeadlineExceeded
	}
	return nil
}

// TestConversionsLookAtTheirContext checks that decoding and encoding each look at the context once
// for 1,024 values, and that each look ends the conversion.
func TestConversionsLookAtTheirContext(t *testing.T) {
	const values, between = 8 << 10, 1 << 10
	head := func(version, metadata string) string {
		return `{"apiVersion":"crm.example.com/` + version + `","kind":"Party","metadata":` + metadata
	}
	list := func(of string) string { return "[" + strings.Repeat(of+",", values-1) + of + "]" }
	members := func(of string) string {
		var b strings.Builder
		for i := range values {
			fmt.Fprintf(&b, `,"k%d":%s`, i, of)
		}
		return "{" + b.String()[1:] + "}"
	}
	const api, hub = "v20150505", "v20190909storage"
	properties := func(version, of string) string {
		return head(version, `{"name":"p"}`) + `,"spec":{"properties":{` + of + `}}}`
	}
	for _, test := range []struct {
		reason, from, to, object string
		wanted                   int // looks for 1,024 values
	}{
		{"objects", api, hub, properties(api, `"members":`+list(`{}`)), 2},
		{"objects, down", hub, api, properties(hub, `"members":`+list(`{"share":1}`)), 2},
		{"a map", api, hub, properties(api, `"attributes":`+members(`"a"`)), 2},
		{"a map, by way of the hub", api, "v20190909", properties(api, `"attributes":`+members(`"a"`)), 2},
		{"wrong types", api, hub, properties(api, `"members":`+list(`7`)), 2},
		{"free JSON in a list", api, hub, properties(api, `"extensions":`+list(`7`)), 2},
		{"free JSON in an object", api, hub, properties(api, `"extensions":`+members(`7`)), 2},
		{"a property bag", hub, api, head(hub, `{}`) + `,"spec":{"$propertyBag":{"k":` + list(`7`) + `}}}`, 1},
		{"unknown members", api, hub, properties(api, members(`7`)[1:len(members(`7`))-1]), 1},
		{"damaged metadata", api, hub, head(api, `{"name":7,"labels":{"a":7},"odd":7}`) + "," + members(`7`)[1:], 2},
		{"much damaged metadata", api, hub, head(api, members(`7`)) + "}", 1},
	} {
		c := engineOf(t, crm.AddToScheme).Converter(engine.Pair{Kind: schema.GroupKind{Group: "crm.example.com", Kind: "Party"}, From: test.from, To: test.to})
		ctx := &ending{Context: t.Context(), after: 1 << 20}
		if _, err := c.Append(ctx, nil, []byte(test.object)); err != nil {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		if wanted := test.wanted * values / between; ctx.looks < wanted {
			t.Errorf("%s: %d looks, want %d", test.reason, ctx.looks, wanted)
		}
		for after := range min(ctx.looks, 64) {
			if out, err := c.Append(&ending{Context: t.Context(), after: after}, nil, []byte(test.object)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: ended at look %d of %d with %v and %d bytes", test.reason, after, ctx.looks, err, len(out))
			}
		}
	}
}

// TestTypesOfOthersEndBetweenStages checks that conversions of types that Strata did not generate
// end before they are decoded, before they are converted, and before they are encoded.
func TestTypesOfOthersEndBetweenStages(t *testing.T) {
	pair := engine.Pair{Kind: schema.GroupKind{Group: "hotel.example.com", Kind: "Room"}, From: "v1", To: "v1beta1"}
	c := engineOf(t, hotel.AddToScheme).Converter(pair)
	object := []byte(`{"apiVersion":"hotel.example.com/v1","kind":"Room","metadata":{"name":"a"}}`)
	// Before and after decoding, in the hub's version, and at the end; before and after each of two
	// methods.
	const looks = 4 + 2*2
	for after := range looks + 1 {
		ctx := &ending{Context: t.Context(), after: after}
		if _, err := c.Append(ctx, nil, object); (err == nil) != (after == looks) || err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %d looks the error is %v", after, err)
		}
	}
}
