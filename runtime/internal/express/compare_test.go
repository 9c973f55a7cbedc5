package express

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/shape"
)

type compared struct {
	Name  *string          `json:"name,omitzero"`
	List  []int64          `json:"list,omitzero"`
	Tags  map[string]int64 `json:"tags,omitzero"`
	Ratio *float64         `json:"ratio,omitzero"`
	Free  runtime.JSON     `json:"free,omitzero"`
}

// TestDiffering checks at which of some paths two specs differ. A path that is absent in the other
// spec differs. If a spec has no JSON, all paths count as different.
func TestDiffering(t *testing.T) {
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
		{"the other has no JSON", whole, broken, "name list[0] list[1] tags.a free.x"},
		{"the first has no JSON", broken, whole, "name list[0] list[1] tags.a free.x"},
	} {
		var got []string
		given := append([]*Path(nil), paths...)
		for _, p := range Differing(given, shape.Of(reflect.TypeFor[compared]()), unsafe.Pointer(&test.first), unsafe.Pointer(&test.other)) {
			got = append(got, p.String())
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: they differ at %q, want %s", test.reason, got, test.want)
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
