package runtime

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
