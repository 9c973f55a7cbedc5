package additional

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// hubCell is open to any JSON. Its tag lists the bag entries that its members replace.
type hubCell struct {
	AdditionalProperties map[string]runtime.JSON `json:"-" replaces:"{\"all\":true,\"foreign\":[\"own\"],\"keys\":[{\"name\":\"a\",\"key\":\"a\",\"kind\":\"o\"},{\"name\":\"b\",\"key\":\"b\",\"kind\":\"o\"},{\"name\":\"c\",\"key\":\"c\",\"kind\":\"o\"}]}"`
	PropertyBag          runtime.PropertyBag     `json:"$propertyBag,omitzero"`
}

// hides is the cover of a member that shows x, and hides the value of another version.
func hides(name string) string {
	return `"` + name + `":{"key":"` + name + `","shown":{"x":1},"stored":{"` + name + `":{"x":1,"$propertyBag":{"y@v1":2}}}}`
}

// remainingCovers calls RemoveReplaced for a cell, and returns the names of the remaining covers.
func remainingCovers(t *testing.T, members, covers string, budget *int) []string {
	t.Helper()
	c := hubCell{AdditionalProperties: map[string]runtime.JSON{}, PropertyBag: runtime.PropertyBag{bag.CoveredKey: runtime.JSON(`{` + covers + `}`)}}
	for name, value := range bagOf(t, members) {
		c.AdditionalProperties[name] = value
	}
	RemoveReplaced(shape.Of(reflect.TypeFor[hubCell]()), shape.Address(&c), budget)
	return bag.SortedKeys(entriesOf[runtime.JSON](c.PropertyBag, bag.CoveredKey))
}

// TestCoversAreRecovered drops covers of members that a client wrote. Hidden values of unchanged
// parts must stay, within the budget.
func TestCoversAreRecovered(t *testing.T) {
	const changed = `{"x":1,"z":3}`
	all := hides("a") + "," + hides("b") + "," + hides("c")
	for _, test := range []struct {
		reason, members, covers string
		budget, left            int
		want                    string
	}{
		{"nothing is written", `{"a":{"x":1},"b":{"x":1}}`, hides("a") + "," + hides("b"), 100, 100, "a b"},
		{"the first one is as it was", `{"a":{"x":1},"b":` + changed + `}`, hides("a") + "," + hides("b"), 100, 100 - len(changed), "a b"},
		{"all are written", `{"a":` + changed + `,"b":` + changed + `,"c":` + changed + `}`, all, 100, 100 - 3*len(changed), "a b c"},
		{"one is removed", `{"b":` + changed + `}`, hides("a") + "," + hides("b"), 100, 100 - len(changed), "b"},
		{"the budget is used up", `{"a":{"x":2},"b":{"x":2}}`, hides("a") + "," + hides("b"), 7, 0, "a"},
		{"there is no budget", `{"a":` + changed + `}`, hides("a"), 0, 0, ""},
		{"nothing is hidden", `{"a":` + changed + `}`, `"a":{"key":"a","shown":{"x":1},"stored":{"a":{"x":1}}}`, 100, 100, ""},
		{"another kind is written", `{"a":"s"}`, hides("a"), 100, 100 - len(`"s"`), ""},
		{"the value of another version was shown", `{"a":` + changed + `}`, strings.Replace(hides("a"), `"key":"a"`, `"key":"a@v1"`, 1), 100, 100, ""},
	} {
		budget := test.budget
		got := strings.Join(remainingCovers(t, test.members, test.covers, &budget), " ")
		if got != test.want || budget != test.left {
			t.Errorf("%s: covers of %q are left, want %q; %d of the budget, want %d", test.reason, got, test.want, budget, test.left)
		}
	}
}

