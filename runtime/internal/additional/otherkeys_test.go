package additional

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/linear"
	"github.com/stratakube/strata/runtime/internal/notation"
)

// TestMembersAtOtherKeys stores objects in bags whose type has another kind of value under a name
// than an earlier version.
func TestMembersAtOtherKeys(t *testing.T) {
	f := Further{Name: "n", Key: "n", Kind: "o", Free: notation.Lists{{{Name: "size", List: 2}, {Key: "size", List: 3}, {Name: "in", List: 4}, {Name: "deep", List: 7}, {Key: "deep", List: 3}, {Name: "maps", Maps: 1, List: 6}, {Name: "free"}, {Key: "free", List: 3}}, {{Kind: "i"}}, {{Kind: "s"}}, {{Name: "a", List: 2}, {Key: "a", List: 5}}, {{Kind: "ls"}}, {{Name: "a", List: 2}, {Key: "a", List: 3}}, {}}}
	for _, test := range []struct{ reason, written, want string }{
		{"the kind that the type has", `{"size":1}`, `{"size":1}`},
		{"that of the key", `{"size":"x","b":1}`, `{"b":1,"$propertyBag":{"size":"x"}}`},
		{"neither", `{"size":[1]}`, `{"size":[1]}`},
		{"in an object, and in a list", `{"in":[{"a":["x"]},{"a":2}]}`, `{"in":[{"$propertyBag":{"a":["x"]}},{"a":2}]}`},
		{"a text in place of an object", `{"deep":"x"}`, `{"$propertyBag":{"deep":"x"}}`},
		{"in values of a map", `{"maps":{"k":{"a":"x"}}}`, `{"maps":{"k":{"$propertyBag":{"a":"x"}}}}`},
		{"free JSON has room for all", `{"free":"x"}`, `{"free":"x"}`},
	} {
		stored := f.inBag(runtime.JSON(test.written), nil)
		if string(stored) != test.want {
			t.Errorf("%s: %s, want %s", test.reason, stored, test.want)
		}
		if visible, whole := f.flattened(stored); !whole || !jsontext.IsSame(visible, runtime.JSON(test.written)) {
			t.Errorf("%s: shown as %s, whole %t", test.reason, visible, whole)
		}
	}
	const was, want = `{"$propertyBag":{"size":"x","b@v2":1,"size@v3":true}}`, `{"$propertyBag":{"size":"y","b@v2":1}}`
	if kept := f.inBag(runtime.JSON(`{"size":"y"}`), runtime.JSON(was)); string(kept) != want {
		t.Errorf("kept is %s, want %s", kept, want)
	}
}

// TestTimeToMoveMembersIsLinear stores objects in each other, each with a member at another key.
func TestTimeToMoveMembersIsLinear(t *testing.T) {
	f := Further{Name: "n", Key: "n", Kind: "o", Free: notation.Lists{{{Name: "size", List: 2}, {Key: "size", List: 3}, {Name: "in", List: 1}}, {{Kind: "i"}}, {{Kind: "s"}}}}
	linear.Check(t, func(n int) {
		f.inBag(runtime.JSON(strings.Repeat(`{"size":"x","in":`, n)+`{}`+strings.Repeat(`}`, n)), nil)
	}, 500)
}

// TestTimeToMoveRepeatedMembersIsLinear stores an object that repeats a member, as a forged bag
// may.
func TestTimeToMoveRepeatedMembersIsLinear(t *testing.T) {
	f := Further{Name: "n", Key: "n", Kind: "o", Free: notation.Lists{{{Name: "size", List: 2}, {Key: "size", List: 3}}, {{Kind: "i"}}, {{Kind: "s"}}}}
	linear.Check(t, func(n int) {
		f.inBag(runtime.JSON(`{`+strings.Repeat(`"size":"x",`, n)+`"$propertyBag":{`+strings.Repeat(`"b@v2":1,`, n)+`"c@v2":1}}`), nil)
	}, 500)
}

// TestEntriesStandOnce writes a member whose key the former bag already has.
func TestEntriesStandOnce(t *testing.T) {
	f := Further{Name: "n", Key: "n", Kind: "o", Free: notation.Lists{{{Name: "size", List: 2}, {Key: "size", List: 3}}, {{Kind: "i"}}, {{Kind: "s"}}}}
	kept := f.inBag(runtime.JSON(`{"size":"x","b":1}`), runtime.JSON(`{"size":"x","$propertyBag":{"size":[1],"c@v2":1}}`))
	if strings.Count(string(kept), `"size"`) != 1 {
		t.Errorf("stored as %s", kept)
	}
	if again := f.inBag(runtime.JSON(`{"size":"x","size":"y"}`), nil); string(again) != `{"$propertyBag":{"size":"y"}}` {
		t.Errorf("a repeated member is stored as %s", again)
	}
}

// TestTimeToMoveListsIsLinear stores objects in lists of objects, where another version has lists
// of texts.
func TestTimeToMoveListsIsLinear(t *testing.T) {
	f := Further{Name: "n", Key: "n", Kind: "o", Free: notation.Lists{{{Name: "in", List: 1}, {Key: "in", List: 2}}, {{Kind: "ls"}}}}
	linear.Check(t, func(n int) {
		f.inBag(runtime.JSON(strings.Repeat(`{"in":["s",`, n)+`1`+strings.Repeat(`]}`, n)), nil)
	}, 1000)
}
