package typed_test

import (
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/example/crm"
)

// TestCost checks that a conversion uses no more memory than its cost. It uses the objects that
// need most for their length: those of many short objects, lists and maps. It measures allocations,
// so that the time of garbage collections does not matter.
func TestCost(t *testing.T) {
	party := schema.GroupKind{Group: "crm.example.com", Kind: "Party"}
	list := func(element string, n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
	}
	entries := func(n int) string {
		var out strings.Builder
		for i := range n {
			fmt.Fprintf(&out, `,"c%d":{}`, i)
		}
		return "{" + out.String()[1:] + "}"
	}
	const n = 20_000
	for _, test := range []struct{ reason, rest string }{
		{"a text", `"metadata":{"name":"a"},"spec":{"properties":{"displayName":"` + strings.Repeat("x", 10*n) + `"}}`},
		{"empty objects in a list", `"metadata":{"name":"a"},"spec":{"properties":{"members":` + list("{}", n) + `}}`},
		{"objects and wrong values in a list", `"metadata":{"name":"a"},"spec":{"properties":{"members":` + list("{},1", n) + `}}`},
		{"wrong values in a list", `"metadata":{"name":"a"},"spec":{"properties":{"members":` + list("1", n) + `}}`},
		{"wrong members in a list", `"metadata":{"name":"a"},"spec":{"properties":{"members":` + list(`{"role":1}`, n) + `}}`},
		{"empty objects in a map", `"metadata":{"name":"a"},"spec":{"properties":{"channels":` + entries(n) + `}}`},
		{"empty conditions", `"metadata":{"name":"a"},"status":{"conditions":` + list("{}", n) + `}`},
		{"empty managed fields", `"metadata":{"name":"a","managedFields":` + list("{}", n) + `}`},
		{"empty owner references", `"metadata":{"name":"a","ownerReferences":` + list("{}", n) + `}`},
	} {
		for _, pair := range []engine.Pair{{Kind: party, From: "v20150505", To: "v20190909storage"}, {Kind: party, From: "v20150505", To: "v20190909"}} {
			t.Run(test.reason+" to "+pair.To, func(t *testing.T) {
				c, ok := engineOf(t, crm.AddToScheme).Converter(pair).(engine.Costly)
				if !ok {
					t.Fatal("the converter does not tell what it costs")
				}
				object := []byte(`{"apiVersion":"crm.example.com/v20150505","kind":"Party",` + test.rest + `}`)
				convert := func() (result int) {
					out, err := c.Append(t.Context(), nil, object)
					if err != nil {
						t.Fatal(err)
					}
					return len(out)
				}
				convert() // allocates what is allocated only once
				defer debug.SetGCPercent(debug.SetGCPercent(-1))
				var before, after goruntime.MemStats
				goruntime.ReadMemStats(&before)
				result := convert()
				goruntime.ReadMemStats(&after)
				taken, cost := int64(after.TotalAlloc-before.TotalAlloc), c.Cost(object)+int64(result)
				t.Logf("%.1f bytes for each of the object, of %.1f", float64(taken)/float64(len(object)), float64(cost)/float64(len(object)))
				if taken > cost {
					t.Errorf("%d bytes are allocated, and %d expected, for an object of %d", taken, cost, len(object))
				}
			})
		}
	}
}
