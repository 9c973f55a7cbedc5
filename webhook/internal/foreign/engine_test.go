package foreign_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime/convert"
	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/example"
	"github.com/stratakube/strata/webhook/internal/example/crm/v20110101"
	"github.com/stratakube/strata/webhook/internal/example/crm/v20150505"
	"github.com/stratakube/strata/webhook/internal/example/crm/v20190909"
	"github.com/stratakube/strata/webhook/internal/foreign"
)

// The versions in which another operator stored persons.
const (
	early  = "v20110101aso"
	middle = "v20150505aso"
	hub    = "v20190909storage"
)

var person = schema.GroupKind{Group: "crm.example.com", Kind: "Person"}

// engines returns both engines of the webhook, which read persons of another operator.
func engines(t testing.TB) map[string]engine.Engine {
	t.Helper()
	err := convert.RegisterForeign(
		convert.Foreign{API: &v20110101.Person{}, Version: early},
		convert.Foreign{API: &v20150505.Person{}, Version: middle},
		convert.Foreign{API: &v20190909.Person{}, Version: "v20190909aso"},
	)
	if err != nil {
		t.Fatal(err)
	}
	scheme := k8sruntime.NewScheme()
	if err := example.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	plans, err := webhook.EngineOf(scheme)
	if err != nil {
		t.Fatal(err)
	}
	types, err := webhook.EngineOfTypes(scheme)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]engine.Engine{"plans": plans, "types": types}
}

func converted(t testing.TB, e engine.Engine, from, to, object string) string {
	t.Helper()
	c := e.Converter(engine.Pair{Kind: person, From: from, To: to})
	if c == nil {
		t.Fatalf("no converter from %s to %s", from, to)
	}
	prefix := []byte("before")
	out, err := engine.Convert(t.Context(), c, prefix, []byte(object), nil)
	if err != nil {
		t.Fatalf("from %s to %s: %v\n%.300s", from, to, err, object)
	}
	if !bytes.HasPrefix(out, prefix) {
		t.Fatalf("what was there before is gone: %.100s", out)
	}
	return string(out[len(prefix):])
}

// stored is a person of the other operator, with a spec and a status.
func stored(version, spec, status string) string {
	return fmt.Sprintf(`{"apiVersion":"crm.example.com/%s","kind":"Person","metadata":{"name":"one","uid":"u"},"spec":%s,"status":%s}`, version, spec, status)
}

func same(t testing.TB, want, got string) {
	t.Helper()
	var w, g any
	if err := errors.Join(json.Unmarshal([]byte(want), &w), json.Unmarshal([]byte(got), &g)); err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestReadEntriesOfBags reads entries as properties of the versions that have them, at any depth.
func TestReadEntriesOfBags(t *testing.T) {
	object := stored(middle, `{"location":"here","originalVersion":"v20110101","properties":{"familyName":"A","$propertyBag":{"FirstName":"5",
		"ResidentialAddress":"{\"city\":\"B\",\"$propertyBag\":{\"Street\":\"true\"}}"}},"$propertyBag":{}}`, `{"location":"there"}`)
	for name, e := range engines(t) {
		t.Run(name, func(t *testing.T) {
			same(t, stored(hub, `{"location":"here","originalVersion":"v20110101","properties":{"familyName":"A",
				"residentialAddress":{"city":"B","street":"true"},"$propertyBag":{"firstName":"5"}}}`, `{"location":"there"}`),
				converted(t, e, middle, hub, object))
			var early, late struct {
				Spec struct {
					Properties struct {
						FirstName          string
						ResidentialAddress map[string]string
					}
				}
			}
			if err := json.Unmarshal([]byte(converted(t, e, middle, "v20110101", object)), &early); err != nil || early.Spec.Properties.FirstName != "5" {
				t.Errorf("v20110101 shows %+v: %v", early, err)
			}
			if err := json.Unmarshal([]byte(converted(t, e, middle, "v20190909", object)), &late); err != nil || late.Spec.Properties.ResidentialAddress["street"] != "true" {
				t.Errorf("v20190909 shows %+v: %v", late, err)
			}
		})
	}
}

// TestPreserveValuesOfNoVersion stores entries that fit no version as they are, where no client
// sees or loses them.
func TestPreserveValuesOfNoVersion(t *testing.T) {
	for _, tt := range []struct{ reason, properties, kept, value string }{
		{"an unknown key", `{"id":"1","$propertyBag":{"Strange":"x"}}`, `{"$propertyBag":{"Strange":%s}}`, `"x"`},
		{"a text that is not JSON", `{"id":"1","$propertyBag":{"ResidentialAddress":"{"}}`, `{"$propertyBag":{"ResidentialAddress":%s}}`, `"{"`},
		{"JSON of another kind", `{"id":"1","$propertyBag":{"ResidentialAddress":"[1]"}}`, `{"$propertyBag":{"ResidentialAddress":%s}}`, `"[1]"`},
		{"JSON with something behind it", `{"id":"1","$propertyBag":{"ResidentialAddress":"{} {}"}}`, `{"$propertyBag":{"ResidentialAddress":%s}}`, `"{} {}"`},
		{"a null", `{"id":"1","$propertyBag":{"ResidentialAddress":"null"}}`, `{"$propertyBag":{"ResidentialAddress":%s}}`, `"null"`},
		{"an empty text", `{"id":"1","$propertyBag":{"ResidentialAddress":""}}`, `{"$propertyBag":{"ResidentialAddress":%s}}`, `""`},
		{"a value that is no text", `{"id":"1","$propertyBag":{"FirstName":{"a":[1.50]}}}`, `{"$propertyBag":{"FirstName":%s}}`, `{"a":[1.50]}`},
		{"a bag that is no object", `{"id":"1","$propertyBag":[1]}`, `{"$propertyBag":%s}`, `[1]`},
		{"a member that no version has", `{"id":"1","strange":{"b":1,"a":1.0}}`, `{"strange":%s}`, `{"b":1,"a":1.0}`},
		{"a property that the version has itself", `{"id":"1","$propertyBag":{"Id":"2"}}`, `{"$propertyBag":{"Id":%s}}`, `"2"`},
		{"an empty key", `{"id":"1","$propertyBag":{"":"2"}}`, `{"$propertyBag":{"":%s}}`, `"2"`},
		{"JSON that is nested too deep", `{"id":"1","$propertyBag":{"ResidentialAddress":"{\"a\":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}"}}`,
			`{"$propertyBag":{"ResidentialAddress":%s}}`, `"{\"a\":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}"`},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			for name, e := range engines(t) {
				want := stored(hub, fmt.Sprintf(`{"properties":{"id":"1"},"originalVersion":"v20110101","$propertyBag":{"$propertyBag@%s":{"properties":%s}}}`,
					middle, fmt.Sprintf(tt.kept, tt.value)), "{}")
				got := converted(t, e, middle, hub, stored(middle, `{"originalVersion":"v20110101","properties":`+tt.properties+`}`, "{}"))
				same(t, want, got)
				if !strings.Contains(got, tt.value) {
					t.Errorf("%s: the value is spelled in another way: %s", name, got)
				}
				for _, version := range []string{"v20110101", "v20150505", "v20190909"} {
					same(t, want, converted(t, e, version, hub, converted(t, e, hub, version, got)))
				}
			}
		})
	}
}

