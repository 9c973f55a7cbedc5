package document_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

const text = `{"a": [{"b~/c": 1.50}, "x\ny", true, false, null], "": {"d": "é"}, "0": 4}`

// both decodes a text with both decoders, which must show the same.
func both(t *testing.T, text string) map[string]*document.Document {
	t.Helper()
	tree, err := document.JSON("dir/a.json", "root/dir/a.json", []byte(text), jsontree.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	values, err := document.Parse("dir/a.json", "root/dir/a.json", []byte(text), syntax.Default)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*document.Document{"JSON": tree, "Parse": values}
}

// lines describes all values below a location.
func lines(at document.Location) []string {
	out := []string{strings.Join([]string{
		at.Where().Path, at.Kind().String(), at.Name(), at.Text(), at.Number(), at.JSON(),
	}, "|")}
	for child := range at.All() {
		if child == at || !child.Exists() || child.Document() != at.Document() {
			out = append(out, "not a child")
		}
		out = append(out, lines(child)...)
	}
	return out
}

func TestLocations(t *testing.T) {
	docs := both(t, text)
	if diff := cmp.Diff(lines(docs["JSON"].Root()), lines(docs["Parse"].Root())); diff != "" {
		t.Errorf("the decoders differ:\n%s", diff)
	}
	for name, doc := range docs {
		t.Run(name, func(t *testing.T) {
			list := doc.Root().Member("a")
			all := slices.Collect(list.All())
			if len(all) != 5 || list.Len() != 5 || doc.Root().Len() != 3 {
				t.Fatalf("%d elements, of which Len counts %d; %d members", len(all), list.Len(), doc.Root().Len())
			}
			if !all[2].IsTrue() || all[2].IsFalse() || !all[3].IsFalse() || all[4].IsFalse() || all[1].IsFalse() {
				t.Error("true and false are mixed up")
			}
			if got := all[1].Constant() + all[0].Member("b~/c").Constant(); got != `"x\ny"1.50` {
				t.Errorf("constants %s", got)
			}
			d := doc.Root().Member("").Member("d")
			if got := text[d.Offset() : d.Offset()+4]; got != `"é"` {
				t.Errorf("%q at the offset", got)
			}
			if named := d.Named(); named.Offset >= d.Offset() || text[named.Offset] != '"' {
				t.Errorf("the name of %v is at %v", d.Where(), named)
			}
			if d.Pos().File != "root/dir/a.json" || d.Pos().Offset != d.Offset() {
				t.Errorf("position %v", d.Pos())
			}
			none := d.Member("x").Member("y")
			if none.Exists() || none.Kind() != syntax.Absent || none.Len() != 0 || none.Document() != doc || none != d.None() {
				t.Errorf("a missing value is %v", none)
			}
		})
	}
}

// TestBelow checks that members are found at each depth, in order, once, and only below the value.
func TestBelow(t *testing.T) {
	for name, doc := range both(t, `{"b": 1, "a": {"x": 2, "b": [{"x": {"x": 3}}, "x", {"y": {"\u0078": 4}}], "": {"": 5}}, "x": 6}`) {
		for _, test := range []struct {
			at   document.Location
			name string
			want []string
		}{
			{doc.Root(), "x", []string{"2", `{"x":3}`, "4", "6"}},
			{doc.Root().Member("a"), "x", []string{"2", `{"x":3}`, "4"}},
			{doc.Root().Member("x"), "x", nil},
			{doc.Root().Member("b"), "a", nil},
			{doc.Root().Member("none"), "x", nil},
			{doc.Root(), "", []string{`{"":5}`}},
		} {
			var got []string
			for found := range test.at.Below(test.name) {
				if found.Document() != doc {
					t.Errorf("%s: a member of another document", name)
				}
				got = append(got, found.JSON())
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%s: the members %q of %s are %q, want %q", name, test.name, test.at.JSON(), got, test.want)
			}
		}
		for found := range doc.Root().Below("x") {
			if found.JSON() != "2" {
				t.Errorf("%s: %s after the end", name, found.JSON())
			}
			break
		}
	}
}

func TestConstantIsSameForAllSpellings(t *testing.T) {
	doc, err := document.JSON("a.json", "a.json", []byte(`["é\/", "\u00e9/"]`), jsontree.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Collect(doc.Root().All())
	if all[0].Constant() != `"é/"` || all[1].Constant() != `"é/"` {
		t.Errorf("constants %s and %s", all[0].Constant(), all[1].Constant())
	}
}

func TestFind(t *testing.T) {
	for name, doc := range both(t, text) {
		for _, test := range []struct{ reason, pointer, want, problem, hint string }{
			{"the whole document", "", text, "", ""},
			{"escapes", "/a/0/b~0~1c", "1.50", "", ""},
			{"the empty name", "//d", `"é"`, "", ""},
			{"digits name a member of an object", "/0", "4", "", ""},
			{"an index has one spelling", "/a/01", "", "dir/a.json has no /a/01", ""},
			{"an index is below the length", "/a/5", "", "dir/a.json has no /a/5", ""},
			{"a near name is a hint", "/a/0/b~1c/e", "", "dir/a.json has no /a/0/b~1c", `did you mean "#/a/0/b~0~1c/e"?`},
			{"a text that is no pointer", "a", "", "is not a JSON pointer", "#/definitions/a"},
		} {
			found := doc.Find(test.pointer)
			if test.problem == "" && strings.ReplaceAll(found.JSON(), ",", ", ") != strings.ReplaceAll(strings.ReplaceAll(test.want, ": ", ":"), ", ", ", ") {
				t.Errorf("%s: %s: %s", name, test.reason, found.JSON())
			}
			if !strings.Contains(found.Problem.Text, test.problem) || !strings.Contains(found.Problem.Hint, test.hint) || found.Exists() != (test.problem == "") {
				t.Errorf("%s: %s: %+v", name, test.reason, found.Problem)
			}
		}
	}
	empty, err := document.Parse("a.yaml", "a.yaml", nil, syntax.Default)
	if err != nil {
		t.Fatal(err)
	}
	if found := empty.Find(""); found.Exists() || found.Problem.Text != "the reference has no target: a.yaml is empty" {
		t.Errorf("in an empty file: %+v", found.Problem)
	}
}

func TestReferencesAreResolvedOnce(t *testing.T) {
	doc := both(t, `{"x": "#/a", "y": "#/a"}`)["JSON"]
	calls := 0
	references := document.NewReferences(func(text string, from *document.Document) *document.Target {
		if calls++; text != "#/a" || from != doc {
			t.Errorf("follow %q from %v", text, from)
		}
		return &document.Target{}
	})
	x, y := references.Resolve(doc.Root().Member("x")), references.Resolve(doc.Root().Member("y"))
	if x != y || calls != 1 {
		t.Errorf("%p and %p after %d calls", x, y, calls)
	}
}

func TestUnescape(t *testing.T) {
	for text, want := range map[string]string{"a%20b": "a b", "a+b": "a+b", "100%": "100%", "": ""} {
		if got := document.Unescape(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// TestNotes checks that each subject has one note in a file, the first by position.
func TestNotes(t *testing.T) {
	doc := both(t, `[1, 2, 3]`)["JSON"]
	all := slices.Collect(doc.Root().All())
	var a, b document.Notes
	a.Add(all[1], "x", "second %d", 2)
	a.Add(all[0], "x", "first")
	a.Add(all[2], "x", "third")
	b.Add(all[2], "y", "another")
	b.Add(all[1], "x", "of another unit")
	result := document.Gather([]*document.Unit{{Notes: b.Recorded()}, {Notes: a.Recorded()}})
	var got []string
	for _, n := range result.Notes {
		got = append(got, n.Pos.Path+" "+n.Text)
	}
	if want := []string{"/0 first", "/2 another"}; !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
}

func TestGatherLists(t *testing.T) {
	file := func(path string) source.File { return source.File{Path: path} }
	result := document.Gather([]*document.Unit{{Files: []source.File{file("b"), file("c")}}, {Files: []source.File{file("a"), file("c")}}})
	if want := []source.File{file("a"), file("b"), file("c")}; !slices.Equal(result.Files, want) {
		t.Errorf("files %v, want %v", result.Files, want)
	}
}

// TestTextsDoNotKeepDocuments keeps all texts of a document that has 32 MiB of white space, and
// requires that this is released.
func TestTextsDoNotKeepDocuments(t *testing.T) {
	const padding = 32 << 20
	used := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := used()
	kept := func() (kept []string) {
		doc, err := document.JSON("a.json", "a.json", []byte(text+strings.Repeat(" ", padding)), jsontree.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := used() - before; got < padding {
			t.Fatalf("the document takes %d bytes, so that nothing is measured", got)
		}
		return texts(doc.Root())
	}()
	if got := used() - before; got > padding/2 {
		t.Errorf("%d texts keep %d bytes", len(kept), got)
	}
	runtime.KeepAlive(kept)
}

// texts returns all texts of a value.
func texts(at document.Location) []string {
	out := []string{at.Name(), at.Text(), at.Number()}
	if at.Len() == 0 && at.Exists() {
		out = append(out, at.JSON(), at.Constant())
	}
	for child := range at.All() {
		out = append(out, texts(child)...)
	}
	return out
}
