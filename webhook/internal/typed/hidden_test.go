package typed

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/stratakube/strata/runtime"
)

type (
	earlier struct {
		Same   string            `json:"same"`
		Gone   string            `json:"gone"`
		Kind   int64             `json:"kind"`
		Free   runtime.JSON      `json:"free"`
		Opened []int64           `json:"opened"`
		Names  map[string]string `json:"names"`
		Inner  *earlierInner     `json:"inner"`
		List   []earlierInner    `json:"list"`
		Next   *earlier          `json:"next"`
	}
	earlierInner struct {
		Both  bool  `json:"both"`
		Early int64 `json:"early"`
	}
	later struct {
		Same   string           `json:"same"`
		Kind   float64          `json:"kind"`
		Free   runtime.JSON     `json:"free"`
		Opened runtime.JSON     `json:"opened"`
		Names  map[string]int64 `json:"names"`
		Inner  laterInner       `json:"inner"`
		List   []*laterInner    `json:"list"`
		Next   *later           `json:"next"`
		New    string           `json:"new"`
	}
	laterInner struct {
		Both *bool `json:"both"`
	}
)

// TestHiddenMembers compares types of two versions. Each member counts that the other type lacks,
// or has in another kind.
func TestHiddenMembers(t *testing.T) {
	early, inner := reflect.TypeFor[earlier](), reflect.TypeFor[earlierInner]()
	for _, test := range []struct {
		others []side
		want   map[reflect.Type][]string
	}{
		{[]side{{Type: reflect.TypeFor[*later]()}}, map[reflect.Type][]string{early: {"gone", "kind", "names", "opened"}, inner: {"early"}}},
		{[]side{{Type: early}, {Type: reflect.TypeFor[later]()}}, map[reflect.Type][]string{early: {"gone", "kind", "names", "opened"}, inner: {"early"}}},
		{[]side{{Type: early}}, nil},
		{nil, nil},
	} {
		got := expectedOf(side{Type: reflect.TypeFor[*earlier]()}, test.others...).hidden
		if len(got) != len(test.want) {
			t.Errorf("against %v, %v are hidden", test.others, got)
		}
		for of, want := range test.want {
			if names := slices.Sorted(maps.Keys(got[of])); !slices.Equal(names, want) {
				t.Errorf("against %v, %s hides %q, want %q", test.others, of, names, want)
			}
		}
	}
}

// TestSizesOfCounterparts adds the sizes of a struct and of its counterparts. A struct that another
// type does not have at the same path counts as the largest one there.
func TestSizesOfCounterparts(t *testing.T) {
	type (
		moved  struct{ A, B, C, D int64 }
		source struct {
			Inner *earlierInner `json:"inner"`
			List  []moved       `json:"list"`
		}
		target struct {
			Inner laterInner `json:"inner"`
			Other []moved    `json:"other"`
		}
	)
	size := func(of any) int64 { return int64(reflect.TypeOf(of).Size()) + pointerSize }
	got := expectedOf(side{reflect.TypeFor[*source](), 999, false}, side{reflect.TypeFor[*target](), 100, true}).sizes
	for of, want := range map[any]int64{
		earlierInner{}: 2*size(earlierInner{}) + size(laterInner{}),
		moved{}:        2*size(moved{}) + 100 + pointerSize,
	} {
		if got[reflect.TypeOf(of)] != want {
			t.Errorf("%T has %d bytes, want %d", of, got[reflect.TypeOf(of)], want)
		}
	}
	// Both steps count.
	both := expectedOf(side{reflect.TypeFor[*source](), 999, false}, side{reflect.TypeFor[*target](), 100, true}, side{reflect.TypeFor[*target](), 1000, false}).sizes
	if want := 2*size(moved{}) + 100 + pointerSize + 2*(1000+pointerSize); both[reflect.TypeFor[moved]()] != want {
		t.Errorf("two steps have %d bytes, want %d", both[reflect.TypeFor[moved]()], want)
	}
}
