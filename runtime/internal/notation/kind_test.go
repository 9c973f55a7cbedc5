package notation

import (
	"testing"

	"github.com/stratakube/strata/runtime"
)

// TestIsOfKind has values of all JSON kinds pass for those of schemas, or not.
func TestIsOfKind(t *testing.T) {
	for kind, values := range map[string]struct{ fit, others []string }{
		"a":  {[]string{`1`, `"x"`, `true`, `[null]`, `{"a": null}`}, []string{`null`, ``}},
		"s":  {[]string{`"x"`, `""`, `"\u00e4"`}, []string{`1`, `null`, `["x"]`, `"\ud800"`, `{"a": "x"}`}},
		"b":  {[]string{`true`, `false`}, []string{`"true"`, `1`, `null`}},
		"i":  {[]string{`1`, `-9223372036854775808`}, []string{`9223372036854775808`, `1.0`, `1e2`, `-0`, `"1"`, `true`}},
		"n":  {[]string{`1`, `1.5`, `-2e3`}, []string{`1e999`, `9007199254740993`, `"1"`, `false`}},
		"o":  {[]string{`{}`, `{"a": [{"b": 1}]}`}, []string{`{"a": null}`, `{"a": [null]}`, `{"$propertyBag": {}}`, `{"a": {"$propertyBag": 1}}`, `[]`, `1`}},
		"ls": {[]string{`[]`, `["x", "y"]`}, []string{`[1]`, `["x", 1]`, `[null]`, `"x"`, `{}`, `{"a": "x"}`}},
		"la": {[]string{`[]`, `[1, null, {"a": null}]`}, []string{`{}`, `1`, `null`}},
		"ms": {[]string{`{}`, `{"a": "x"}`}, []string{`{"a": 1}`, `{"a": "x", "b": 1}`, `{"a": null}`, `[]`, `["x"]`}},
		"ma": {[]string{`{}`, `{"a": null, "b": 1}`}, []string{`[]`, `1`, `null`}},
		"":   {nil, []string{`1`, `"x"`, `{}`}},
		"x":  {nil, []string{`1`, `"x"`, `{}`}},
	} {
		for _, value := range values.fit {
			if !IsOfKind(kind, runtime.JSON(value)) {
				t.Errorf("%s is not of kind %q", value, kind)
			}
		}
		for _, value := range values.others {
			if IsOfKind(kind, runtime.JSON(value)) {
				t.Errorf("%s is of kind %q", value, kind)
			}
		}
	}
}

// TestFreeMembersMayBeAnything has members that a list declares free. They may contain nulls, and
// names like that of a property bag, behind as many maps as the list declares.
func TestFreeMembersMayBeAnything(t *testing.T) {
	free := Lists{
		{{Name: "free"}, {Name: "map", Maps: 1, List: 2}, {Name: "none", Maps: 1}, {Name: "inner", List: 2}},
		{{Name: "free"}},
	}.At(1)
	for value, want := range map[string]bool{
		`{"free": {"a": null}}`:                     true,
		`{"free": [{"$propertyBag": {}}]}`:          true,
		`{"free": null}`:                            false,
		`{"other": {"a": null}}`:                    false,
		`{"other": {"free": {"a": null}}}`:          false,
		`{"inner": {"free": {"a": null}}}`:          true,
		`{"inner": {"other": {"a": null}}}`:         false,
		`{"map": {"k": {"free": {"a": null}}}}`:     true,
		`{"map": {"k": {"other": {"a": null}}}}`:    false,
		`{"map": {"free": {"a": null}}}`:            false,
		`{"map": [{"k": {"free": {"a": null}}}]}`:   true,
		`{"map": [{"k": {"other": {"a": null}}}]}`:  false,
		`{"map": [{"free": {"a": {"b": [null]}}}]}`: false,
		`{"map": 1}`:                               true,
		`{"map": [1, "x"]}`:                        true,
		`{"map": {}, "other": {"a": null}}`:        false,
		`{"map": {"k": 1}, "inner": {"b": null}}`:  false,
		`{"none": {"k": {"a": 1}}}`:                true,
		`{"none": {"k": {"a": null}}}`:             false,
		`{"free": {"a": null}, "other": {"a": 1}}`: true,
	} {
		if got := IsOfKindExcept("o", runtime.JSON(value), free); got != want {
			t.Errorf("%s is plain but for what is free: %t, want %t", value, got, want)
		}
	}
	if items := (Item{Inner: FreeJSON}); !items.IsFree() || (Item{Inner: FreeJSON, Maps: 1}).IsFree() || (Item{}).IsFree() || (Item{Inner: noList}).IsFree() {
		t.Error("free JSON is taken for something else, or the other way round")
	}
}

// TestAdditionalMembers tests the items of additional members in a list.
func TestAdditionalMembers(t *testing.T) {
	rest := func(e Entry, others ...Entry) *List {
		e.Rest = true
		return Lists{append(others, e), {{Name: "x"}}}.At(1)
	}
	for reason, test := range map[string]struct {
		list           *List
		isOpen, listed bool
		maps           int
		isList         bool
	}{
		"no list":         {nil, false, false, 0, false},
		"names alone":     {listOf(Entry{Name: "a"}), false, false, 0, false},
		"free JSON":       {rest(Entry{}), true, true, 0, false},
		"maps of it":      {rest(Entry{Maps: 1}), false, true, 1, false},
		"objects":         {rest(Entry{List: 2}), false, true, 0, true},
		"maps of objects": {rest(Entry{List: 2, Maps: 2}), false, true, 2, true},
	} {
		i, listed := test.list.AdditionalItem()
		if test.list.IsOpen() != test.isOpen || listed != test.listed || i.Maps != test.maps || (i.Inner != nil) != test.isList {
			t.Errorf("%s: open %t, listed %t, %+v", reason, test.list.IsOpen(), listed, i)
		}
	}
}
