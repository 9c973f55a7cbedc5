package jsontree

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parse(t testing.TB, text string) *Tree {
	t.Helper()
	tree, err := Parse([]byte(text), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestNodes(t *testing.T) {
	root := parse(t, ` {"b": [1, -2.50e3, "x\u0041\n", true, null, {}], "a\"": {"": []}} `).Root()
	if root.Kind() != Object || root.Offset() != 1 || root.Len() != 2 || root.Name() != "" {
		t.Errorf("root: %v at %d with %d members, called %q", root.Kind(), root.Offset(), root.Len(), root.Name())
	}
	var got []string
	var walk func(Node)
	walk = func(n Node) {
		for c := range n.All() {
			got = append(got, strings.Join([]string{c.Name(), c.Kind().String(), c.Raw(), c.Text()}, "|"))
			walk(c)
		}
	}
	walk(root)
	want := []string{
		`b|a list|[1, -2.50e3, "x\u0041\n", true, null, {}]|`,
		`|a number|1|`,
		`|a number|-2.50e3|`,
		`|a string|"x\u0041\n"|` + "xA\n",
		`|a boolean|true|`,
		`|null|null|`,
		`|an object|{}|`,
		`a"|an object|{"": []}|`,
		`|a list|[]|`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values in their order, -want +got:\n%s", diff)
	}
	if !root.Member("b").First().Next().Next().Next().IsTrue() {
		t.Error("the fourth element is not true")
	}
	if names := root.Names(); !slices.Equal(names, []string{`a"`, "b"}) {
		t.Errorf("names %q", names)
	}
}

// TestAbsent checks that failed look-ups can be chained.
func TestAbsent(t *testing.T) {
	n := parse(t, `{"a": 1}`).Root().Member("b").Member("c").First().Next()
	if n.Exists() || n.Kind() != Absent || n.Raw() != "" || n.Text() != "" || n.Name() != "" || n.Offset() != 0 ||
		n.NameOffset() != 0 || n.Len() != 0 || n.IsTrue() || n.Compact() != "" || n.Names() != nil || n.Doubled() != nil {
		t.Errorf("a value that is not there: %+v", n)
	}
	for c := range n.All() {
		t.Errorf("it has a member %v", c)
	}
}

func TestCompact(t *testing.T) {
	for _, test := range []struct{ reason, text, want string }{
		{"white space goes", `{"a": [ 1 , 2 ], "b" : {} }`, `{"a":[1,2],"b":{}}`},
		{"numbers and escapes stay as written", `[1.0, 1E2, "\u0041"]`, `[1.0,1E2,"\u0041"]`},
		{"members stay where they are, twice too", `{"b": 1, "a": 2, "b": 3}`, `{"b":1,"a":2,"b":3}`},
		{"scalars are compact", ` "a  b" `, `"a  b"`},
		{"empty objects too", `{ }`, `{}`},
	} {
		if got := parse(t, test.text).Root().Compact(); got != test.want {
			t.Errorf("%s: %s, want %s", test.reason, got, test.want)
		}
	}
}

func TestPointer(t *testing.T) {
	text := `{"a": {"b/c~d": [10, {"e": "f"}]}, "é": 1, "": {"": 2}}`
	tree := parse(t, text)
	for _, test := range []struct{ reason, at, want string }{
		{"the root", `{"a"`, ""},
		{"a name belongs to its value", `"a"`, "/a"},
		{"a member", `{"b/c~d"`, "/a"},
		{"slashes and tildes are escaped", `[10`, "/a/b~1c~0d"},
		{"an element", `10`, "/a/b~1c~0d/0"},
		{"a later element", `{"e"`, "/a/b~1c~0d/1"},
		{"inside a string", `f"`, "/a/b~1c~0d/1/e"},
		{"between values it is what encloses them", `, {"e"`, "/a/b~1c~0d"},
		{"a name of more bytes than letters", `"é"`, "/é"},
		{"empty names", `2`, "//"},
	} {
		offset := strings.Index(text, test.at)
		if got := tree.Pointer(offset); got != test.want {
			t.Errorf("%s: %q at %d, want %q", test.reason, got, offset, test.want)
		}
	}
	if got := tree.Pointer(len(text) + 10); got != "" {
		t.Errorf("behind the end: %q", got)
	}
}

// find follows the tokens of a pointer as far as values exist. It returns the last value and the
// number of tokens that led to it.
func find(tree *Tree, tokens []string) (Node, int) {
	at := tree.Root()
	for i, token := range tokens {
		child := at.Child(token)
		if !child.Exists() {
			return at, i
		}
		at = child
	}
	return at, len(tokens)
}

func TestChild(t *testing.T) {
	tree := parse(t, `{"a": [{"b~/c": 1}, 2], "": 3, "0": 4}`)
	for _, test := range []struct {
		reason, pointer, want string
		length                int
	}{
		{"the whole document", "", `{"a": [{"b~/c": 1}, 2], "": 3, "0": 4}`, 0},
		{"escapes", "/a/0/b~0~1c", "1", 3},
		{"an element", "/a/1", "2", 2},
		{"the empty name", "/", "3", 1},
		{"digits name a member of an object", "/0", "4", 1},
		{"as far as it leads", "/a/7/x", `[{"b~/c": 1}, 2]`, 1},
		{"an index has one spelling", "/a/01", `[{"b~/c": 1}, 2]`, 1},
		{"nothing stands below a number", "/a/1/x", "2", 2},
	} {
		tokens, ok := Tokens(test.pointer)
		node, length := find(tree, tokens)
		if !ok || node.Raw() != test.want || length != test.length {
			t.Errorf("%s: %s after %d tokens, want %s after %d", test.reason, node.Raw(), length, test.want, test.length)
		}
	}
	if _, ok := Tokens("a/b"); ok {
		t.Error("a text without a slash before it is a pointer")
	}
}

func TestDoubled(t *testing.T) {
	many := `{"m0": 0` + strings.Repeat(`, "k": 1`, 1) + `, "l": 2, "a": 0, "b": 0, "c": 0, "d": 0, "e": 0, "f": 0, "g": 0, "h": 0, "i": 0, "j": 0, "\u006b": 3}`
	for _, test := range []struct {
		reason, text string
		want         []string
	}{
		{"none", `{"a": {"a": 1}, "A": 2}`, nil},
		{"each that follows one of its name", `{"a": 1, "b": 2, "a": 3, "a": 4}`, []string{"/a 3", "/a 4"}},
		{"by value, not by spelling", `{"a": 1, "\u0061": 2}`, []string{"/a 2"}},
		{"deep down, in the order of the file", `{"x": {"y": [{"b": 1, "b": 2}], "y": 3}, "x": 4}`, []string{"/x/y/0/b 2", "/x/y 3", "/x 4"}},
		{"in large objects", many, []string{"/k 3"}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			tree := parse(t, test.text)
			var got []string
			for _, n := range tree.Doubled() {
				got = append(got, tree.Pointer(n.Offset())+" "+n.Raw())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestSyntaxErrors(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 3)
	for _, test := range []struct {
		reason, text string
		limits       Limits
		want         SyntaxError
	}{
		{"nothing at all", "", Limits{}, SyntaxError{0, "", "the document ends before its value does", ""}},
		{"only white space", " \n", Limits{}, SyntaxError{2, "", "the document ends before its value does", ""}},
		{"the end is missing", `{"a": [1, `, Limits{}, SyntaxError{10, "/a", "the document ends before its value does", ""}},
		{"a string has no end", `{"a": "b`, Limits{}, SyntaxError{8, "", "the document ends before its value does", ""}},
		{"a comma too much", `{"a": {"b": [1,]}}`, Limits{}, SyntaxError{14, "/a/b", "a comma is followed by the end of the list", "remove the comma"}},
		{"a comma too much, and the bracket on another line", "{\"a\": 1 ,\n}", Limits{}, SyntaxError{8, "", "a comma is followed by the end of the object", "remove the comma"}},
		{"a comma alone", `[1,,2]`, Limits{}, SyntaxError{3, "", "invalid character ',' at start of value", ""}},
		{"a comment", "{ // no\n}", Limits{}, SyntaxError{2, "", "JSON has no comments", "remove the comment"}},
		{"a comment after a value", "[1 # no\n]", Limits{}, SyntaxError{3, "", "JSON has no comments", "remove the comment"}},
		{"single quotes", "{'a': 1}", Limits{}, SyntaxError{1, "", "JSON has no strings in single quotes", `write double quotes: "`}},
		{"a comma after the document", `{},`, Limits{}, SyntaxError{2, "", "invalid character ',' at start of value", ""}},
		{"a value is missing", `{"a": }`, Limits{}, SyntaxError{6, "", "invalid character '}' at start of value", ""}},
		{"a bracket that does not fit", `{"a": [1}}`, Limits{}, SyntaxError{8, "/a", "invalid character '}' after array element (expecting ',' or ']')", ""}},
		{"a name that is none", `{"a": 1, b: 2}`, Limits{}, SyntaxError{9, "", "invalid character 'b' at start of value", ""}},
		{"a word that is none", `[tru]`, Limits{}, SyntaxError{4, "", "invalid character ']' in literal true (expecting 'e')", ""}},
		{"a second document", "{} \n []", Limits{}, SyntaxError{5, "", "there is more after the end of the document", ""}},
		{"junk after the document", `{} x`, Limits{}, SyntaxError{3, "", "invalid character 'x' at start of value", ""}},
		{"bytes that are not UTF-8", "[\"\xff\"]", Limits{}, SyntaxError{2, "", "invalid UTF-8", ""}},
		{"too deep", deep + "1", Limits{Depth: 5}, SyntaxError{17, "", "objects and lists are more than 5 deep", ""}},
		{"too large", `[1, 2, 3]`, Limits{Size: 8}, SyntaxError{0, "", "the document has 9 bytes, more than the limit of 8", ""}},
		{"offsets count the byte order mark", "\ufeff{,}", Limits{}, SyntaxError{4, "", "a comma is followed by the end of the object", "remove the comma"}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			_, err := Parse([]byte(test.text), test.limits)
			var got *SyntaxError
			if !errors.As(err, &got) {
				t.Fatalf("error %v is no *SyntaxError", err)
			}
			if diff := cmp.Diff(test.want, *got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestLimitsAreInclusive(t *testing.T) {
	if _, err := Parse([]byte(`[[1]]`), Limits{Depth: 2, Size: 5}); err != nil {
		t.Errorf("a document at the limits: %v", err)
	}
}

func TestByteOrderMark(t *testing.T) {
	root := parse(t, "\ufeff {\"a\": 1}").Root()
	if root.Offset() != 4 || root.First().Offset() != 10 || root.First().NameOffset() != 5 {
		t.Errorf("offsets %d, %d, %d", root.Offset(), root.First().Offset(), root.First().NameOffset())
	}
}

// TestKeepsItsText checks that a tree does not change with the bytes that were parsed.
func TestKeepsItsText(t *testing.T) {
	text := []byte(`{"a": "b"}`)
	tree, err := Parse(text, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	clear(text)
	if got := tree.Root().Member("a").Text(); got != "b" {
		t.Errorf("a is %q", got)
	}
}
