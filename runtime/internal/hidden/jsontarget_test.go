package hidden

import (
	"reflect"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// TestMembersAreReadOnce checks that the members of an object are read once while values in it
// are read. Those of a finished object must be forgotten.
func TestMembersAreReadOnce(t *testing.T) {
	const text = `{"a":{"b":{"x":1},"c":{"y":2}},"d":{"z":3}}`
	v := &jsonTarget{jsonValues: jsonValues{indexed: indexed{data: []byte(text)}}}
	free := shape.Of(reflect.TypeFor[map[string]runtime.JSON]())
	all := v.root(free).at
	find := func(object span, name string, open int) span {
		t.Helper()
		n, found := v.find(object, name, free)
		if !found {
			t.Fatalf("%s has no %q", v.text(object), name)
		}
		if len(v.opened) != open {
			t.Errorf("after %q in %s the members of %d objects are known, want %d", name, v.text(object), len(v.opened), open)
		}
		return n.at
	}
	a := find(all, "a", 1)
	b := find(a, "b", 2)
	find(b, "x", 3)
	c := find(a, "c", 2)
	if got := string(v.text(find(c, "y", 3))); got != "2" {
		t.Errorf("y is %s", got)
	}
	d := find(all, "d", 1)
	if got := string(v.text(find(d, "z", 2))); got != "3" {
		t.Errorf("z is %s", got)
	}
	// Going back to an object before, as no bag in order does.
	find(b, "x", 2)
	find(d, "z", 2)
}

// TestRefusedEntries checks which entries of bags JSON refuses to take, and that nothing takes a
// refusal back.
func TestRefusedEntries(t *testing.T) {
	replaces, open := "", &shape.Field{Shape: &shape.Shape{Kind: shape.Map}}
	for _, test := range []struct {
		reason  string
		object  string
		shape   *shape.Shape
		before  bool
		refused bool
	}{
		{"an object", `{"a":1}`, &shape.Shape{}, false, false},
		{"a bag that is there", `{"$propertyBag":{}}`, &shape.Shape{}, false, true},
		{"an open object", `{"a":1}`, &shape.Shape{Additional: open}, false, false},
		{"an open object whose members replace entries", `{"a":1}`, &shape.Shape{Additional: open, Replaces: &replaces}, false, true},
		{"a closed object with such a tag", `{"a":1}`, &shape.Shape{Replaces: &replaces}, false, false},
		{"an object after a refusal", `{"a":1}`, &shape.Shape{}, true, true},
	} {
		v := &jsonTarget{refused: test.before}
		v.index([]byte(test.object))
		if v.put(v.root(test.shape), []byte("k"), runtime.JSON("1"), false); v.refused != test.refused {
			t.Errorf("%s: refused is %t", test.reason, v.refused)
		}
	}
}

// TestRefusedValues checks that a value of another kind is refused, and that a later value does not
// take that back.
func TestRefusedValues(t *testing.T) {
	v := &jsonTarget{jsonValues: jsonValues{indexed: indexed{data: []byte(`{"spec":[],"main":{}}`)}}}
	s := shape.Of(reflect.TypeFor[readSpec]())
	for _, test := range []struct {
		name             string
		reached, refused bool
	}{{"main", true, false}, {"spec", false, true}, {"main", true, true}} {
		n, found := v.find(v.root(s).at, test.name, s)
		if _, reached := v.reach(n); !found || reached != test.reached || v.refused != test.refused {
			t.Errorf("%s is reached: %t, and refused: %t", test.name, reached, v.refused)
		}
	}
}

// TestLongBuffersOfJSONAreNotKept is TestLongBuffersAreNotKept for a restorer of JSON.
func TestLongBuffersOfJSONAreNotKept(t *testing.T) {
	for _, test := range []struct {
		reason string
		change func(r *JSONRestorer)
		kept   bool
	}{
		{"short buffers", func(*JSONRestorer) {}, true},
		{"as long as allowed", func(r *JSONRestorer) {
			r.restorer.elements, r.bags = make([]jsonNode, maxKept), make([]newBag, maxKept)
			r.jsonTarget.entries, r.opened = make([]byte, maxKept), make([]openObject, maxKept)
		}, true},
		{"many elements", func(r *JSONRestorer) { r.restorer.elements = make([]jsonNode, maxKept+1) }, false},
		{"many bags", func(r *JSONRestorer) { r.bags = make([]newBag, maxKept+1) }, false},
		{"long entries", func(r *JSONRestorer) { r.jsonTarget.entries = make([]byte, maxKept+1) }, false},
		{"many objects", func(r *JSONRestorer) { r.opened = make([]openObject, maxKept+1) }, false},
	} {
		r := new(JSONRestorer)
		r.into = &r.jsonTarget
		test.change(r)
		members := []jsonMember{{name: "of an object"}}
		r.jsonTarget.members = members
		if r.Done(); (members[0].name == "") != test.kept {
			t.Errorf("%s: the restorer is kept: %t", test.reason, !test.kept)
		}
	}
}

// TestRepeatsStayFound checks that a map without repeated names does not hide one that has some.
func TestRepeatsStayFound(t *testing.T) {
	var r repeats
	for _, test := range []struct {
		names []string
		found bool
	}{
		{[]string{"a", "b"}, false}, {[]string{"b", "a"}, false}, {[]string{"b", "a", "b"}, true},
		{[]string{"b", "a"}, true}, {[]string{"a", "b"}, true},
	} {
		m := r.begin()
		for _, name := range test.names {
			r.add(&m, []byte(name), uint64(name[0]))
		}
		if r.end(&m); r.found != test.found || len(r.names) != 0 {
			t.Errorf("after %q a repeated name is found: %t", test.names, r.found)
		}
	}
}

// TestBagsWhereNoneCanBe checks that a member with the name of bags is no bag in an object
// without one, and that other members are no bag.
func TestBagsWhereNoneCanBe(t *testing.T) {
	s := shape.Of(reflect.TypeFor[readObject]())
	const bag = `"$propertyBag":{"k":1}`
	for text, want := range map[string]string{
		`{` + bag + `}`:                                             "",
		`{` + bag + `,"spec":{` + bag + `}}`:                        `{"in":{"spec":{"bag":{"k":1}}}}`,
		`{"spec":{"unknown":{"a":1},` + bag + `,"x":{"b":2}}}`:      `{"in":{"spec":{"bag":{"k":1}}}}`,
		`{"spec":{"name":"n","free":{"c":3},"main":{` + bag + `}}}`: `{"in":{"spec":{"in":{"main":{"bag":{"k":1}}}}}}`,
	} {
		if got := HidesJSON(s, []byte(text)); got != (want != "") {
			t.Errorf("%s hides something: %t", text, got)
		}
		w := NewJSONWriter()
		out, written := w.Bag(&Header{}, s, nil, []byte(text), nil, nil)
		b, err := ReadShared(append([]byte(nil), out...))
		if w.Done(); err != nil || string(b.Spec) != want || written != (want != "") {
			t.Errorf("of %s the bag has %s, want %s (%v)", text, b.Spec, want, err)
		}
	}
	for text, want := range map[string]bool{`{"spec":{}}`: false, `{"spec":{` + bag + `}}`: true} {
		v := new(jsonSource)
		v.index([]byte(text))
		if _, got := v.reach(v.root(s)); got != want {
			t.Errorf("%s is read for bags: %t", text, got)
		}
	}
}
