package additional

import (
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/notation"
)

// TestMembersOfOtherKindsGoToBags writes members of plain JSON into an object. Its type has another
// kind under their names, or additional members of a type, so they go to its bag. If a value of the
// bag also fits the type, plain JSON does not show everything.
func TestMembersOfOtherKindsGoToBags(t *testing.T) {
	for _, test := range []struct {
		reason        string
		free          notation.Lists
		plain, stored string
		whole         bool
	}{
		{"a map of another kind", notation.Lists{{{Name: "x", Maps: 1, List: 2}, {Key: "x", Maps: 1, List: 3}}, {{Kind: "i"}}, {{Kind: "s"}}}, `{"x":{"k":"v"}}`, `{"$propertyBag":{"x":{"k":"v"}}}`, true},
		{"a map of its own kind", notation.Lists{{{Name: "x", Maps: 1, List: 2}, {Key: "x", Maps: 1, List: 3}}, {{Kind: "i"}}, {{Kind: "s"}}}, `{"x":{"k":1}}`, `{"x":{"k":1}}`, true},
		{"an empty map", notation.Lists{{{Name: "x", Maps: 1, List: 2}, {Key: "x", Maps: 1, List: 3}}, {{Kind: "i"}}, {{Kind: "s"}}}, `{"x":{}}`, `{"$propertyBag":{"x":{}}}`, false},
		{"an empty list", notation.Lists{{{Name: "x", List: 2}, {Key: "x", List: 3}}, {{Kind: "li"}}, {{Kind: "ls"}}}, `{"x":[]}`, `{"$propertyBag":{"x":[]}}`, false},
		{"a map in a map", notation.Lists{{{Name: "x", Maps: 2, List: 2}, {Key: "x", Maps: 2, List: 3}}, {{Kind: "i"}}, {{Kind: "s"}}}, `{"x":{"k":{"l":"v"}}}`, `{"$propertyBag":{"x":{"k":{"l":"v"}}}}`, true},
		{"a text beside objects", notation.Lists{{{Key: "a", List: 2}, {Rest: true, List: 2}}, {}}, `{"a":"v"}`, `{"$propertyBag":{"a":"v"}}`, true},
		{"an object beside objects", notation.Lists{{{Key: "a", List: 2}, {Rest: true, List: 2}}, {}}, `{"a":{}}`, `{"$propertyBag":{"a":{}}}`, false},
		{"a text beside integers", notation.Lists{{{Key: "a", List: 2}, {Rest: true, List: 3}}, {}, {{Kind: "i"}}}, `{"a":"v"}`, `{"$propertyBag":{"a":"v"}}`, true},
		{"an integer beside integers", notation.Lists{{{Key: "a", List: 2}, {Rest: true, List: 3}}, {}, {{Kind: "i"}}}, `{"a":1}`, `{"$propertyBag":{"a":1}}`, false},
		{"a text beside maps", notation.Lists{{{Key: "a", List: 2}, {Rest: true, Maps: 1}}, {}}, `{"a":"v"}`, `{"$propertyBag":{"a":"v"}}`, true},
		{"a key that no version has", notation.Lists{{{Name: "b", List: 2}, {Rest: true, List: 3}}, {}, {{Kind: "i"}}}, `{"a":"v"}`, `{"$propertyBag":{"a":"v"}}`, false},
		{"an object in place of a map", notation.Lists{{{Name: "x", List: 3}, {Key: "x", Maps: 1, List: 2}}, {{Kind: "s"}}, {}}, `{"x":{"a":"v"}}`, `{"x":{"a":"v"}}`, true},
		{"an empty object in place of a map", notation.Lists{{{Key: "x", Maps: 1, List: 2}, {Name: "x", List: 3}}, {{Kind: "s"}}, {}}, `{"x":{}}`, `{"x":{}}`, true},
		{"a map in place of an object", notation.Lists{{{Name: "x", List: 3}, {Key: "x", Maps: 1, List: 2}}, {{Kind: "s"}}, {}}, `{"x":{"a":"v"}}`, `{"$propertyBag":{"x":{"a":"v"}}}`, false},
		{"a text in place of a map of objects", notation.Lists{{{Name: "x", Maps: 1}, {Key: "x", List: 2}}, {{Kind: "s"}}}, `{"x":"v"}`, `{"$propertyBag":{"x":"v"}}`, true},
		{"texts in place of objects", notation.Lists{{{Name: "x", List: 3}, {Key: "x", List: 2}}, {{Kind: "ls"}}, {}}, `{"x":["v"]}`, `{"$propertyBag":{"x":["v"]}}`, true},
		{"no texts in place of objects", notation.Lists{{{Name: "x", List: 3}, {Key: "x", List: 2}}, {{Kind: "ls"}}, {}}, `{"x":[]}`, `{"$propertyBag":{"x":[]}}`, false},
		{"no objects in place of texts", notation.Lists{{{Name: "x", List: 3}, {Key: "x", List: 2}}, {{Kind: "ls"}}, {}}, `{"x":[]}`, `{"x":[]}`, true},
		{"maps in place of objects", notation.Lists{{{Name: "x", Maps: 1}, {Key: "x", List: 2}}, {{Kind: "lo"}}}, `{"x":[{"a":"v"}]}`, `{"x":[{"a":"v"}]}`, true},
		{"a named member beside objects", notation.Lists{{{Name: "b", List: 2}, {Rest: true, List: 2}}, {}}, `{"b":"v"}`, `{"b":"v"}`, true},
		{"a text where all versions have objects", notation.Lists{{{Name: "b", List: 2}, {Key: "b", List: 2}, {Rest: true, List: 3}}, {}, {{Kind: "i"}}}, `{"b":"v"}`, `{"$propertyBag":{"b":"v"}}`, false},
		{"a text where another version has free JSON", notation.Lists{{{Name: "x", List: 2}, {Key: "x"}}, {{Kind: "i"}}}, `{"x":"v"}`, `{"$propertyBag":{"x":"v"}}`, true},
		{"an object where another version has free JSON", notation.Lists{{{Name: "x", List: 2}, {Key: "x"}}, {{Kind: "i"}}}, `{"x":{"a":[null]}}`, `{"$propertyBag":{"x":{"a":[null]}}}`, true},
		{"an integer that another version has as free JSON", notation.Lists{{{Name: "x", List: 2}, {Key: "x"}}, {{Kind: "i"}}}, `{"x":1}`, `{"$propertyBag":{"x":1}}`, false},
		{"free JSON beside a member of unknown kind", notation.Lists{{{Name: "x", List: 2}, {Key: "x"}}, {}}, `{"x":{"a":1}}`, `{"$propertyBag":{"x":{"a":1}}}`, false},
		{"a text beside free JSON", notation.Lists{{{Name: "b"}, {Key: "b", List: 2}, {Rest: true, List: 3}}, {}, {{Kind: "i"}}}, `{"b":"v"}`, `{"$propertyBag":{"b":"v"}}`, false},
	} {
		f := Further{Name: "n", Key: "n", Kind: "o", Free: test.free}
		flat, whole := f.flattened(runtime.JSON(test.stored))
		if string(flat) != test.plain || whole != test.whole {
			t.Errorf("%s: shown as %s, whole %t", test.reason, flat, whole)
		}
		if got := f.inBag(runtime.JSON(test.plain), nil); whole && string(got) != test.stored {
			t.Errorf("%s: stored as %s, want %s", test.reason, got, test.stored)
		}
	}
}

