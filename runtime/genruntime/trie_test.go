package genruntime

import "testing"

// TestListsThatBeganBefore: a list that stands again may be named by its number; what it
// is named by is the very list, also where that stands within itself.
func TestListsThatBeganBefore(t *testing.T) {
	all := parseTrie(`a(x,y(z,w(^2))),b(=1),!k{}(=2),c(=0)`)
	first, _ := all.item("a")
	for _, tt := range []struct {
		name string
		got  *trie
	}{
		{"b", inner(all, "b")},
		{"a.y.w", inner(all, "a", "y", "w")},
		{"c.a", inner(all, "c", "a")},
	} {
		if tt.got != first.inner {
			t.Errorf("%s is not the list of a", tt.name)
		}
	}
	if key, ok := all.key("k"); !ok || key.maps != 1 || key.inner != inner(all, "a", "y") {
		t.Errorf("k is %+v", key)
	}
	for _, damaged := range []string{"a(=1)", "a(=2),b", "a(=-1)", "a(=", "a(=x)", "a(=99999999999999999999)"} {
		if i, listed := parseTrie(damaged).item("a"); listed && i.inner != nil && !i.inner.isEmpty() {
			t.Errorf("%s: a has a list: %+v", damaged, i.inner)
		}
	}
}

func inner(t *trie, names ...string) *trie {
	for _, name := range names {
		i, _ := t.item(name)
		t = i.inner
	}
	return t
}

// TestOnlyNothingIsEmpty wants a list with a single thing of any kind not to be taken for an empty one.
func TestOnlyNothingIsEmpty(t *testing.T) {
	for text, isEmpty := range map[string]bool{"": true, "a": false, "!k": false, "*": false} {
		if got := parseTrie(text).isEmpty(); got != isEmpty {
			t.Errorf("%q is empty: %t", text, got)
		}
	}
	for _, some := range []*trie{flatTrie, {kind: "s"}, {listsAdditional: true}, {keys: map[string]item{"k": {}}}} {
		if some.isEmpty() {
			t.Errorf("%+v is empty", some)
		}
	}
	if !(*trie)(nil).isEmpty() || !noTrie.isEmpty() {
		t.Error("nothing is not empty")
	}
	if _, listed := parseTrie("a).,b").item("b"); listed {
		t.Error("what stands behind a fault is read")
	}
}

// TestMapsOfAdditionalMembers wants the maps between an open object and the objects of its additional members to be counted,
// but not for a member that has a list of its own.
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
		if got, listed := parseTrie(test.text).member(test.name); got.maps != test.maps || listed != test.listed {
			t.Errorf("%s of %s has %d maps, listed %t", test.name, test.text, got.maps, listed)
		}
	}
}

func TestUnknownMembers(t *testing.T) {
	list := parseTrie("a,!b(?i),+c,!e@v1@,~")
	for name, want := range map[string]bool{"a": false, "b": false, "c": false, "d": true, "e@v1": false, "e@v1@": true} {
		if got := list.isUnknown(name); got != want {
			t.Errorf("%s is unknown: %t", name, got)
		}
	}
	if parseTrie("a").isUnknown("d") || (*trie)(nil).isUnknown("d") || parseTrie("~").isEmpty() || parseTrie("a,~").isNames() {
		t.Error("a list that is not closed is, or the other way round")
	}
}
