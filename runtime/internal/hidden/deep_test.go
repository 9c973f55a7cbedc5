package hidden

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// nest is an object with a list of its kind. No member names an element.
type nest struct {
	Color       string              `json:"color"`
	Lines       []string            `json:"lines,omitzero"`
	Nests       []nest              `json:"nests,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// nested returns a nest with a number of lists within each other. The innermost element has a bag.
func nested(lists int) nest {
	n := nest{Color: "innermost", PropertyBag: runtime.PropertyBag{"k": runtime.JSON("1")}}
	for i := range lists {
		n = nest{Color: fmt.Sprint(i), Nests: []nest{{Color: "first"}, n}}
	}
	return n
}

// bagOf returns the bag of a value, which a Go writer and a JSON writer must agree on.
func bagOf[T any](t *testing.T, value *T) string {
	t.Helper()
	s, h := shape.Of(reflect.TypeFor[T]()), &Header{}
	w := NewGoWriter(nil)
	defer w.Done()
	out, _ := w.Bag(h, s, nil, unsafe.Pointer(value), nil)
	data, err := jsontext.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	j := NewJSONWriter()
	defer j.Done()
	if other, _ := j.Bag(h, s, nil, data, nil, nil); string(other) != string(out) {
		t.Errorf("the bag of Go values is\n%.1000s\nand that of JSON\n%.1000s", out, other)
	}
	return string(out)
}

// TestLeavesOfDeepLists checks that lists have leaves down to a depth, and fingerprints one list
// further. An element there is found only if it is unchanged, and then so are the lists in it.
func TestLeavesOfDeepLists(t *testing.T) {
	for _, lists := range []int{1, fingerprint.MaxLeafLists, fingerprint.MaxLeafLists + 1, fingerprint.MaxLeafLists + 3} {
		value := nested(lists)
		bag := bagOf(t, &value)
		if got, want := strings.Count(bag, `"all":`), min(lists, fingerprint.MaxLeafLists+1); got != want {
			t.Errorf("%d lists: %d have fingerprints, want %d", lists, got, want)
		}
		if got, want := strings.Count(bag, `"leaves":`), min(lists, fingerprint.MaxLeafLists); got != want {
			t.Errorf("%d lists: %d have leaves, want %d", lists, got, want)
		}
	}
}

// TestListsWithManyLeaves checks that a list has leaves unless its own are too many, wherever in
// the leaves of its object they begin.
func TestListsWithManyLeaves(t *testing.T) {
	lines := func(count int) nest {
		return nest{Color: "c", Lines: slices.Repeat([]string{"x"}, count), PropertyBag: runtime.PropertyBag{"k": runtime.JSON("1")}}
	}
	const own = 1       // leaves of a nest without lines
	const most = 65_536 // that docs/security.md states
	for count, want := range map[int]int{10: 1, most - own: 1, most - own + 1: 0} {
		value := nest{Nests: []nest{lines(count)}}
		if got := strings.Count(bagOf(t, &value), `"leaves":`); got != want {
			t.Errorf("%d lines: %d lists have leaves, want %d", count, got, want)
		}
	}
	value := nest{Nests: []nest{lines(most * 2 / 3), {Nests: []nest{lines(10)}}}}
	if got := strings.Count(bagOf(t, &value), `"leaves":`); got != 2 {
		t.Errorf("%d lists have leaves, want 2: the inner one has few of its own", got)
	}
}

// TestBagsOfDeepListsAreShort checks how many bytes of a bag each list within many others takes:
// its name and the index of its element. The leaves of lists further outside do not count.
func TestBagsOfDeepListsAreShort(t *testing.T) {
	const few, many = fingerprint.MaxLeafLists + 1, 500
	short, long := nested(few), nested(many)
	const each = `{"in":{"nests":{"in":[[1,]]}}}`
	length := func(value *nest) int { return len(leaves.ReplaceAllString(bagOf(t, value), "")) }
	if got, want := length(&long)-length(&short), (many-few)*len(each); got != want {
		t.Errorf("%d more lists take %d bytes, want %d", many-few, got, want)
	}
}

var leaves = regexp.MustCompile(`,"leaves":\[[^]]*\]`)

// depths is a target that remembers how many lists are around each value.
type depths struct {
	*goValues
	of  *GoRestorer
	all []int
}

func (d *depths) reach(n goNode) (goNode, bool) {
	d.all = append(d.all, d.of.lists)
	return d.goValues.reach(n)
}

// TestRestoringCountsLists checks the number of lists around each value that is restored.
func TestRestoringCountsLists(t *testing.T) {
	value := nested(3)
	bag, err := Read(bagOf(t, &value))
	if err != nil {
		t.Fatal(err)
	}
	r := new(GoRestorer)
	d := &depths{goValues: &r.goValues, of: r}
	r.into = d
	r.Restore(&bag, shape.Of(reflect.TypeFor[nest]()), nil, unsafe.Pointer(&value), nil)
	// Each nest is followed by its list.
	if want := []int{0, 0, 1, 1, 2, 2, 3}; !slices.Equal(d.all, want) {
		t.Errorf("lists around the values: %v, want %v", d.all, want)
	}
	if r.lists != 0 {
		t.Errorf("after all values %d lists are around them", r.lists)
	}
}

// TestLeavesFindElements checks that leaves find a changed element in lists that have them, and in
// no deeper ones, whatever a bag has.
func TestLeavesFindElements(t *testing.T) {
	element := func(color, changed string) nest {
		return nest{Color: color, Lines: []string{color + " line", color + changed}}
	}
	was := []nest{element("red", "1"), element("blue", "1")}
	is := []nest{element("blue", "2"), element("red", "2")}
	s := shape.Of(reflect.TypeFor[[]nest]())
	w := NewGoWriter(nil)
	prints, leaves := w.prints(goNode{s, unsafe.Pointer(&was)}, nil)
	l := &list{leaves: runtime.JSON("[")}
	for _, p := range prints {
		l.leaves = appendNumbers(jsontext.Separate(l.leaves), leaves[p.start:p.end]...)
	}
	l.leaves = append(l.leaves, ']')
	for lists, want := range map[int][]int{
		0: {1, 0}, fingerprint.MaxLeafLists - 1: {1, 0},
		fingerprint.MaxLeafLists: {fingerprint.Nobody, fingerprint.Nobody}, fingerprint.MaxLeafLists + 1: {fingerprint.Nobody, fingerprint.Nobody},
	} {
		r := NewGoRestorer(nil)
		r.trusts, r.restorer.lists = true, lists
		n := goNode{s, unsafe.Pointer(&is)}
		if got := r.now(n, r.into.elements(nil, n), l, appendPrintsOf(nil, prints)); !slices.Equal(got, want) {
			t.Errorf("within %d lists elements are found at %v, want %v", lists, got, want)
		}
		r.Done()
	}
	w.Done()
}

// TestNamesFindElements checks that the member which names elements identifies them after other
// edits. A bag without such a member must identify none by name.
func TestNamesFindElements(t *testing.T) {
	was := []nest{{Color: "red"}, {Color: "blue"}, {Color: "green"}}
	is := []nest{{Color: "blue", Lines: []string{"x"}}, {Color: "white", Lines: []string{"y"}}, {Color: "red"}}
	s := shape.Of(reflect.TypeFor[[]nest]())
	r := NewGoRestorer(nil)
	defer r.Done()
	n := goNode{s, unsafe.Pointer(&was)}
	ids, ok := appendIdentities(nil, carrier[unsafe.Pointer](r.into), s.Elem, r.into.elements(nil, n), []string{"color"})
	if !ok {
		t.Fatal("elements have no identities")
	}
	n.at = unsafe.Pointer(&is)
	elements := r.into.elements(nil, n)
	keys := jsontext.Unquoted(appendNumbers(nil, ids...))
	if got, want := r.byName(n, elements, &list{keys: keys, by: "color"}), []int{2, 0, fingerprint.Nobody}; !slices.Equal(got, want) {
		t.Errorf("elements are at %v, want %v", got, want)
	}
	for _, l := range []*list{{keys: keys}, {by: "color", keys: []byte("?")}, {keys: keys, by: "lines"}} {
		if got := r.byName(n, elements, l); got != nil {
			t.Errorf("elements are found at %v by %q", got, l.by)
		}
	}
}

// TestHiddenElementsOfNoUse checks that an invalid hidden element does not affect later ones.
func TestHiddenElementsOfNoUse(t *testing.T) {
	value := nest{Nests: []nest{{}, {}}}
	r := NewGoRestorer(nil)
	defer r.Done()
	bag, err := Read(`{"format":1,"raw":{"spec":{"in":{"nests":{"in":[1,{},[1,{"bag":{"k":2}}],null,[0,{"bag":{"k":3}}]]}}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	r.Restore(&bag, shape.Of(reflect.TypeFor[nest]()), nil, unsafe.Pointer(&value), nil)
	if string(value.Nests[0].PropertyBag["k"]) != "3" || string(value.Nests[1].PropertyBag["k"]) != "2" {
		t.Errorf("restored as %v", value.Nests)
	}
}

// TestSectionsOutOfOrder checks that a section out of order is left out, and that later ones are
// read.
func TestSectionsOutOfOrder(t *testing.T) {
	value := nest{Nests: []nest{{Color: "c"}}}
	hidden := bagOf(t, &nest{Nests: []nest{{Color: "c", PropertyBag: runtime.PropertyBag{"k": runtime.JSON("1")}}}})
	bag, err := Read(strings.Replace(hidden, `"spec":{`, `"spec":{"before":{},"bag":{"k":2},`, 1))
	if err != nil {
		t.Fatal(err)
	}
	r := NewGoRestorer(nil)
	defer r.Done()
	r.Restore(&bag, shape.Of(reflect.TypeFor[nest]()), nil, unsafe.Pointer(&value), nil)
	if len(value.PropertyBag) != 0 || string(value.Nests[0].PropertyBag["k"]) != "1" {
		t.Errorf("restored as %v", value)
	}
}

// TestBudgetOfSections checks that the budget of a section is at least the length of an object
// and of the hidden values.
func TestBudgetOfSections(t *testing.T) {
	r := NewGoRestorer(nil)
	defer r.Done()
	r.inSection(goNode{}, make(runtime.JSON, 100))
	if r.budget != leastBudget+100 {
		t.Errorf("the budget is %d, want %d", r.budget, leastBudget+100)
	}
}

// at returns the nest within a number of lists.
func (n *nest) at(lists int) *nest {
	for range lists {
		n = &n.Nests[len(n.Nests)-1]
	}
	return n
}

// TestDeepListsAreRestored restores the hidden value of the innermost of many lists, in Go values
// and in JSON. An edit around it changes fingerprints of elements: within eight lists their leaves
// find them again. An edit further inside makes the value foreign, wherever it is: it could be that
// of another element.
func TestDeepListsAreRestored(t *testing.T) {
	const lists = fingerprint.MaxLeafLists + 4
	value := nested(lists)
	b, err := Read(bagOf(t, &value))
	if err != nil {
		t.Fatal(err)
	}
	s := shape.Of(reflect.TypeFor[nest]())
	for edited := -1; edited <= lists; edited++ {
		visible := nested(lists)
		visible.at(lists).PropertyBag = nil
		if edited >= 0 {
			visible.at(edited).Color = "edited"
		}
		data, err := jsontext.Marshal(visible)
		if err != nil {
			t.Fatal(err)
		}
		r := new(GoRestorer)
		r.into = &r.goValues
		r.Restore(&b, s, nil, unsafe.Pointer(&visible), nil)
		want := edited <= fingerprint.MaxLeafLists
		if got := visible.at(lists).PropertyBag != nil; got != want {
			t.Errorf("after an edit within %d lists the value is restored: %t, want %t", edited, got, want)
		}
		after, err := jsontext.Marshal(visible)
		if err != nil {
			t.Fatal(err)
		}
		j := NewJSONRestorer()
		if out, ok := j.Append(nil, s, data, &b, b.Spec); !ok || !jsontext.IsSame(out, after) {
			t.Errorf("after an edit within %d lists (%t) JSON is\n%s\nGo values are\n%s", edited, ok, out, after)
		}
		j.Done()
	}
}