// TestEntriesThatNoVersionReads flattens entries of a bag whose names the object's type lacks, or
// has with the same kind. A value of the kind follows from the visible value, because each
// version reads it as its own. A damaged value does not, because the version that has the member
// refuses the whole object.
func TestEntriesThatNoVersionReads(t *testing.T) {
	bools := notation.Lists{{{Key: "x", List: 2}}, {{Kind: "lb"}}}
	for _, test := range []struct {
		reason string
		free   notation.Lists
		value  string
		whole  bool
	}{
		{"a list of booleans", bools, `[true]`, true},
		{"an empty list", bools, `[]`, true},
		{"a list of lists in place of booleans", bools, `[[]]`, false},
		{"a text in place of a list", bools, `"v"`, false},
		{"an object", notation.Lists{{{Key: "x", List: 2}}, {{Kind: "o"}}}, `{}`, true},
		{"a list in place of an object", notation.Lists{{{Key: "x", List: 2}}, {{Kind: "o"}}}, `[{}]`, false},
		{"a map", notation.Lists{{{Key: "x", Maps: 1, List: 2}}, {{Kind: "i"}}}, `{"k":1}`, true},
		{"a map of another kind", notation.Lists{{{Key: "x", Maps: 1, List: 2}}, {{Kind: "i"}}}, `{"k":"v"}`, false},
		{"neither the kind of the type nor that of the key", notation.Lists{{{Name: "x", List: 2}, {Key: "x", List: 3}}, {{Kind: "i"}}, {{Kind: "s"}}}, `[1]`, false},
		{"a key without a kind", notation.Lists{{{Key: "x"}}}, `[[]]`, true},
		{"a name that no version has", notation.Lists{{{Key: "y", List: 2}}, {{Kind: "i"}}}, `[[]]`, true},
	} {
		f := Further{Name: "n", Key: "n", Kind: "o", Free: test.free}
		plain := `{"x":` + test.value + `}`
		if flat, whole := f.flattened(runtime.JSON(`{"$propertyBag":` + plain + `}`)); string(flat) != plain || whole != test.whole {
			t.Errorf("%s: shown as %s, whole %t", test.reason, flat, whole)
		}
		if got := f.inBag(runtime.JSON(plain), nil); string(got) != plain {
			t.Errorf("%s: stored as %s, where no version looks for it", test.reason, got)
		}
	}
}

