package convert

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/linear"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// TestStoredValuesTakeFromTheirBag stores a value in a property bag through a step. The bags
// within the value must lose the entries that its new shape has, even if the step changes nothing
// else.
func TestStoredValuesTakeFromTheirBag(t *testing.T) {
	steps := []Step{
		{{Far: "main", Down: []Key{{Name: "main", Steps: []int{1}}}}},
		{{Near: "color", Up: []Key{{Name: "hue"}}}},
	}
	spec, part := shape.Of(reflect.TypeFor[fixtures.StoredSpec]()), shape.Of(reflect.TypeFor[fixtures.StoredPart]())
	m := recaster{steps: steps, up: true, stored: map[int]*shape.Shape{1: part}, made: map[recastKey]*recast{}}
	r := m.make(0, spec, spec)
	m.finish()
	for object, want := range map[string]string{
		`{"main":{"weight":1,"$propertyBag":{"hue":"red","k":2}}}`: `{"$propertyBag":{"main":{"weight":1,"color":"red","$propertyBag":{"k":2}}}}`,
		`{"main":{"weight":1}}`: `{"$propertyBag":{"main":{"weight":1}}}`,
	} {
		e := edit{reader: reader{Cursor: jsontext.Cursor{Data: []byte(object)}, limit: jsontext.MaxDepth, repeats: new(repeats), takesBags: bag.MayHaveBags([]byte(object))}}
		if !e.object(r) || string(e.out) != want {
			t.Errorf("%s is %s, want %s", object, e.out, want)
		}
	}
}

// TestStoredValuesOfPlansAreBounded checks that a plan rewrites at most 4 MiB of values for bags in
// the downward direction.
func TestStoredValuesOfPlansAreBounded(t *testing.T) {
	steps := []Step{{{Name: "parts", Step: 1}}, {{Far: "color"}}}
	spec := shape.Of(reflect.TypeFor[fixtures.StoredSpec]())
	m := recaster{steps: steps, up: true, made: map[recastKey]*recast{}}
	r := m.make(0, spec, spec)
	m.finish()
	for length, want := range map[int]bool{1 << 20: true, 1<<20 + 1: false} {
		part := `{"color":"` + strings.Repeat("x", length-len(`""`)) + `"}`
		object := `{"parts":[` + strings.Join([]string{part, part, part, part}, ",") + `]}`
		e := edit{exact: true, reader: reader{Cursor: jsontext.Cursor{Data: []byte(object)}, limit: jsontext.MaxDepth, repeats: new(repeats)}}
		if got := e.object(r); got != want {
			t.Errorf("four texts of %d bytes are stowed: %t", length, got)
		}
	}
}

// TestBagsOfPlanAreBounded wants a plan to take small bags, up to 4 MiB over all of them.
func TestBagsOfPlanAreBounded(t *testing.T) {
	const largest, all = 1 << 18, 4 << 20
	sized := func(length int) string {
		const ends = `{"k":""}`
		return `{"k":"` + strings.Repeat("x", length-len(ends)) + `"}`
	}
	member := func(i int) string { return fmt.Sprintf(`"k%d":1`, i) }
	for _, test := range []struct {
		reason string
		bags   []string
		want   bool
	}{
		{"all that is allowed", slices.Repeat([]string{sized(largest)}, all/largest), true},
		{"and a little more", append(slices.Repeat([]string{sized(largest)}, all/largest), `{}`), false},
		{"one that is too large", []string{sized(largest + 1)}, false},
		{"as many members as are allowed", []string{`{` + linear.Members(64, member) + `}`}, true},
		{"one more", []string{`{` + linear.Members(65, member) + `}`}, false},
		{"a name with an escape", []string{`{"\u006b":1}`}, false},
		{"a name twice", []string{`{"k":1,"l":2,"k":3}`}, false},
		{"no object", []string{`[]`}, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			object := `{"parts":[`
			for i, b := range test.bags {
				object += strings.Repeat(",", min(i, 1)) + `{"` + bag.Name + `":` + b + `}`
			}
			object += `]}`
			steps := []Step{{{Name: "parts", Step: 1}}, {{Near: "color", Up: []Key{{Name: "hue"}}}}}
			spec := shape.Of(reflect.TypeFor[fixtures.StoredSpec]())
			m := recaster{steps: steps, up: true, made: map[recastKey]*recast{}}
			r := m.make(0, spec, spec)
			m.finish()
			e := edit{reader: reader{Cursor: jsontext.Cursor{Data: []byte(object)}, limit: jsontext.MaxDepth, repeats: new(repeats), takesBags: true, bags: true}}
			if got := e.object(r); got != test.want {
				t.Errorf("the plan takes it: %t, want %t", got, test.want)
			}
		})
	}
}

func TestWhereBagsMayBe(t *testing.T) {
	for text, want := range map[string]bool{
		``:                         false,
		bag.Name + `"`:             false,
		`"` + bag.Name + `"`:       true,
		`"` + bag.Name:             false,
		`{"` + bag.Name + `":{}}`:  true,
		`{"x` + bag.Name + `":{}}`: false,
		`"x` + bag.Name + `"{"` + bag.Name + `":{}}`: true,
	} {
		if got := bag.MayHaveBags([]byte(text)); got != want {
			t.Errorf("%s may have bags: %t", text, got)
		}
	}
}

// TestStatusBagIsCutOut wants the member of the status that has the bag to go with its comma, and
// the others to stay as they are spelled.
func TestStatusBagIsCutOut(t *testing.T) {
	for status, want := range map[string]string{
		`{"propertyBag":"bag"}`:                              `{}`,
		`{"a":1,"propertyBag":"bag"}`:                        `{"a":1}`,
		`{"propertyBag" : "bag" , "a":1}`:                    `{ "a":1}`,
		`{"a":1,"propertyBag": "bag","c":[2 ]}`:              `{"a":1,"c":[2 ]}`,
		`{"b":{"propertyBag":"other"},"propertyBag":"bag" }`: `{"b":{"propertyBag":"other"} }`,
		`{"propertyBag":"bag","propertyBags":"propertyBag"}`: `{"propertyBags":"propertyBag"}`,
	} {
		const before, bag = `{"status":`, `"bag"`
		r := run{edit: &edit{statusBag: []byte(bag)}, direction: new(direction), statusIn: section{len(before), len(before) + len(status)}}
		r.statusBagEnd = len(before) + strings.Index(status, bag) + len(bag)
		from, to := r.statusBagIn([]byte(status))
		if got := status[:from] + status[to:]; got != want {
			t.Errorf("%s is %s, want %s", status, got, want)
		}
	}
}
