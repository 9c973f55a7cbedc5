package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"
)

// FuzzParse compares the tree with encoding/json: the same texts are documents, every value is
// where the tree states, and pointers lead back to it.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a": [1, -2.5e3, "x\u0041\n", true, null, {}], "b/c~d": {"": []}}`, "\ufeff{}", `{"a":1,"a":2}`, `[[[]]]`,
		`"\ud800"`, `{"a": [1, }`, `{} {}`, ` `, `0`, `[1,]`, `"\u00zz"`, "[\"\xff\"]", `{"a`, `-`, `[01]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		body := bytes.TrimPrefix(data, []byte(byteOrderMark))
		tree, err := Parse(data, Limits{})
		if err != nil {
			checkError(t, data, body, err)
			return
		}
		if !json.Valid(body) {
			t.Fatalf("%q is no document", data)
		}
		checkNode(t, tree, tree.Root(), data)
	})
}

func checkError(t *testing.T, data, body []byte, err error) {
	t.Helper()
	var located *SyntaxError
	if !errors.As(err, &located) || located.Reason == "" || located.Offset < 0 || located.Offset > len(data) {
		t.Fatalf("error %#v", err)
	}
	if json.Valid(body) && utf8.Valid(body) && !bytes.Contains(body, []byte(`\u`)) && bytes.Count(body, []byte("["))+bytes.Count(body, []byte("{")) < DefaultDepth {
		t.Fatalf("%q is a document: %v", data, err)
	}
}

func checkNode(t *testing.T, tree *Tree, n Node, data []byte) {
	t.Helper()
	if !json.Valid([]byte(n.Raw())) || !json.Valid([]byte(n.Compact())) || string(data[n.Offset():n.Offset()+len(n.Raw())]) != n.Raw() {
		t.Fatalf("value %q at %d", n.Raw(), n.Offset())
	}
	if n.Kind() == String {
		var want string
		if err := json.Unmarshal([]byte(n.Raw()), &want); err != nil || want != n.Text() {
			t.Fatalf("string %s is %q, want %q (%v)", n.Raw(), n.Text(), want, err)
		}
	}
	if len(tree.Doubled()) == 0 {
		tokens, ok := Tokens(tree.Pointer(n.Offset()))
		if back, _ := find(tree, tokens); !ok || back != n {
			t.Fatalf("pointer %q of %q leads to %q", tree.Pointer(n.Offset()), n.Raw(), back.Raw())
		}
	}
	for c := range n.All() {
		checkNode(t, tree, c, data)
	}
}