// TestMembersOfBagsStayThere changes another member of an object. A bag value that could be the
// object's own member must stay in the bag until the client changes it.
func TestMembersOfBagsStayThere(t *testing.T) {
	for _, test := range []struct {
		reason             string
		free               notation.Lists
		was, written, want string
	}{
		{"a map in place of an object", notation.Lists{{{Name: "x", List: 3}, {Key: "x", Maps: 1, List: 2}}, {{Kind: "s"}}, {}}, `{"$propertyBag":{"x":{"a":"v"}}}`, `{"x":{"a":"v"},"y":1}`, `{"y":1,"$propertyBag":{"x":{"a":"v"}}}`},
		{"one that is changed", notation.Lists{{{Name: "x", List: 3}, {Key: "x", Maps: 1, List: 2}}, {{Kind: "s"}}, {}}, `{"$propertyBag":{"x":{"a":"v"}}}`, `{"x":{"a":"w"},"y":1}`, `{"x":{"a":"w"},"y":1}`},
		{"an object beside objects", notation.Lists{{{Key: "x", List: 2}, {Rest: true, List: 2}}, {}}, `{"$propertyBag":{"x":{}}}`, `{"x":{},"y":{}}`, `{"y":{},"$propertyBag":{"x":{}}}`},
		{"one that is gone", notation.Lists{{{Key: "x", List: 2}, {Rest: true, List: 2}}, {}}, `{"$propertyBag":{"x":{}}}`, `{"y":{}}`, `{"y":{}}`},
		{"a list", notation.Lists{{{Key: "x", List: 2}, {Rest: true, List: 2}}, {}}, `{"$propertyBag":{"x":[{"name":"n","$propertyBag":{"z@v1":1}},{"name":"m"}]}}`, `{"x":[{"name":"n"},{"name":"m"}],"y":{}}`,
			`{"y":{},"$propertyBag":{"x":[{"name":"n","$propertyBag":{"z@v1":1}},{"name":"m"}]}}`},
		{"a list with its elements moved", notation.Lists{{{Key: "x", List: 2}, {Rest: true, List: 2}}, {}}, `{"$propertyBag":{"x":[{"name":"n","$propertyBag":{"z@v1":1}},{"name":"m"}]}}`, `{"x":[{"name":"m"},{"name":"n"}],"y":{}}`,
			`{"x":[{"name":"m"},{"name":"n","$propertyBag":{"z@v1":1}}],"y":{}}`},
		{"a list without the last element", notation.Lists{{{Key: "x", List: 2}, {Rest: true, List: 2}}, {}}, `{"$propertyBag":{"x":[{"name":"n","$propertyBag":{"z@v1":1}},{"name":"m"}]}}`, `{"x":[{"name":"n"}],"y":{}}`,
			`{"x":[{"name":"n","$propertyBag":{"z@v1":1}}],"y":{}}`},
		{"a list with another element", notation.Lists{{{Key: "x", List: 2}, {Rest: true, List: 2}}, {}}, `{"$propertyBag":{"x":[{"name":"n","$propertyBag":{"z@v1":1}}]}}`, `{"x":[{"name":"n"},{"name":"m"}],"y":{}}`,
			`{"x":[{"name":"n","$propertyBag":{"z@v1":1}},{"name":"m"}],"y":{}}`},
		{"a list whose first element is edited", notation.Lists{{{Key: "x", List: 2}, {Rest: true, List: 2}}, {}}, `{"$propertyBag":{"x":[{"name":"n","$propertyBag":{"z@v1":1}},{"name":"m"}]}}`, `{"x":[{"name":"n","a":1},{"name":"m"}],"y":{}}`,
			`{"x":[{"name":"n","a":1,"$propertyBag":{"z@v1":1}},{"name":"m"}],"y":{}}`},
		{"a list whose last element is edited", notation.Lists{{{Key: "x", List: 2}, {Rest: true, List: 2}}, {}}, `{"$propertyBag":{"x":[{"name":"n","$propertyBag":{"z@v1":1}},{"name":"m"}]}}`, `{"x":[{"name":"n"},{"name":"m","a":1}],"y":{}}`,
			`{"x":[{"name":"n","$propertyBag":{"z@v1":1}},{"name":"m","a":1}],"y":{}}`},
		{"a map", notation.Lists{{{Key: "x", Maps: 1, List: 2}, {Rest: true, List: 2}}, {}}, `{"$propertyBag":{"x":{"k":{"a":1,"$propertyBag":{"z@v1":1}},"l":{}}}}`, `{"x":{"k":{"a":1},"l":{}},"y":{}}`,
			`{"y":{},"$propertyBag":{"x":{"k":{"a":1,"$propertyBag":{"z@v1":1}},"l":{}}}}`},
		{"a map without an entry", notation.Lists{{{Key: "x", Maps: 1, List: 2}, {Rest: true, List: 2}}, {}}, `{"$propertyBag":{"x":{"k":{"a":1,"$propertyBag":{"z@v1":1}},"l":{}}}}`, `{"x":{"k":{"a":1}},"y":{}}`,
			`{"x":{"k":{"a":1,"$propertyBag":{"z@v1":1}}},"y":{}}`},
		{"a map with another entry", notation.Lists{{{Key: "x", Maps: 1, List: 2}, {Rest: true, List: 2}}, {}}, `{"$propertyBag":{"x":{"k":{"a":1,"$propertyBag":{"z@v1":1}}}}}`, `{"x":{"k":{"a":1},"l":{}},"y":{}}`,
			`{"x":{"k":{"a":1,"$propertyBag":{"z@v1":1}},"l":{}},"y":{}}`},
		{"a map whose first entry is edited", notation.Lists{{{Key: "x", Maps: 1, List: 2}, {Rest: true, List: 2}}, {}}, `{"$propertyBag":{"x":{"k":{"a":1,"$propertyBag":{"z@v1":1}},"l":{}}}}`, `{"x":{"k":{"a":2},"l":{}},"y":{}}`,
			`{"x":{"k":{"a":2,"$propertyBag":{"z@v1":1}},"l":{}},"y":{}}`},
		{"a map whose last entry is edited", notation.Lists{{{Key: "x", Maps: 1, List: 2}, {Rest: true, List: 2}}, {}}, `{"$propertyBag":{"x":{"k":{"a":1,"$propertyBag":{"z@v1":1}},"l":{}}}}`, `{"x":{"k":{"a":1},"l":{"b":1}},"y":{}}`,
			`{"x":{"k":{"a":1,"$propertyBag":{"z@v1":1}},"l":{"b":1}},"y":{}}`},
		{"an object with a member more", notation.Lists{{{Key: "x", List: 2}, {Rest: true, List: 2}}, {}}, `{"$propertyBag":{"x":{"a":1,"$propertyBag":{"z@v1":1}}}}`, `{"x":{"a":1,"b":2},"y":{}}`,
			`{"x":{"a":1,"b":2,"$propertyBag":{"z@v1":1}},"y":{}}`},
		{"an object with a member less", notation.Lists{{{Key: "x", List: 2}, {Rest: true, List: 2}}, {}}, `{"$propertyBag":{"x":{"a":1,"b":2,"$propertyBag":{"z@v1":1}}}}`, `{"x":{"a":1},"y":{}}`,
			`{"x":{"a":1,"$propertyBag":{"z@v1":1}},"y":{}}`},
	} {
		f := Further{Name: "n", Key: "n", Kind: "o", Free: test.free}
		if got := f.inBag(runtime.JSON(test.written), runtime.JSON(test.was)); string(got) != test.want {
			t.Errorf("%s: stored as %s, want %s", test.reason, got, test.want)
		}
	}
}
