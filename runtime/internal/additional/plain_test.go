package additional

import (
	"reflect"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// cell is an object with members of all kinds.
type cell struct {
	Size        *int64              `json:"size,omitzero"`
	Cells       []cell              `json:"cells,omitzero"`
	Named       map[string]cell     `json:"named,omitzero"`
	Free        runtime.JSON        `json:"free,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// openCell is open to more of its kind.
type openCell struct {
	Size                 *int64              `json:"size,omitzero"`
	AdditionalProperties map[string]openCell `json:"-"`
	PropertyBag          runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// freeCell is open to any JSON.
type freeCell struct {
	AdditionalProperties map[string]runtime.JSON `json:"-"`
	PropertyBag          runtime.PropertyBag     `json:"$propertyBag,omitzero"`
}

// TestValuesThatCanBePlain reads plain JSON as values of a type: none may lose a null, or take a
// member for a property bag.
func TestValuesThatCanBePlain(t *testing.T) {
	closed, open, free := reflect.TypeFor[*cell](), reflect.TypeFor[openCell](), reflect.TypeFor[freeCell]()
	for _, test := range []struct {
		of    reflect.Type
		plain string
		can   bool
	}{
		{closed, `{"size":1,"x":{"a":1}}`, true},
		{closed, `{"size":null}`, false},
		{closed, `{"free":null}`, false},
		{closed, `{"free":{"$propertyBag":null}}`, true},
		{closed, `{"x":null}`, false},
		{closed, `{"x":{"$propertyBag":1}}`, false},
		{closed, `{"cells":[{"size":1},{}]}`, true},
		{closed, `{"cells":[{"size":1},null]}`, false},
		{closed, `{"cells":[{},{"size":null},{}]}`, false},
		{closed, `{"cells":{"size":null}}`, true},
		{closed, `{"named":{"k":{"size":1},"l":{}}}`, true},
		{closed, `{"named":{"k":{},"l":null}}`, false},
		{closed, `{"named":{"k":{"x":null},"l":{}}}`, false},
		{closed, `{"named":[{"size":null}]}`, true},
		{closed, `[null]`, true},
		{closed, `null`, true},
		{open, `{"k":{"size":1}}`, true},
		{open, `{"k":null}`, false},
		{open, `{"k":{"l":{"size":null}}}`, false},
		{open, `{"$propertyBag":{"size":1}}`, true},
		{free, `{"k":null,"l":{"$propertyBag":null}}`, true},
		{reflect.TypeFor[[]runtime.JSON](), `[null,1]`, true},
		{reflect.TypeFor[map[string]runtime.JSON](), `{"k":null}`, true},
	} {
		c := jsontext.Cursor{Data: runtime.JSON(test.plain)}
		if can := canBe(shape.Of(test.of), &c); can != test.can || can && c.At != len(c.Data) {
			t.Errorf("%s can be a plain %v: %t, read to %d", test.plain, test.of, can, c.At)
		}
	}
}

// TestPlainValues writes values of storage without their property bags.
func TestPlainValues(t *testing.T) {
	closed, open, free := reflect.TypeFor[*cell](), reflect.TypeFor[openCell](), reflect.TypeFor[freeCell]()
	for _, test := range []struct {
		of            reflect.Type
		stored, plain string
		whole         bool
	}{
		{closed, `{"size":1}`, `{"size":1}`, true},
		{closed, `{"size":1,"$propertyBag":{"x":2}}`, `{"size":1,"x":2}`, true},
		{closed, `{"size":1,"$propertyBag":{"size":2}}`, `{"size":1}`, false},
		{closed, `{"size":1,"$propertyBag":{"x@v1":2}}`, `{"size":1}`, false},
		{closed, `{"$$propertyBag":1,"x":2}`, `{"$propertyBag":1,"x":2}`, true},
		{closed, `{"cells":[{"$propertyBag":{"x":2}},{}]}`, `{"cells":[{"x":2},{}]}`, true},
		{closed, `{"cells":[{"$propertyBag":{"x@v1":2}},{}]}`, `{"cells":[{},{}]}`, false},
		{closed, `{"cells":{"$propertyBag":{"x@v1":2}}}`, `{"cells":{"$propertyBag":{"x@v1":2}}}`, true},
		{closed, `{"named":{"$$propertyBag":{"$propertyBag":{"x":2}}}}`, `{"named":{"$propertyBag":{"x":2}}}`, true},
		{closed, `{"named":{"k":{"$propertyBag":{"x@v1":2}},"l":{}}}`, `{"named":{"k":{},"l":{}}}`, false},
		{closed, `{"named":[{"$propertyBag":{"x@v1":2}}]}`, `{"named":[{"$propertyBag":{"x@v1":2}}]}`, true},
		{closed, `[{"$propertyBag":{"x@v1":2}}]`, `[{"$propertyBag":{"x@v1":2}}]`, true},
		{open, `{"k":{"$propertyBag":{"x":2}}}`, `{"k":{"x":2}}`, true},
		{open, `{"k":{"size":1,"$propertyBag":{"x":{}}}}`, `{"k":{"size":1}}`, false},
		{free, `{"k":{"$propertyBag":{"x@v1":2}},"$propertyBag":{}}`, `{"k":{"$propertyBag":{"x@v1":2}}}`, true},
		{free, `{"$propertyBag":{"x":2}}`, `{}`, false},
		{reflect.TypeFor[runtime.JSON](), `{"$propertyBag":{"x@v1":2}}`, `{"$propertyBag":{"x@v1":2}}`, true},
	} {
		plain, whole := plainOf(shape.Of(test.of), runtime.JSON(test.stored))
		if !jsontext.IsSame(plain, runtime.JSON(test.plain)) || whole != test.whole {
			t.Errorf("%s of %v is %s, whole %t", test.stored, test.of, plain, whole)
		}
	}
}

// closedCell has nothing but a bag.
type closedCell struct {
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// TestMembersOfMapsBecomeKnown has maps of members in a property bag. Members that a version has
// since named must leave these maps.
func TestMembersOfMapsBecomeKnown(t *testing.T) {
	known := Furthers{{Name: "a", Key: "a", Kind: "o"}, {Name: "b", Key: "", Kind: "o"}, {Name: "c", Key: "c@v2", Kind: "o"}}
	for _, test := range []struct{ reason, bag, want string }{
		{"a map of today", `{"$additionalProperties":{"a":{"x":1}}}`, `{"a":{"x":1}}`},
		{"a map of a version", `{"$additionalProperties@v1":{"a":{},"d":{}}}`, `{"a":{},"$additionalProperties@v1":{"d":{}}}`},
		{"two maps", `{"$additionalProperties":{"a":{"x":1}},"$additionalProperties@v1":{"a":{"x":2},"c":{}}}`,
			`{"a":{"x":1},"c@v2":{},"$additionalProperties@v1":{"a":{"x":2}}}`},
		{"a map of the wrong type", `{"$additionalProperties@v1!raw":{"a":{}}}`, `{"$additionalProperties@v1!raw":{"a":{}}}`},
		{"another entry", `{"b":{"a":{}},"$additionalProperties":{"a":{}}}`, `{"b":{"a":{}},"a":{}}`},
		{"another key that begins so", `{"$additionalPropertiesOf":{"a":{}}}`, `{"$additionalPropertiesOf":{"a":{}}}`},
		{"one without a key", `{"$additionalProperties":{"b":{},"c":{}}}`, `{"$additionalProperties":{"b":{}},"c@v2":{}}`},
		{"another kind", `{"$additionalProperties":{"a":"s","c":{}}}`, `{"$additionalProperties":{"a":"s"},"c@v2":{}}`},
		{"its key is taken", `{"a":1,"$additionalProperties":{"a":{},"c":{}}}`, `{"a":1,"$additionalProperties":{"a":{}},"c@v2":{}}`},
		{"one of its name waits", `{"$namedProperties":{"a":"s"},"$additionalProperties":{"a":{},"c":{}}}`,
			`{"$namedProperties":{"a":"s"},"$additionalProperties":{"a":{}},"c@v2":{}}`},
		{"no map", `{"$additionalProperties":[1],"$additionalProperties@v1":{"a":{}}}`, `{"$additionalProperties":[1],"a":{}}`},
		{"nothing that is known", `{"$additionalProperties": {"d":{}}}`, `{"$additionalProperties": {"d":{}}}`},
	} {
		src := closedCell{PropertyBag: bagOf(t, test.bag)}
		_, got := LowerNamed(&src, known, nil)
		if want := bagOf(t, test.want); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s becomes %s, want %s", test.reason, test.bag, got, want)
		}
	}
	open := freeCell{AdditionalProperties: map[string]runtime.JSON{"x": runtime.JSON("1")}, PropertyBag: bagOf(t, `{"$additionalProperties@v1":{"a":{}}}`)}
	if _, got := LowerNamed(&open, known, nil); !reflect.DeepEqual(got, open.PropertyBag) {
		t.Errorf("an open object has members of its own: %s", got)
	}
}

func bagOf(t *testing.T, text string) runtime.PropertyBag {
	t.Helper()
	out := runtime.PropertyBag{}
	if !jsontext.EachMember([]byte(text), func(name []byte, value runtime.JSON) { out[string(name)] = value }) {
		t.Fatalf("%s is no object", text)
	}
	return out
}
