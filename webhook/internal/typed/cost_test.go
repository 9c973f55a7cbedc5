package typed_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/example/crm"
	"github.com/stratakube/strata/webhook/internal/heaptest"
)

// TestCost checks that a conversion has no more memory in use than its cost. It uses the objects
// that need most for their length: those of many short objects, lists and maps.
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
	const older, newer = "v20150505", "v20190909" // newer alone has a map of objects
	for _, test := range []struct{ reason, from, rest string }{
		{"a text", older, `"metadata":{"name":"a"},"spec":{"properties":{"displayName":"` + strings.Repeat("x", 10*n) + `"}}`},
		{"empty objects in a list", older, `"metadata":{"name":"a"},"spec":{"properties":{"members":` + list("{}", n) + `}}`},
		{"objects and wrong values in a list", older, `"metadata":{"name":"a"},"spec":{"properties":{"members":` + list("{},1", n) + `}}`},
		{"wrong values in a list", older, `"metadata":{"name":"a"},"spec":{"properties":{"members":` + list("1", n) + `}}`},
		{"wrong members in a list", older, `"metadata":{"name":"a"},"spec":{"properties":{"members":` + list(`{"role":1}`, n) + `}}`},
		{"empty objects in a map", newer, `"metadata":{"name":"a"},"spec":{"properties":{"channels":` + entries(n) + `}}`},
		{"empty conditions", older, `"metadata":{"name":"a"},"status":{"conditions":` + list("{}", n) + `}`},
		{"empty managed fields", older, `"metadata":{"name":"a","managedFields":` + list("{}", n) + `}`},
		{"empty owner references", older, `"metadata":{"name":"a","ownerReferences":` + list("{}", n) + `}`},
	} {
		other := newer
		if test.from == newer {
			other = older
		}
		for _, pair := range []engine.Pair{{Kind: party, From: test.from, To: newer + "storage"}, {Kind: party, From: test.from, To: other}} {
			t.Run(test.reason+" to "+pair.To, func(t *testing.T) {
				c, ok := engineOf(t, crm.AddToScheme).Converter(pair).(engine.Costly)
				if !ok {
					t.Fatal("the converter does not tell what it costs")
				}
				result := checkCost(t, c, []byte(`{"apiVersion":"crm.example.com/`+test.from+`","kind":"Party",`+test.rest+`}`))
				if test.from == newer && pair.To != other && !strings.Contains(string(result), `"channels":{"c0":{}`) {
					t.Errorf("the map is lost: %.300s", result)
				}
			})
		}
	}
}

// checkCost converts an object, checks that this has no more memory in use than its cost, and
// returns the result.
func checkCost(t *testing.T, c engine.Costly, object []byte) (result []byte) {
	t.Helper()
	convert := func() {
		var err error
		if result, err = c.Append(t.Context(), nil, object); err != nil {
			t.Fatal(err)
		}
	}
	convert() // allocates what is allocated only once
	cost := c.Cost(object) + int64(len(result))
	taken := heaptest.Within(cost, func() { result = nil; convert() })
	t.Logf("%.1f bytes for each of the object, of %.1f", float64(taken)/float64(len(object)), float64(cost)/float64(len(object)))
	if taken > cost {
		t.Errorf("%d bytes are in use, and %d expected, for an object of %d", taken, cost, len(object))
	}
	return result
}

// TestCostOfHiddenValues converts stored objects that hide a value in each element of a list to a
// version, and back, also after an edit.
func TestCostOfHiddenValues(t *testing.T) {
	kind := schema.GroupKind{Group: "crm.example.com", Kind: "Party"}
	e := engineOf(t, crm.AddToScheme)
	const api, hub = "v20150505", "v20190909storage"
	down, isCostly := e.Converter(engine.Pair{Kind: kind, From: hub, To: api}).(engine.Costly)
	up, areCostly := e.Converter(engine.Pair{Kind: kind, From: api, To: hub}).(engine.Costly)
	if !isCostly || !areCostly {
		t.Fatal("a converter does not report its cost")
	}
	entries := func(n int, of func(i int) string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = of(i)
		}
		return strings.Join(all, ",")
	}
	const n = 10_000
	const bag = `"$propertyBag":{"x":1}`
	for _, test := range []struct{ reason, properties, was, is string }{
		{"hidden in each element", `"members":[` + entries(n, func(i int) string { return fmt.Sprintf(`{"role":"r%d",%s}`, i, bag) }) + `]`, `"role":"r7"`, `"role":"new"`},
		{"hidden in one bag", `"displayName":"n","$propertyBag":{` + entries(2*n, func(i int) string { return fmt.Sprintf(`"k%d":1`, i) }) + `}`, `"displayName":"n"`, `"displayName":"new"`},
		{"hidden in equal elements", `"members":[` + entries(n, func(int) string { return `{"role":"r",` + bag + `}` }) + `]`, `"role":"r"`, `"role":"new"`},
		{"members that the storage type lacks", `"displayName":"n","members":[` + entries(n, func(int) string { return `{"a":1}` }) + `]`, `"displayName":"n"`, `"displayName":"new"`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			stored := []byte(`{"apiVersion":"crm.example.com/` + hub + `","kind":"Party","metadata":{"name":"a"},"spec":{"originalVersion":"` + api + `","properties":{` + test.properties + `}}}`)
			visible := checkCost(t, down, stored)
			if !strings.Contains(string(visible), test.was) {
				t.Fatalf("it is shown as %.300s", visible)
			}
			if back := checkCost(t, up, visible); !strings.Contains(string(back), `"$propertyBag":{"`) && !strings.Contains(string(back), `{"a":1}`) {
				t.Errorf("the values are not restored: %.300s", back)
			}
			checkCost(t, up, []byte(strings.Replace(string(visible), test.was, test.is, 1)))
		})
	}
}

