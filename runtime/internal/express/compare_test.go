package express

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/shape"
)

type compared struct {
	Name  *string          `json:"name,omitzero"`
	List  []int64          `json:"list,omitzero"`
	Tags  map[string]int64 `json:"tags,omitzero"`
	Ratio *float64         `json:"ratio,omitzero"`
	Free  runtime.JSON     `json:"free,omitzero"`
	Inner []*comparedInner `json:"inner,omitzero"`
}

type comparedInner struct {
	Free                 map[string]runtime.JSON `json:"free,omitzero"`
	AdditionalProperties map[string]runtime.JSON `json:"-"`
	PropertyBag          runtime.PropertyBag     `json:"$propertyBag,omitzero"`
}

func (o comparedInner) MarshalJSON() ([]byte, error) {
	out := maps.Clone(o.AdditionalProperties)
	if out == nil {
		out = map[string]runtime.JSON{}
	}
	for name, value := range map[string]any{"free": o.Free, bag.Name: o.PropertyBag} {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		if string(text) != "null" {
			out[name] = text
		}
	}
	return json.Marshal(out)
}

// TestLost checks at which of some paths two specs differ. A path that is absent in the other
// spec differs. If a spec has no JSON, all paths count as different.
func TestLost(t *testing.T) {
	name, list, tags := (*Path)(nil).to(member("name")), (*Path)(nil).to(member("list")), (*Path)(nil).to(member("tags"))
	free := (*Path)(nil).to(member("free"))
	paths := []*Path{name, list.to(step{index: 0}), list.to(step{index: 1}), tags.to(member("a")), free.to(member("x"))}
	whole := compared{Name: new("n"), List: []int64{1, 2}, Tags: map[string]int64{"a": 1}, Free: runtime.JSON(`{"x":1.0}`)}
	broken := compared{Ratio: new(math.NaN())}
	for _, test := range []struct {
		reason       string
		first, other compared
		want         string
	}{
		{"the same", whole, whole, ""},
		{"another spelling", whole, compared{Name: new("n"), List: []int64{1, 2}, Tags: map[string]int64{"a": 1}, Free: runtime.JSON(`{ "x" : 1.0 }`)}, ""},
		{"nothing", whole, compared{}, "name list[0] list[1] tags.a free.x"},
		{"a shorter list", whole, compared{Name: new("n"), List: []int64{1}, Tags: map[string]int64{"a": 1}, Free: whole.Free}, "list[1]"},
		{"an empty list", whole, compared{Name: new("n"), List: []int64{}, Tags: map[string]int64{"a": 1}, Free: whole.Free}, "list[0] list[1]"},
		{"other elements", whole, compared{Name: new("n"), List: []int64{3, 2}, Tags: map[string]int64{"a": 1}, Free: whole.Free}, "list[0]"},
		{"a value of another kind", whole, compared{Name: new("n"), List: []int64{1, 2}, Tags: map[string]int64{"a": 1}, Free: runtime.JSON(`["x"]`)}, "free.x"},
		{"a null and nothing", compared{Name: new("n"), List: []int64{1, 2}, Tags: map[string]int64{"a": 1}, Free: runtime.JSON(`{"x":null}`)},
			compared{Name: new("n"), List: []int64{1, 2}, Tags: map[string]int64{"a": 1}, Free: runtime.JSON(`{}`)}, "free.x"},
		{"a repeated member, whose last value counts", compared{Free: runtime.JSON(`{"x":1,"y":0,"x":2}`)}, compared{Free: runtime.JSON(`{"y":1,"x":1,"x":2}`)}, ""},
		{"the other has no JSON", whole, broken, "name list[0] list[1] tags.a free.x"},
		{"the first has no JSON", broken, whole, "name list[0] list[1] tags.a free.x"},
	} {
		var got []string
		given := append([]*Path(nil), paths...)
		for _, p := range Lost(given, shape.Of(reflect.TypeFor[compared]()), unsafe.Pointer(&test.first), unsafe.Pointer(&test.other)) {
			got = append(got, p.String())
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: they differ at %q, want %s", test.reason, got, test.want)
		}
	}
}

