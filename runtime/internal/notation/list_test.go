package notation

import "testing"

// TestListsThatBeganBefore: a list that stands again may be named by its number; what it
// is named by is the very list, also where that stands within itself.
func TestListsThatBeganBefore(t *testing.T) {
	all := Parse(`a(x,y(z,w(^2))),b(=1),!k{}(=2),c(=0)`)
	first, _ := all.Item("a")
	for _, tt := range []struct {
		name string
		got  *List
	}{
		{"b", inner(all, "b")},
		{"a.y.w", inner(all, "a", "y", "w")},
		{"c.a", inner(all, "c", "a")},
	} {
		if tt.got != first.Inner {
			t.Errorf("%s is not the list of a", tt.name)
		}
	}
	if key, ok := all.Key("k"); !ok || key.Maps != 1 || key.Inner != inner(all, "a", "y") {
		t.Errorf("k is %+v", key)
	}
	for _, damaged := range []string{"a(=1)", "a(=2),b", "a(=-1)", "a(=", "a(=x)", "a(=99999999999999999999)"} {
		if i, listed := Parse(damaged).Item("a"); listed && i.Inner != nil && !i.Inner.IsEmpty() {
			t.Errorf("%s: a has a list: %+v", damaged, i.Inner)
		}
	}
}

func inner(t *List, names ...string) *List {
	for _, name := range names {
		i, _ := t.Item(name)
		t = i.Inner
	}
	return t
}

// TestOnlyNothingIsEmpty wants a list with a single thing of any kind not to be taken for an empty
// one.
func TestOnlyNothingIsEmpty(t *testing.T) {
	for text, isEmpty := range map[string]bool{"": true, "a": false, "!k": false, "*": false} {
		if got := Parse(text).IsEmpty(); got != isEmpty {
			t.Errorf("%q is empty: %t", text, got)
		}
	}
	for _, some := range []*List{flatList, {Kind: "s"}, {listsAdditional: true}, {Keys: map[string]Item{"k": {}}}} {
		if some.IsEmpty() {
			t.Errorf("%+v is empty", some)
		}
	}
	if !(*List)(nil).IsEmpty() || !noList.IsEmpty() {
		t.Error("nothing is not empty")
	}
	if _, listed := Parse("a).,b").Item("b"); listed {
		t.Error("what stands behind a fault is read")
	}
}

// TestMapsOfAdditionalMembers wants the maps between an open object and the objects of its
// additional members to be counted, but not for a member that has a list of its own.
func TestMapsOfAdditionalMembers(t *testing.T) {
	for _, test := range []struct {
		text, name string
		maps       int
		listed     bool
	}{
		{"*{}{}(x)", "other", 2, true},
		{"*(x)", "other", 0, true},
		{"*{}(x),named(y)", "named", 0, true},
		{"*{}(x),+named(y)", "named", 0, true},
		{"*{}(x),+named", "named", 0, false},
		{"x", "other", 0, false},
	} {
		if got, listed := Parse(test.text).Member(test.name); got.Maps != test.maps || listed != test.listed {
			t.Errorf("%s of %s has %d maps, listed %t", test.name, test.text, got.Maps, listed)
		}
	}
}

func TestUnknownMembers(t *testing.T) {
	list := Parse("a,!b(?i),+c,!e@v1@,~")
	for name, want := range map[string]bool{"a": false, "b": false, "c": false, "d": true, "e@v1": false, "e@v1@": true} {
		if got := list.IsUnknown(name); got != want {
			t.Errorf("%s is unknown: %t", name, got)
		}
	}
	if Parse("a").IsUnknown("d") || (*List)(nil).IsUnknown("d") || Parse("~").IsEmpty() || Parse("a,~").HasOnlyNames() {
		t.Error("a list that is not closed is, or the other way round")
	}
}