// TestTextsCostNoGoValues checks that objects and lists in managed fields, in free JSON and in
// texts count as text. If such an object may be stored, it must not be refused.
func TestTextsCostNoGoValues(t *testing.T) {
	var fields strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&fields, `,"f:x%d":{}`, i)
	}
	many := fields.String()[1:]
	pair := engine.Pair{Kind: schema.GroupKind{Group: "crm.example.com", Kind: "Party"}, From: "v20150505", To: "v20190909storage"}
	c := engineOf(t, crm.AddToScheme).Converter(pair).(engine.Costly)
	const dear = 250 << 20 // some objects above 1.5 MiB that cost more are refused
	for _, test := range []struct {
		reason, rest string
		dear         bool
	}{
		{"managed fields", `"metadata":{"name":"a","managedFields":[{"manager":"m","operation":"Apply","fieldsType":"FieldsV1","fieldsV1":{` + many + `}}]}`, false},
		{"brackets in a text", `"metadata":{"name":"a"},"spec":{"properties":{"displayName":"` + strings.Repeat(`{[\"`, 200_000) + `"}}`, false},
		{"a member that this version does not have", `"metadata":{"name":"a"},"spec":{"properties":{"members":[{"role":"r","$propertyBag":{` + many + `}}]}}`, true},
		{"members that no type has", `"metadata":{"name":"a"},"spec":{"properties":{"unknown":{` + many + `}}}`, true},
		{"objects in a map", `"metadata":{"name":"a"},"spec":{"properties":{"channels":{` + many + `}}}`, true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			object := []byte(`{"apiVersion":"crm.example.com/v20150505","kind":"Party",` + test.rest + `}`)
			cost := c.Cost(object)
			if t.Logf("%d for %d bytes", cost, len(object)); cost > dear != test.dear {
				t.Errorf("an object of %d bytes costs %d", len(object), cost)
			}
			if !test.dear {
				checkCost(t, c, object)
			}
		})
	}
	stored := []byte(`{"spec":{"properties":{"$propertyBag":{` + many + `}}}}`)
	down := engineOf(t, crm.AddToScheme).Converter(engine.Pair{Kind: pair.Kind, From: pair.To, To: pair.From}).(engine.Costly)
	if cost := down.Cost(stored); cost > dear {
		t.Errorf("a property bag of %d bytes costs %d", len(stored), cost)
	}
}

// TestBagAnnotationsCost checks that the entries of a bag also count if the bag is in an
// annotation.
func TestBagAnnotationsCost(t *testing.T) {
	pair := engine.Pair{Kind: schema.GroupKind{Group: "crm.example.com", Kind: "Party"}, From: "v20150505", To: "v20190909storage"}
	c := engineOf(t, crm.AddToScheme).Converter(pair).(engine.Costly)
	bag := strings.Repeat(`\"k\":1,`, 1000)
	cost := func(annotation string) int64 {
		object := fmt.Sprintf(`{"apiVersion":"crm.example.com/v20150505","kind":"Party","metadata":{"annotations":{%q:"{%s}"}}}`, annotation, bag)
		return c.Cost([]byte(object)) - 16*int64(len(object))
	}
	if bag, other := cost(runtime.BagAnnotation), cost("another"); bag < other+1000*64 {
		t.Errorf("a bag of 1,000 entries costs %d, and another annotation %d", bag, other)
	}
}
