package notation

import "testing"

// TestListsReferToEachOther checks that lists of one number are the same list, even if it
// contains itself.
func TestListsReferToEachOther(t *testing.T) {
	lists := Lists{
		{{Name: "a", List: 2}, {Name: "b", List: 2}, {Key: "k", Maps: 1, List: 3}, {Name: "c", List: 1}},
		{{Name: "x"}, {Name: "y", List: 3}},
		{{Name: "z"}, {Name: "w", List: 2}},
	}
	all := lists.At(1)
	first := inner(all, "a")
	if first == nil || first != lists.At(2) {
		t.Fatal("a has another list than the second")
	}
	for name, got := range map[string]*List{"b": inner(all, "b"), "a.y.w": inner(all, "a", "y", "w"), "c.a": inner(all, "c", "a")} {
		if got != first {
			t.Errorf("%s is not the list of a", name)
		}
	}
	if key, ok := all.Key("k"); !ok || key.Maps != 1 || key.Inner != inner(all, "a", "y") {
		t.Errorf("k is %+v", key)
	}
	if i, listed := all.Item("a"); !listed || i.Inner == nil {
		t.Errorf("a is %+v, listed %t", i, listed)
	}
	if i, listed := first.Item("x"); !listed || i.Inner != nil {
		t.Errorf("x is %+v, listed %t: it has no list", i, listed)
	}
}

// TestNumbersOfNoList checks that an unknown number results in an empty list, and 0 in none.
func TestNumbersOfNoList(t *testing.T) {
	lists := Lists{{{Name: "a", List: 2}, {Name: "b", List: -1}, {Name: "c"}}}
	for name, isList := range map[string]bool{"a": true, "b": true, "c": false} {
		if got := inner(lists.At(1), name); (got != nil) != isList || !got.IsEmpty() {
			t.Errorf("%s has the list %+v", name, got)
		}
	}
	if lists.At(0) != nil || lists.At(2) == nil || !lists.At(2).IsEmpty() || !lists.At(-1).IsEmpty() || !Lists(nil).At(1).IsEmpty() {
		t.Error("a number that no list has stands for one")
	}
}

func inner(t *List, names ...string) *List {
	for _, name := range names {
		i, _ := t.Item(name)
		t = i.Inner
	}
	return t
}

// listOf is a single list.
func listOf(entries ...Entry) *List { return Lists{entries}.At(1) }

// TestOnlyNothingIsEmpty wants a list with a single thing of any kind not to be taken for an empty
// one.
func TestOnlyNothingIsEmpty(t *testing.T) {
	for _, e := range []Entry{{Name: "a"}, {Key: "k"}, {Rest: true}, {Kind: "s"}} {
		if listOf(e).IsEmpty() {
			t.Errorf("%+v is empty", e)
		}
	}
	if !(*List)(nil).IsEmpty() || !noList.IsEmpty() || !listOf().IsEmpty() {
		t.Error("nothing is not empty")
	}
}

// TestMapsOfAdditionalMembers checks that the maps between an open object and the objects of its
// additional members count. They do not count for a member with its own list.
func TestMapsOfAdditionalMembers(t *testing.T) {
	rest := func(maps int, others ...Entry) *List {
		return Lists{append(others, Entry{Rest: true, Maps: maps, List: 2}), {{Name: "x"}}}.At(1)
	}
	for reason, test := range map[string]struct {
		list   *List
		name   string
		maps   int
		listed bool
	}{
		"two maps":              {rest(2), "other", 2, true},
		"no map":                {rest(0), "other", 0, true},
		"a name with a list":    {rest(1, Entry{Name: "named", List: 2}), "named", 0, true},
		"no additional members": {listOf(Entry{Name: "x"}), "other", 0, false},
	} {
		if got, listed := test.list.Member(test.name); got.Maps != test.maps || listed != test.listed {
			t.Errorf("%s: %s has %d maps, listed %t", reason, test.name, got.Maps, listed)
		}
	}
}