// treeCell is open to cells that are open, too. Its tag lists the bag entries that its members
// replace.
type treeCell struct {
	AdditionalProperties map[string]openCell `json:"-" replaces:"{\"keys\":[{\"name\":\"a\",\"key\":\"a\",\"kind\":\"o\"},{\"name\":\"b\",\"key\":\"b\",\"kind\":\"o\"}]}"`
	PropertyBag          runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// TestBudgetLastsForTries drops covers of members that are longer than the budget: each takes
// a part of it.
func TestBudgetLastsForTries(t *testing.T) {
	long := openCell{AdditionalProperties: map[string]openCell{}}
	for i := range 1000 {
		long.AdditionalProperties[strconv.Itoa(i)] = openCell{}
	}
	edited := openCell{AdditionalProperties: map[string]openCell{"x": {}}}
	for _, test := range []struct {
		budget, left int
		a, b         openCell
		isLeft       string
	}{
		{100, 75, long, openCell{}, ""},
		{99, 74, long, openCell{}, ""},
		{100, 56, long, long, ""},
		{100, 75 - len(`{"x":{}}`), long, edited, "b"},
		{3, 1, long, long, ""},
	} {
		c := treeCell{AdditionalProperties: map[string]openCell{"a": test.a, "b": test.b}, PropertyBag: runtime.PropertyBag{
			bag.CoveredKey: runtime.JSON(`{` + hides("a") + `,` + hides("b") + `}`),
		}}
		if len(test.b.AdditionalProperties) == 0 {
			delete(c.AdditionalProperties, "b")
		}
		budget := test.budget
		RemoveReplaced(shape.Of(reflect.TypeFor[treeCell]()), shape.Address(&c), &budget)
		got := strings.Join(bag.SortedKeys(entriesOf[runtime.JSON](c.PropertyBag, bag.CoveredKey)), " ")
		if got != test.isLeft || budget != test.left {
			t.Errorf("of a budget of %d, %d is left, want %d; covers of %q are left, want %q", test.budget, budget, test.left, got, test.isLeft)
		}
	}
}

// TestSpellingsOfCoversAreBounded compares a cover with a member that is spelled with escapes,
// but not with a much longer one.
func TestSpellingsOfCoversAreBounded(t *testing.T) {
	cover := `"a":{"key":"a@v1","shown":"` + strings.Repeat("<", 100) + `","stored":{"a@v1":1}}`
	for _, test := range []struct {
		member string
		want   int
	}{
		{strings.Repeat(`\u003c`, 100), 1},
		{strings.Repeat(`\u003c`, 99), 0},
		{strings.Repeat(`\u003c`, 1000), 0},
	} {
		budget := 0
		if got := remainingCovers(t, `{"a":"`+test.member+`"}`, cover, &budget); len(got) != test.want {
			t.Errorf("%.20s of %d bytes leaves covers of %q", test.member, len(test.member), got)
		}
	}
	if short, long := longestSpelling(nil), longestSpelling(make(runtime.JSON, 1000)); short < 10 || short > 100 || long < 6000 || long > 10000 {
		t.Errorf("spellings are at most %d bytes of none, and %d of 1000", short, long)
	}
}

// TestWrittenMembersAreForgotten removes bag entries with the names of present members.
func TestWrittenMembersAreForgotten(t *testing.T) {
	for _, test := range []struct{ reason, members, bag, want string }{
		{"others wait", `{"a":1}`, `{"$additionalProperties":{"a":1,"z":2},"$namedProperties":{"a":1,"z":2}}`, `{"$additionalProperties":{"z":2},"$namedProperties":{"z":2}}`},
		{"another property before it", `{"own":1,"z":1}`, `{"own":2,"$additionalProperties":{"own":1,"z":2}}`, `{"own":2,"$additionalProperties":{"own":1}}`},
		{"nothing waits", `{"a":1}`, `{"b": {"x":1}}`, `{"b": {"x":1}}`},
		{"all of it", `{"a":1,"z":1}`, `{"a":{},"$namedProperties":{"z":2}}`, `{}`},
	} {
		c := hubCell{AdditionalProperties: map[string]runtime.JSON{}, PropertyBag: bagOf(t, test.bag)}
		for name, value := range bagOf(t, test.members) {
			c.AdditionalProperties[name] = value
		}
		budget := 1000
		RemoveReplaced(shape.Of(reflect.TypeFor[hubCell]()), shape.Address(&c), &budget)
		if want := bagOf(t, test.want); len(want)+len(c.PropertyBag) > 0 && !reflect.DeepEqual(c.PropertyBag, want) {
			t.Errorf("%s: %s, want %s", test.reason, c.PropertyBag, want)
		}
	}
}

// TestForgedCovers lowers a member with covers. A cover that no conversion makes is ignored, as if
// a client had written the member.
func TestForgedCovers(t *testing.T) {
	known := Furthers{{Name: "a", Key: "a", Kind: "li"}}
	for _, test := range []struct{ reason, cover, want string }{
		{"a value without a key", `{"key":"$additionalProperties","shown":[1],"stored":{"$additionalProperties":[1]}}`, `{"$additionalProperties":{"a":[1]}}`},
		{"another value without a key", `{"key":"$additionalProperties","shown":[1],"stored":{"$additionalProperties":[]}}`, `{"a":[1]}`},
		{"another value that waits", `{"key":"$namedProperties","shown":[1],"stored":{"$namedProperties":{}}}`, `{"a":[1]}`},
		{"no visible value", `{"key":"b","shown":[1],"stored":{"a":[2]}}`, `{"a":[1]}`},
		{"a hidden value", `{"key":"a","shown":[1],"stored":{"a":[1],"$additionalProperties":"x"}}`, `{"$additionalProperties":{"a":"x"},"a":[1]}`},
	} {
		c := &hubCell{AdditionalProperties: map[string]runtime.JSON{"a": runtime.JSON(`[1]`)}, PropertyBag: bagOf(t, `{"$coveredProperties":{"a":`+test.cover+`}}`)}
		got, err := json.Marshal(Lower(c, known, nil))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: stored as %s, want %s (%v)", test.reason, got, test.want, err)
		}
	}
}
