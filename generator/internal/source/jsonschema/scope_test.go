package jsonschema

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// list returns the elements of a document that is a list of n numbers.
func list(t *testing.T, n int) []document.Location {
	t.Helper()
	doc, err := document.JSON("a.json", "a.json", []byte("["+strings.Repeat("1,", n-1)+"1]"), jsontree.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(doc.Root().All())
}

func TestNames(t *testing.T) {
	var n Names
	var got []string
	for range 4 {
		got = append(got, n.Unique("_s", "a", "b"))
	}
	n.Claim("a_4_s")
	got = append(got, n.Unique("_s", "a", "b"), n.Unique("", "a"))
	if want := []string{"a_s", "b_s", "a_2_s", "a_3_s", "a_5_s", "a"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
}

func TestPlainName(t *testing.T) {
	at := list(t, 1)[0]
	isSection := func(token string) bool { return token == "schemas" }
	for pointer, want := range map[string]string{
		"definitions/Pool/properties/size": "Pool_size", "schemas/A": "A", "definitions/items": "items", "": "a", "x/schemas": "x_schemas",
	} {
		var tokens []string
		if pointer != "" {
			tokens = strings.Split(pointer, "/")
		}
		if got := PlainName(&document.Target{Location: at, Tokens: tokens}, isSection); got != want {
			t.Errorf("%q is named %q, want %q", pointer, got, want)
		}
	}
}

// TestOwners checks that errors belong to the definition that is compiled, that a resource has
// those of all definitions that it reaches, and that the order of definitions is that in which they
// are reached.
func TestOwners(t *testing.T) {
	at := list(t, 5)
	s := Scope{Shared: true}
	x := s.Root(at[0])
	s.Fail(at[0].Errorf("of x"))
	a, b := s.Add(at[1], Use{}, "A"), s.Add(at[2], Use{}, "B")
	s.Refer(b, false)
	s.Refer(a, true)
	s.Refer(b, false)
	y := s.Root(at[3])
	s.Refer(a, true)
	if s.Newest() != b || s.Oldest() != a || s.Oldest() != nil || s.Newest() != nil {
		t.Fatal("the queue has another order")
	}
	s.Fail(at[1].Errorf("of a"))
	s.Fail(at[1].Errorf("of a"))
	if s.Lookup(at[1], Use{}) != a || s.Lookup(at[1], Use{View: Status}) != nil || s.Lookup(at[1], Use{Role: Joined}) != a {
		t.Error("a definition is not found by location, view and form")
	}
	for _, test := range []struct {
		root      *Definition
		defs, all string
	}{{x, "[B A]", "[of x of a]"}, {y, "[A]", "[of a]"}} {
		defs, problems := s.Closure(test.root)
		var names, texts []string
		for _, d := range defs {
			names = append(names, d.Name)
		}
		for _, m := range problems {
			texts = append(texts, m.Text)
		}
		if fmt.Sprint(names) != test.defs || fmt.Sprint(texts) != test.all {
			t.Errorf("%v with the errors %v, want %s with %s", names, texts, test.defs, test.all)
		}
	}
}

// TestProblems checks that a resource which shares no definitions has the errors of all, in the
// order of their positions and each once.
func TestProblems(t *testing.T) {
	at := list(t, 3)
	var s Scope
	root := s.Root(at[1])
	s.Fail(at[1].Errorf("of the root"))
	s.Refer(s.Add(at[0], Use{}, "A"), false)
	s.Refer(s.Add(at[2], Use{}, "B"), true)
	for d := s.Oldest(); d != nil; d = s.Oldest() {
		s.Fail(d.At.Errorf("of %s", d.Def.Name))
		s.Fail(d.At.Errorf("of %s", d.Def.Name))
	}
	var got []string
	for _, m := range s.Problems(root) {
		got = append(got, m.Text)
	}
	if want := []string{"of A", "of the root", "of B"}; !slices.Equal(got, want) {
		t.Errorf("errors %q, want %q", got, want)
	}
}

// TestTooManyDefinitions checks that definitions beyond the limit are not compiled, and that each
// resource that reaches one has the error.
func TestTooManyDefinitions(t *testing.T) {
	at := list(t, MaxDefinitions+3)
	s := Scope{Shared: true}
	few, many := s.Root(at[0]), (*Definition)(nil)
	s.Refer(s.Add(at[1], Use{}, "first"), false)
	many = s.Root(at[0])
	for i, p := range at[2:] {
		s.Refer(s.Add(p, Use{}, fmt.Sprint(i)), false)
	}
	compiled := 0
	for s.Oldest() != nil {
		compiled++
	}
	if _, problems := s.Closure(few); compiled != MaxDefinitions || len(problems) != 0 {
		t.Errorf("%d definitions compiled, errors %v", compiled, problems)
	}
	_, problems := s.Closure(many)
	if len(problems) != 1 || problems[0].Text != "more than 20000 definitions are reached" {
		t.Errorf("errors %v", problems)
	}
	if all := s.Problems(few); !slices.Equal(all, problems) {
		t.Errorf("errors of a scope that is not shared: %v", all)
	}
}

// TestEndless checks which definitions of a graph consist of themselves.
func TestEndless(t *testing.T) {
	for _, test := range []struct{ reason, edges, want string }{
		{"a circle", "A>B B>A", "A B"},
		{"one of itself", "A>A", "A"},
		{"what leads to a circle, and what it leads to, do not", "X>A A>B B>A B>Y", "A B"},
		{"what contains itself is finite", "A-B B>A", ""},
		{"two ways to one", "A>B A>C B>D C>D", ""},
	} {
		var s Scope
		defs, names := map[byte]*Definition{}, "ABCDXY"
		at := list(t, len(names))
		root := s.Root(at[0])
		for i := range names {
			defs[names[i]] = s.Add(at[i], Use{}, names[i:i+1])
			s.Refer(defs[names[i]], false)
		}
		for _, edge := range strings.Fields(test.edges) {
			s.owner = defs[edge[0]]
			s.Refer(defs[edge[2]], edge[1] == '>')
		}
		s.Endless()
		var got []string
		for _, m := range s.Problems(root) {
			got = append(got, strings.Split(m.Text, `"`)[1])
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestSpread(t *testing.T) {
	from := map[int][]int{1: {2, 3}, 2: {4}, 3: {4}, 4: {1}, 9: {8}}
	marked := map[int]bool{1: true}
	Spread([]int{1}, func(i int) []int { return from[i] }, func(i int) bool {
		known := marked[i]
		marked[i] = true
		return !known
	})
	if len(marked) != 4 || marked[8] {
		t.Errorf("marked %v, want 1 to 4", marked)
	}
}

func TestAccess(t *testing.T) {
	for _, test := range []struct {
		access       Access
		isSecret     bool
		spec, status bool
	}{
		{Access{}, false, true, true},
		{Access{NoWrite: true}, false, false, true},
		{Access{NoRead: true}, false, true, false},
		{Access{}, true, true, false},
		{Access{NoWrite: true}, true, false, false},
	} {
		if test.access.Shows(Spec, test.isSecret) != test.spec || test.access.Shows(Status, test.isSecret) != test.status {
			t.Errorf("%+v, secret %t: want %t in the spec, %t in the status", test.access, test.isSecret, test.spec, test.status)
		}
	}
}
