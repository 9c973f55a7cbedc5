package conformance

import (
	"maps"
	"testing"
	"time"
	"unsafe"

	"github.com/stratakube/strata/runtime"
)

type clocks struct {
	At   Time
	Zero *time.Time
	Data []byte
}

// TestLooseEquality compares free JSON in maps by value, and other free JSON verbatim.
func TestLooseEquality(t *testing.T) {
	type maps struct {
		Free  runtime.JSON              `json:"free,omitzero"`
		Map   map[string]runtime.JSON   `json:"map,omitzero"`
		Lists map[string][]runtime.JSON `json:"lists,omitzero"`
	}
	one, other := runtime.JSON(`{"a":1.0,"b":"\u00fc"}`), runtime.JSON(`{"b":"ü","a":1}`)
	for _, test := range []struct {
		reason        string
		a, b          maps
		strict, loose bool
	}{
		{"another spelling in a map", maps{Map: map[string]runtime.JSON{"k": one}}, maps{Map: map[string]runtime.JSON{"k": other}}, false, true},
		{"another spelling in lists in a map", maps{Lists: map[string][]runtime.JSON{"k": {one}}}, maps{Lists: map[string][]runtime.JSON{"k": {other}}}, false, true},
		{"another value in a map", maps{Map: map[string]runtime.JSON{"k": one}}, maps{Map: map[string]runtime.JSON{"k": runtime.JSON("1")}}, false, false},
		{"another spelling elsewhere", maps{Free: one}, maps{Free: other}, false, false},
	} {
		p := programOf[maps](t)
		for _, how := range []comparison{{}, {loose: true}} {
			want := test.strict
			if how.loose {
				want = test.loose
			}
			if diff := p.compare(how, unsafe.Pointer(&test.a), unsafe.Pointer(&test.b)); (diff == nil) != want {
				t.Errorf("%s, loose %t: %v", test.reason, how.loose, diff)
			}
		}
	}
}

// TestKeysOfFurtherMembersAreNotDamaged checks that damage does not change entries with the name
// of another version's property, in its spelling in storage.
func TestKeysOfFurtherMembersAreNotDamaged(t *testing.T) {
	c := chain{named: map[string]bool{"danger": true, bagName: true}}
	open, closed := &object{fields: []field{{name: "AdditionalProperties"}}}, &object{}
	for key, want := range map[string]bool{"danger": true, "danger@v3": true, "$$propertyBag": true, "$propertyBag": true, "other": false, "$danger@v3": false} {
		if got := c.isFurther(open, key); got != want {
			t.Errorf("%s is of an additional member: %t", key, got)
		}
		if c.isFurther(closed, key) {
			t.Errorf("%s is of an additional member where there are none", key)
		}
	}
}

func TestEquality(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, test := range []struct {
		reason    string
		got, want any
		diff      string // none when they are equal
	}{
		{"nothing at all", &thing{}, &thing{}, ""},
		{"pointers to the same value", &thing{Name: new("a")}, &thing{Name: new("a")}, ""},
		{"another value", &thing{Name: new("a")}, &thing{Name: new("b")}, `Name: got "a", want "b"`},
		{"absent is not zero", &thing{Size: new(int64)}, &thing{}, "Size: got 0, want absent"},
		{"zero is not absent", &thing{}, &thing{On: new(bool)}, "On: got absent, want false"},
		{"absent is not empty text", &thing{}, &thing{Name: new("")}, `Name: got absent, want ""`},
		{"absent is not an empty list", &thing{}, &thing{Tags: []string{}}, "Tags: got absent, want []"},
		{"empty lists are equal", &thing{Tags: []string{}}, &thing{Tags: make([]string, 0, 8)}, ""},
		{"lists by length", &thing{Tags: []string{"a"}}, &thing{Tags: []string{"a", ""}}, `Tags: got ["a"], want ["a",""]`},
		{"lists by element", &thing{Tags: []string{"a", "<"}}, &thing{Tags: []string{"a", ">"}}, `Tags[1]: got "<", want ">"`},
		{"absent is not an empty map", &thing{Notes: map[string]string{}}, &thing{}, "Notes: got {}, want absent"},
		{"absent is not an empty map of objects", &thing{}, &thing{ByName: map[string]inner{}}, "ByName: got absent, want {}"},
		{"maps by value", &thing{Notes: map[string]string{"a": "1"}}, &thing{Notes: map[string]string{"a": "2"}}, `Notes["a"]: got "1", want "2"`},
		{"maps of text by key", &thing{Notes: map[string]string{"a": "1"}}, &thing{Notes: map[string]string{"b": "1"}}, `Notes: got {"a":"1"}, want {"b":"1"}`},
		{"maps by key", &thing{ByName: map[string]inner{"a": {}}}, &thing{ByName: map[string]inner{"b": {}}}, `ByName: got {"a":{}}, want {"b":{}}`},
		{
			"within maps and objects",
			&thing{ByName: map[string]inner{"a": {Next: &inner{Label: new("x")}}}},
			&thing{ByName: map[string]inner{"a": {Next: &inner{}}}},
			`ByName["a"].Next.Label: got "x", want absent`,
		},
		{"absent is not an empty object", &thing{Inner: &inner{}}, &thing{}, "Inner: got {}, want absent"},
		{"integers exactly", &thing{Size: new(int64(1<<53 + 1))}, &thing{Size: new(int64(1 << 53))}, "Size: got 9007199254740993, want 9007199254740992"},
		{"free JSON but for white space", &thing{Free: runtime.JSON(`{ "a": 1.0 }`)}, &thing{Free: runtime.JSON(`{"a":1.0}`)}, ""},
		{"free JSON verbatim", &thing{Free: runtime.JSON("1.0")}, &thing{Free: runtime.JSON("1")}, "Free: got 1.0, want 1"},
		{"free JSON in its own order", &thing{Free: runtime.JSON(`{"a":1,"b":2}`)}, &thing{Free: runtime.JSON(`{"b":2,"a":1}`)}, `Free: got {"a":1,"b":2}, want {"b":2,"a":1}`},
		{"free JSON that is absent is not null", &thing{}, &thing{Free: runtime.JSON("null")}, "Free: got absent, want null"},
		{"times by instant", &clocks{At: Time{now}}, &clocks{At: Time{now.Local()}}, ""},
		{"other times", &clocks{At: Time{now}}, &clocks{}, `At: got "2026-01-02T03:04:05Z", want "0001-01-01T00:00:00Z"`},
		{"absent is not no time", &clocks{}, &clocks{Zero: new(time.Time)}, `Zero: got absent, want "0001-01-01T00:00:00Z"`},
		{"absent is not no bytes", &clocks{}, &clocks{Data: []byte{}}, `Data: got absent, want ""`},
		{"TypeMeta aside", &person{TypeMeta: TypeMeta{Kind: "Person"}}, &person{}, ""},
		{"of ObjectMeta what may be drawn", &person{ObjectMeta: ObjectMeta{UID: "1", Name: "a"}}, &person{ObjectMeta: ObjectMeta{Name: "b"}}, `ObjectMeta.Name: got "a", want "b"`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if got := differenceOf(t, test.got, test.want); got != test.diff {
				t.Errorf("difference is %q, want %q", got, test.diff)
			}
		})
	}
}

