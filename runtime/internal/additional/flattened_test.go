package additional

import (
	"reflect"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/linear"
	"github.com/stratakube/strata/runtime/internal/notation"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// TestNullsOfOpenMembersMayBePlain accepts a null among additional members that are any JSON,
// because it is not lost. It refuses one that a type drops.
func TestNullsOfOpenMembersMayBePlain(t *testing.T) {
	type open struct {
		A                    *string                 `json:"a,omitzero"`
		AdditionalProperties map[string]runtime.JSON `json:"-"`
	}
	for value, want := range map[string]bool{
		`{"a":"1","k":null}`: true,
		`{"k":null}`:         true,
		`{"a":null}`:         false,
	} {
		if got := canBe(shape.Of(reflect.TypeFor[open]()), &jsontext.Cursor{Data: []byte(value)}); got != want {
			t.Errorf("%s may be plain: %t", value, got)
		}
	}
	type closed struct {
		A *string `json:"a,omitzero"`
	}
	if canBe(shape.Of(reflect.TypeFor[closed]()), &jsontext.Cursor{Data: []byte(`{"k":null}`)}) {
		t.Error("a null that the type does not know may be plain")
	}
}

// TestPlainOfOpenObjects makes plain JSON of open objects: an entry of a bag that could be an
// additional member stays an entry.
func TestPlainOfOpenObjects(t *testing.T) {
	type closed struct {
		Known       *string             `json:"known,omitzero"`
		PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
	}
	type open struct {
		Known                *string                 `json:"known,omitzero"`
		AdditionalProperties map[string]runtime.JSON `json:"-"`
		PropertyBag          runtime.PropertyBag     `json:"$propertyBag,omitzero"`
	}
	type rates struct {
		AdditionalProperties map[string]float64  `json:"-"`
		PropertyBag          runtime.PropertyBag `json:"$propertyBag,omitzero"`
	}
	for _, test := range []struct {
		reason string
		s      *shape.Shape
		stored string
		want   string
	}{
		{"free JSON takes any value", shape.Of(reflect.TypeFor[open]()), `{"known":"x","$propertyBag":{"y":1}}`, ""},
		{"a number may be one of numbers", shape.Of(reflect.TypeFor[rates]()), `{"$propertyBag":{"y":1}}`, ""},
		{"and a text is none", shape.Of(reflect.TypeFor[rates]()), `{"x":2,"$propertyBag":{"y":"z"}}`, `{"x":2,"y":"z"}`},
		{"a closed object has no others", shape.Of(reflect.TypeFor[closed]()), `{"known":"x","$propertyBag":{"y":1}}`, `{"known":"x","y":1}`},
	} {
		got, ok := plainOf(test.s, runtime.JSON(test.stored))
		if ok != (test.want != "") || ok && string(got) != test.want {
			t.Errorf("%s: %s, %t", test.reason, got, ok)
		}
	}
}

// TestTimeIsLinearInDepthAndSize nests a value as deep as it is long: reading it once more for each
// level is quadratic.
func TestTimeIsLinearInDepthAndSize(t *testing.T) {
	boxes := shape.Of(reflect.TypeFor[nestedBox]())
	objects := Further{Name: "danger", Key: "danger", Kind: "o"}
	for _, test := range []struct {
		name string
		work func(n int) bool
	}{
		{"members of a bag beside the others", func(n int) bool {
			_, ok := objects.flattened(runtime.JSON(`{"$propertyBag":{"x":` + linear.Lists(n) + `}}`))
			return ok
		}},
		{"boxes without their bags", func(n int) bool {
			_, ok := plainOf(boxes, runtime.JSON(`{"$propertyBag":{"x":1},"inner":`+string(linear.Boxes(n, "x"))+`}`))
			return ok
		}},
		{"boxes in storage", func(n int) bool {
			stored := codec.InStorage(boxes, linear.Boxes(n, bag.Name))
			return len(stored) > n
		}},
		{"a search for bags", func(n int) bool { return !bag.HasNameLikeIn(runtime.JSON(`["$propertyBag",` + linear.Lists(n) + `]`)) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			linear.Check(t, func(n int) {
				if !test.work(n) {
					t.Fatal("it was refused")
				}
			}, 1500)
		})
	}
}

// nestedBox contains a box of its own type.
type nestedBox struct {
	Inner       *nestedBox          `json:"inner,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func TestNamesOfMapsInAdditionalMembers(t *testing.T) {
	f := Further{Name: "danger", Key: "danger", Kind: "mo", Free: notation.Lists{{{Name: "free"}, {Name: "tags", Maps: 1}, {Name: "loose", Maps: 1, List: 2}}, {{Kind: "a"}}}}
	visible := runtime.JSON(`{"$propertyBag":{"tags":{"$propertyBag":"x"},"free":{"$propertyBag":1},"loose":{"$$propertyBag":{"$propertyBag":2}}}}`)
	stored := runtime.JSON(`{"$$propertyBag":{"tags":{"$$propertyBag":"x"},"free":{"$propertyBag":1},"loose":{"$$$propertyBag":{"$propertyBag":2}}}}`)
	if got := f.stored(visible); string(got) != string(stored) {
		t.Errorf("in a bag it is %s", got)
	}
	if got, whole := f.flattened(stored); string(got) != string(visible) || !whole {
		t.Errorf("shown it is %s, %t", got, whole)
	}
}

func TestFlattenedWithKeysThatNoMemberHas(t *testing.T) {
	f := Further{Name: "danger", Key: "danger", Kind: "o"}
	for stored, want := range map[string]string{
		`{"a":1,"$propertyBag":{"$propertyBag":2}}`:                    `{"a":1}`,
		`{"a":1,"$propertyBag":{"$propertyBag":2,"$$propertyBag":3}}`:  `{"a":1,"$propertyBag":3}`,
		`{"a":1,"$propertyBag":{"a":2}}`:                               `{"a":1}`,
		`{"a":1,"$propertyBag":{"a@v1!raw":2}}`:                        `{"a":1}`,
		`{"a":1,"$$propertyBag":2,"$propertyBag":{"$$propertyBag":3}}`: `{"a":1,"$propertyBag":2}`,
	} {
		if got, whole := f.flattened(runtime.JSON(stored)); string(got) != want || whole {
			t.Errorf("%s is shown as %s, whole %t", stored, got, whole)
		}
	}
}

// TestFlattenedOpenObjects shows nothing of the bags of objects whose additional members are free
// JSON: such an object has all of its visible members.
func TestFlattenedOpenObjects(t *testing.T) {
	f := Further{Name: "danger", Key: "danger", Kind: "o", Free: notation.Lists{{{Name: "in", List: 2}, {Name: "texts", Maps: 1}}, {{Name: "a", List: 3}, {Rest: true}}, {}}}
	for stored, want := range map[string]string{
		`{"in":{"a":1,"b":2,"$propertyBag":{"c":3}},"d":4}`:                             `{"in":{"a":1,"b":2},"d":4}`,
		`{"in":{"$propertyBag":{"c":3}},"$propertyBag":{"e":{"$propertyBag":{"g":5}}}}`: `{"in":{},"e":{"g":5}}`,
	} {
		if got, whole := f.flattened(runtime.JSON(stored)); string(got) != want || whole {
			t.Errorf("%s is shown as %s, whole %t", stored, got, whole)
		}
		if kept := f.merged(runtime.JSON(want), runtime.JSON(stored)); f.names().Inner == nil || string(f.flat(kept)) != want || string(kept) == want {
			t.Errorf("of %s, %s is kept", stored, kept)
		}
	}
}
