package typed_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/example/crm"
	"github.com/stratakube/strata/webhook/internal/example/derived"
)

// TestCostOfDecisions edits objects whose original version can only be decided by conversions: the
// spec is converted to two versions and back.
func TestCostOfDecisions(t *testing.T) {
	e := engineOf(t, crm.AddToScheme)
	const api, hub = "v20150505", "v20190909storage"
	pair := engine.Pair{Kind: schema.GroupKind{Group: "crm.example.com", Kind: "Party"}, From: api, To: hub}
	down := e.Converter(engine.Pair{Kind: pair.Kind, From: hub, To: api}).(engine.Costly)
	without := e.Converter(pair).(engine.Costly)
	count := 0
	derived.RegisterParty(func() { count++ })
	up := e.Converter(pair).(engine.Costly)
	const n = 10_000
	members := func(of func(i int) string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = of(i)
		}
		return `"members":[` + strings.Join(all, ",") + `]`
	}
	const bag = `"$propertyBag":{"x":1}`
	for _, test := range []struct{ reason, properties, was, is string }{
		{"hidden in each element", members(func(i int) string { return fmt.Sprintf(`{"role":"r%d",%s}`, i, bag) }), `"role":"r7"`, `"role":"new"`},
		{"hidden beside empty elements", members(func(int) string { return `{}` }) + `,"displayName":"n",` + bag, `"displayName":"n"`, `"displayName":"new"`},
		{"a long text", `"displayName":"` + strings.Repeat("n", 20*n) + `",` + bag, `"displayName":"n`, `"displayName":"new`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			stored := []byte(`{"apiVersion":"crm.example.com/` + hub + `","kind":"Party","metadata":{"name":"a"},"spec":{"properties":{` + test.properties + `}}}`)
			visible := checkCost(t, down, stored)
			edited := []byte(strings.Replace(string(visible), test.was, test.is, 1))
			count = 0
			checkCost(t, up, edited)
			if count != 4 { // checkCost converts twice
				t.Errorf("the decision converted the spec to %d versions in two writes, want 4", count)
			}
			if up.Cost(edited) <= without.Cost(edited) {
				t.Errorf("a decision costs nothing: %d bytes", up.Cost(edited))
			}
			if plain := []byte(strings.Split(string(visible), `,"status"`)[0] + "}"); up.Cost(plain) != without.Cost(plain) {
				t.Errorf("an object without hidden values costs %d bytes, and %d without decisions", up.Cost(plain), without.Cost(plain))
			}
		})
	}
}