func differenceOf(t *testing.T, got, want any) string {
	t.Helper()
	switch got := got.(type) {
	case *thing:
		return differenceIn(t, got, want.(*thing))
	case *clocks:
		return differenceIn(t, got, want.(*clocks))
	default:
		return differenceIn(t, got.(*person), want.(*person))
	}
}

func differenceIn[T any](t *testing.T, got, want *T) string {
	t.Helper()
	diff := programOf[T](t).compare(comparison{}, unsafe.Pointer(got), unsafe.Pointer(want))
	if diff == nil {
		return ""
	}
	return diff.String()
}

func TestSharedMemoryIsFound(t *testing.T) {
	name, list, table, free := "a", []string{"a"}, map[string][]string{}, runtime.JSON("1")
	for _, test := range []struct {
		reason string
		a, b   *thing
		diff   string
	}{
		{"a scalar", &thing{Name: &name}, &thing{Name: &name}, "Name: both share its memory"},
		{"a list", &thing{Tags: list}, &thing{Tags: list}, "Tags: both share its memory"},
		{"a map", &thing{Table: table}, &thing{Table: table}, "Table: both share its memory"},
		{"a list in a map", &thing{Table: map[string][]string{"x": list}}, &thing{Table: map[string][]string{"x": list}}, `Table["x"]: both share its memory`},
		{"free JSON", &thing{Free: free}, &thing{Free: free}, "Free: both share its memory"},
		{"lists without elements share nothing that could change", &thing{Tags: list[:0]}, &thing{Tags: list[:0]}, ""},
	} {
		t.Run(test.reason, func(t *testing.T) {
			diff := programOf[thing](t).compare(comparison{apart: true}, unsafe.Pointer(test.a), unsafe.Pointer(test.b))
			if got := textOf(diff); got != test.diff {
				t.Errorf("difference is %q, want %q", got, test.diff)
			}
		})
	}
}

func textOf(diff interface{ String() string }) string {
	if diff == nil {
		return ""
	}
	return diff.String()
}

// TestRetypedMembers finds the members that versions have in other types, and those that may have
// another name.
func TestRetypedMembers(t *testing.T) {
	r := retyped{}
	one := map[string]map[string]string{
		"Spec": {"same": "string", "map": "map JSON", "gone": "map JSON"},
		"Gone": {"map": "map JSON"},
		"Less": {"same": "string", "gone": "map JSON"},
	}
	other := map[string]map[string]string{
		"Spec": {"same": "string", "map": "Open", "new": "map string"},
		"Less": {"same": "string"},
	}
	r.compare(one, other)
	if want := (retyped{"Spec.map": true, "Spec.gone": true, "Gone.map": true}); !maps.Equal(r, want) {
		t.Errorf("%v, want %v", r, want)
	}
}

// TestFreeJSONOfRetypedMembers compares the maps of free JSON of one field by value, after a
// conversion only, and those of another verbatim.
func TestFreeJSONOfRetypedMembers(t *testing.T) {
	type spec struct {
		One   map[string]runtime.JSON `json:"one,omitzero"`
		Other map[string]runtime.JSON `json:"other,omitzero"`
	}
	a, b := map[string]runtime.JSON{"k": runtime.JSON(`{"a":1,"b":2}`)}, map[string]runtime.JSON{"k": runtime.JSON(`{"b":2,"a":1}`)}
	p := programOf[spec](t)
	retyped{"spec.one": true}.mark(p.root, map[*object]bool{})
	for _, test := range []struct {
		reason      string
		how         comparison
		a, b        spec
		isDifferent bool
	}{
		{"a member that is retyped", comparison{converted: true}, spec{One: a}, spec{One: b}, false},
		{"another one", comparison{converted: true}, spec{Other: a}, spec{Other: b}, true},
		{"without a conversion", comparison{}, spec{One: a}, spec{One: b}, true},
		{"behind one that is retyped", comparison{converted: true}, spec{One: a, Other: a}, spec{One: b, Other: b}, true},
	} {
		if diff := p.compare(test.how, unsafe.Pointer(&test.a), unsafe.Pointer(&test.b)); (diff != nil) != test.isDifferent {
			t.Errorf("%s: %v", test.reason, diff)
		}
	}
}
