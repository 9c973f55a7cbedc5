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
)

func TestAConversionEndsWithItsContext(t *testing.T) {
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