// TestBagsWithinSpecs checks which members count as property bags. A bag that is lost is as good as
// an empty one, and a cover that hides nothing is no value. Free JSON has neither.
func TestBagsWithinSpecs(t *testing.T) {
	const forged = `{"$propertyBag":{"$coveredProperties":{"a":{"key":"a","shown":1,"stored":{"a":1}}}}}`
	root := (*Path)(nil)
	inner := root.to(member("inner"))
	of := func(i comparedInner) compared { return compared{Inner: []*comparedInner{&i}} }
	bagOf := func(key, value string) runtime.PropertyBag { return runtime.PropertyBag{key: runtime.JSON(value)} }
	for _, test := range []struct {
		reason       string
		at           *Path
		first, other compared
		want         string
	}{
		{"a bag that is empty", inner, of(comparedInner{PropertyBag: bagOf("a", `1`)}), of(comparedInner{}), "inner[0].$propertyBag.a"},
		{"a cover that hides nothing", inner, of(comparedInner{PropertyBag: bagOf(bag.CoveredKey, `{"a":{"key":"a","shown":1,"stored":{"a":1}}}`)}), of(comparedInner{}), ""},
		{"a cover in an entry", inner, of(comparedInner{PropertyBag: bagOf("b", forged)}), of(comparedInner{PropertyBag: bagOf("b", `{}`)}), ""},
		{"an empty one in an entry, which is a client's", inner, of(comparedInner{PropertyBag: bagOf("b", `[{"$propertyBag":{}}]`)}), of(comparedInner{PropertyBag: bagOf("b", `[{}]`)}), "inner[0].$propertyBag.b[0].$propertyBag"},
		{"such a member of free JSON", root.to(member("free")), compared{Free: runtime.JSON(forged)}, compared{Free: runtime.JSON(`{}`)}, "free.$propertyBag"},
		{"its covers", root.to(member("free")), compared{Free: runtime.JSON(forged)}, compared{Free: runtime.JSON(`{"$propertyBag":{}}`)}, "free.$propertyBag.$coveredProperties"},
		{"a key of a map", inner, of(comparedInner{Free: map[string]runtime.JSON{bag.Name: runtime.JSON(`{}`)}}), of(comparedInner{Free: map[string]runtime.JSON{}}), "inner[0].free.$propertyBag"},
		{"free JSON in a map", inner, of(comparedInner{Free: map[string]runtime.JSON{"x": runtime.JSON(`[` + forged + `]`)}}), of(comparedInner{Free: map[string]runtime.JSON{"x": runtime.JSON(`[{}]`)}}), "inner[0].free.x[0].$propertyBag"},
		{"an additional member", inner, of(comparedInner{AdditionalProperties: map[string]runtime.JSON{"x": runtime.JSON(forged)}}), of(comparedInner{AdditionalProperties: map[string]runtime.JSON{"x": runtime.JSON(`{}`)}}), "inner[0].x.$propertyBag"},
	} {
		var got []string
		for _, p := range Lost([]*Path{test.at}, shape.Of(reflect.TypeFor[compared]()), unsafe.Pointer(&test.first), unsafe.Pointer(&test.other)) {
			got = append(got, p.String())
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: they differ at %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestWithin(t *testing.T) {
	a, b := (*Path)(nil).to(member("a")), (*Path)(nil).to(member("b"))
	first, second := a.to(step{index: 0}), a.to(step{index: 1})
	for _, test := range []struct {
		reason        string
		paths, others []*Path
		want          bool
	}{
		{"nothing", nil, nil, true},
		{"nothing in one", nil, []*Path{a}, true},
		{"one in nothing", []*Path{a}, nil, false},
		{"the same", []*Path{a, b}, []*Path{b, a}, true},
		{"an element in its list", []*Path{first}, []*Path{a}, true},
		{"a list in its element", []*Path{a}, []*Path{first}, false},
		{"another element", []*Path{first}, []*Path{second}, false},
		{"one of two", []*Path{first, b}, []*Path{first}, false},
		{"deep within", []*Path{first.to(member("x")).to(member("y"))}, []*Path{second, first}, true},
	} {
		if got := Within(test.paths, test.others); got != test.want {
			t.Errorf("%s: %t", test.reason, got)
		}
	}
}
