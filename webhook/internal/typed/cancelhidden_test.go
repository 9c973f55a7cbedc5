package typed_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/example/crm"
)

// TestHiddenValuesLookAtTheirContext checks that a conversion looks at the context also while it
// writes hidden values, and while it restores them: more often than one without hidden values, once
// for 1,024 of them. Each look ends the conversion.
func TestHiddenValuesLookAtTheirContext(t *testing.T) {
	const values, between = 8 << 10, 1 << 10
	const api, hub = "v20150505", "v20190909storage"
	kind := schema.GroupKind{Group: "crm.example.com", Kind: "Party"}
	e := engineOf(t, crm.AddToScheme)
	convert := func(from, to string, object []byte) (out []byte, looks int) {
		t.Helper()
		c := e.Converter(engine.Pair{Kind: kind, From: from, To: to})
		ctx := &ending{Context: t.Context(), after: 1 << 20}
		out, err := c.Append(ctx, nil, object)
		if err != nil {
			t.Fatal(err)
		}
		for after := range min(ctx.looks, 128) {
			if _, err := c.Append(&ending{Context: t.Context(), after: after}, nil, object); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: ended at look %d of %d with %v", from, after, ctx.looks, err)
			}
		}
		return out, ctx.looks
	}
	stored := func(bag string) []byte {
		var members strings.Builder
		for i := range values {
			fmt.Fprintf(&members, `,{"role":"r%d"%s}`, i, bag)
		}
		return []byte(`{"apiVersion":"crm.example.com/` + hub + `","kind":"Party","metadata":{"name":"a"},"spec":{"originalVersion":"` + api + `","properties":{"members":[` + members.String()[1:] + `]}}}`)
	}
	visible, down := convert(hub, api, stored(`,"$propertyBag":{"x":1}`))
	bare, downBare := convert(hub, api, stored(""))
	if got := down - downBare; got < 2*values/between {
		t.Errorf("%d looks while values are hidden", got)
	}
	_, up := convert(api, hub, visible)
	_, upBare := convert(api, hub, bare)
	if got := up - upBare; got < 2*values/between {
		t.Errorf("%d looks while values are restored", got)
	}
}