// TestObjectsWithoutOriginalVersion gives such an object the version in which it was stored,
// whichever versions have the entries of its bags.
func TestObjectsWithoutOriginalVersion(t *testing.T) {
	for name, e := range engines(t) {
		for _, original := range []string{"", `"originalVersion":"a|b",`} {
			got := converted(t, e, middle, hub, stored(middle, `{`+original+`"properties":{"id":"1","$propertyBag":{"FirstName":"a"}}}`, "{}"))
			if !strings.Contains(got, `"originalVersion":"v20150505"`) || !strings.Contains(got, `"firstName":"a"`) {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}

// TestForgedHiddenValues reads no status as hidden values: only Strata writes these.
func TestForgedHiddenValues(t *testing.T) {
	for _, status := range []string{`{"propertyBag":"{}"}`, `{"$propertyBag":{"PropertyBag":"{}"}}`, `{"$propertyBag":{"propertyBag":"{}"}}`} {
		for name, e := range engines(t) {
			got := converted(t, e, middle, hub, stored(middle, `{"properties":{"id":"1"}}`, status))
			same(t, stored(hub, `{"originalVersion":"v20150505","properties":{"id":"1"}}`, `{"$propertyBag":{"$propertyBag@`+middle+`":`+status+`}}`), got)
			if t.Failed() {
				t.Fatalf("%s: %s", name, status)
			}
		}
	}
}

// TestEveryObject converts all kinds of objects that a cluster may store, in both engines, to the
// same JSON.
func TestEveryObject(t *testing.T) {
	all := engines(t)
	whole := []string{
		`{"apiVersion":"crm.example.com/` + middle + `","kind":"Person"}`,
		`{"apiVersion":"crm.example.com/` + middle + `","kind":"Person","metadata":{"name":"one"},"spec":null}`,
	}
	for _, part := range []string{"{}", "[]", "5", `"x"`, `{"properties":[]}`, `{"properties":{"id":5,"$propertyBag":{"FirstName":"a"}}}`,
		`{"originalVersion":7}`, `{"originalVersion":"a|b"}`, `{"originalVersion":""}`, `{"originalVersion":"v9"}`,
		`{"$propertyBag":{"Properties":"{\"$propertyBag\":{\"$propertyBag\":\"{}\",\"Id\":\"1\"}}"}}`, `{"tags":{"$propertyBag":"x"}}`,
		`{"$propertyBag":{"Tags":"{\"$propertyBag\":\"x\"}"}}`, `{"$propertyBag":{"Tags":"{\"\\ud800\":\"x\"}"}}`} {
		whole = append(whole, stored(middle, part, part))
	}
	for _, object := range whole {
		for _, to := range []string{hub, "v20110101", "v20150505", "v20190909", early} {
			same(t, converted(t, all["types"], middle, to, object), converted(t, all["plans"], middle, to, object))
		}
	}
}

// TestWrite converts to the operator's version without bags, and with the original version.
func TestWrite(t *testing.T) {
	object := stored(hub, `{"originalVersion":"v20110101","properties":{"id":"1","$propertyBag":{"firstName":"5"}}}`, `{"location":"a"}`)
	for name, e := range engines(t) {
		t.Run(name, func(t *testing.T) {
			same(t, stored(middle, `{"originalVersion":"v20110101","properties":{"id":"1"}}`, `{"location":"a"}`), converted(t, e, hub, middle, object))
		})
	}
}

// TestLargeBags reads bags in time and memory that grow as their size does.
func TestLargeBags(t *testing.T) {
	e := engines(t)["plans"]
	spent := func(n int) float64 {
		var bag strings.Builder
		for i := range n {
			fmt.Fprintf(&bag, `"Strange%d":"{\"a\":[1,2,3]}",`, i)
		}
		object := stored(middle, `{"properties":{"$propertyBag":{`+bag.String()+`"FirstName":"a"}}}`, "{}")
		return testing.AllocsPerRun(1, func() { converted(t, e, middle, hub, object) })
	}
	small, large := spent(2000), spent(8000)
	if large > 6*small {
		t.Errorf("%.0f allocations for 2,000 entries, and %.0f for 8,000", small, large)
	}
}

// TestEndsWithItsContext checks that no conversion is made for a client that has disconnected.
func TestEndsWithItsContext(t *testing.T) {
	for name, e := range engines(t) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		c := e.Converter(engine.Pair{Kind: person, From: middle, To: hub})
		if _, err := engine.Convert(ctx, c, nil, []byte(stored(middle, "{}", "{}")), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKinds lists the versions, and converts each of them from the hub and back.
func TestKinds(t *testing.T) {
	for name, e := range engines(t) {
		kinds := e.Kinds()
		i := slices.IndexFunc(kinds, func(k engine.Kind) bool { return k.GroupKind == person })
		want := []string{"v20110101", early, "v20150505", middle, "v20190909", "v20190909aso", hub}
		slices.Sort(want)
		if diff := cmp.Diff(want, kinds[i].Versions); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if err := engine.Check(t.Context(), e); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, pair := range [][2]string{{middle, middle}, {middle, "v1"}, {"v1", middle}} {
			if c := e.Converter(engine.Pair{Kind: person, From: pair[0], To: pair[1]}); c != nil {
				t.Errorf("%s converts %v", name, pair)
			}
		}
		c := e.Converter(engine.Pair{Kind: person, From: middle, To: "v20110101"})
		costly, ok := c.(engine.Costly)
		if object := []byte(stored(middle, "{}", "{}")); !ok || costly.Cost(object) < int64(len(object)) {
			t.Errorf("%s: the cost is too low", name)
		}
		// To the hub, to each of three versions and back, and to the version of the pair.
		if got := c.Steps(); got != 1+2*3+1 {
			t.Errorf("%s: %d steps", name, got)
		}
	}
}

// priced is an engine whose conversions have given costs.
type priced struct {
	engine.Engine
	costs map[engine.Pair]int64
}

type pricedConverter struct {
	engine.Converter
	cost int64
}

func (c pricedConverter) Cost(object []byte) int64 { return c.cost * int64(len(object)) }

func (p priced) Converter(pair engine.Pair) engine.Converter {
	return pricedConverter{cost: p.costs[pair]}
}

// TestCostIsThatOfLargestConversion checks that the cost covers the largest conversion between
// the hub and an API version, in either direction, and the texts between them. No object is
// converted between the hub and itself, or by the engine behind from a foreign version.
func TestCostIsThatOfLargestConversion(t *testing.T) {
	rest := engines(t)["types"]
	for _, version := range []string{"v20110101", "v20150505", "v20190909"} {
		for _, pair := range []engine.Pair{{Kind: person, From: version, To: hub}, {Kind: person, From: hub, To: version}} {
			p := priced{rest, map[engine.Pair]int64{pair: 7}}
			for _, other := range []string{hub, early, middle} {
				p.costs[engine.Pair{Kind: person, From: hub, To: other}] = 1000
				p.costs[engine.Pair{Kind: person, From: other, To: hub}] = 1000
			}
			c := foreign.New(p).Converter(engine.Pair{Kind: person, From: middle, To: hub})
			if got := c.(engine.Costly).Cost(make([]byte, 100)); got != (7+16)*100 {
				t.Errorf("%s: a cost of %d", pair, got)
			}
		}
	}
}
