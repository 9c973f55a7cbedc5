package hidden

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// TestLongestBag reads bags of the longest size, and longer ones.
func TestLongestBag(t *testing.T) {
	const head, tail = `{"format":1,"noStatus":true,"pad":"`, `"}`
	for _, more := range []int{0, 1} {
		bag := head + strings.Repeat("x", 16<<20-len(head)-len(tail)+more) + tail
		for name, read := range map[string]func(string) (Bag, error){
			"Read": Read, "ReadShared": func(bag string) (Bag, error) { return ReadShared([]byte(bag)) },
		} {
			if h, err := read(bag); h.NoStatus != (more == 0) || (err == nil) != (more == 0) {
				t.Errorf("%s of %d bytes returns %+v and %v", name, len(bag), h, err)
			}
		}
	}
}

// TestSections wants a section to be found by its name and the kind of its value, and by both.
func TestSections(t *testing.T) {
	for first, sections := range map[byte][]Section{
		'{': {Entries, Members, More, OtherSection}, '[': {OtherSection, Elements, OtherSection, OtherSection},
		'"': {OtherSection, OtherSection, OtherSection, OtherSection},
	} {
		for i, name := range []string{"bag", "in", "more", "other"} {
			if got := SectionOf([]byte(name), first); got != sections[i] {
				t.Errorf("%s with %c is section %d, want %d", name, first, got, sections[i])
			}
		}
	}
}

// TestPartsAreSorted wants members that a type names to come before others, and both by name.
func TestPartsAreSorted(t *testing.T) {
	named := new(shape.Field)
	for _, all := range [][]part[int]{
		{{name: "b"}, {name: "c", field: named}, {name: "a"}, {name: "d", field: named}},
		{{name: "d", field: named}, {name: "b"}, {name: "a"}, {name: "c", field: named}},
		{{name: "c", field: named}, {name: "d", field: named}, {name: "a"}, {name: "b"}},
	} {
		sortParts(all)
		var names []string
		for _, p := range all {
			names = append(names, p.name)
		}
		if want := []string{"c", "d", "a", "b"}; !slices.Equal(names, want) {
			t.Errorf("members are %q, want %q", names, want)
		}
	}
}

// readObject is a kind with nested objects.
type (
	readObject struct {
		Spec readSpec `json:"spec,omitzero"`
	}
	readSpec struct {
		Name        *string             `json:"name,omitzero"`
		Main        *readSpec           `json:"main,omitzero"`
		Free        runtime.JSON        `json:"free,omitzero"`
		PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
	}
)

// TestBagsOfObjectsWithin finds the bag of an object that begins with an absent member.
func TestBagsOfObjectsWithin(t *testing.T) {
	s := shape.Of(reflect.TypeFor[readObject]())
	bag := runtime.PropertyBag{"k": runtime.JSON("1")}
	for _, test := range []struct {
		object readObject
		want   bool
	}{
		{readObject{}, false},
		{readObject{readSpec{PropertyBag: bag}}, true},
		{readObject{readSpec{Main: &readSpec{}}}, false},
		{readObject{readSpec{Main: &readSpec{PropertyBag: bag}}}, true},
	} {
		if got := Hides(s, unsafe.Pointer(&test.object)); got != test.want {
			t.Errorf("%+v hides something: %t", test.object, got)
		}
	}
	const empty = `"$propertyBag":{}`
	for json, want := range map[string]bool{
		`{"spec":{"$propertyBag":{"k":1}}}`:                      true,
		`{"spec":{"unknown":{"k":1},` + empty + `}}`:             false,
		`{"spec":{"free":{"k":1},` + empty + `}}`:                false,
		`{"spec":{"unknown":{"$propertyBag":{"k":1}}}}`:          false,
		`{"spec":{"free":{"$propertyBag":{"k":1}}}}`:             false,
		`{"spec":{"unknown":{"$propertyBag":{}},"main":{}}}`:     false,
		`{"spec":{"main":{"unknown":{"$propertyBag":[{}]}}}}`:    false,
		`{"spec":{"main":{"unknown":1,"$propertyBag":{"k":1}}}}`: true,
	} {
		if got := HidesJSON(s, []byte(json)); got != want {
			t.Errorf("%s hides something: %t", json, got)
		}
	}
}
