package model

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestNotation(t *testing.T) {
	files := archive(t, "testdata/notation.txtar")
	for _, name := range []string{"raw.txt", "native.txt", "refined.txt", "ledger in full.txt"} {
		got := parse(t, files[name])
		if diff := cmp.Diff(files[name], string(Print(got...))); diff != "" {
			t.Errorf("%s: printed again, it differs (-want +got):\n%s", name, diff)
		}
	}
}

func TestCopiedDefinitions(t *testing.T) {
	files := archive(t, "testdata/notation.txtar")
	got := parse(t, files["ledger.txt"])
	want := parse(t, files["ledger in full.txt"])
	same(t, want, got)
	if text := ledger(got[0]); text != files["ledger.txt"] {
		t.Errorf("printed with copies as references, it differs (-want +got):\n%s", cmp.Diff(files["ledger.txt"], text))
	}
}

func TestCopiedDefinitionsShareNoMemory(t *testing.T) {
	r := parse(t, `resource A/b
  version v1
    def X object
      .a enum string("a")
      .b string(minLength=1)
      requires(a)
      union a
        case ("a") allows(b) requires(b)
  version v2
    def X = v1
`)[0]
	first, second := r.Versions[0].Defs[0], r.Versions[1].Defs[0].Object()
	before := string(AppendDef(nil, first))
	second.Requires[0] = "c"
	second.Union.Cases[0].Values[0] = `"c"`
	second.Union.Cases[0].Allows[0] = "c"
	second.Union.Cases[0].Requires[0] = "c"
	second.Properties[0].Type.(*Enum).Values[0] = `"c"`
	second.Properties[1].Type.(*Scalar).Limits.MinLength = "2"
	second.Properties[1].Name = "c"
	if diff := cmp.Diff(before, string(AppendDef(nil, first))); diff != "" {
		t.Errorf("a change to the copy changed the original (-want +got):\n%s", diff)
	}
}

func TestCopiedDefinitionsComeFromFirstVersionOfName(t *testing.T) {
	r := parse(t, `resource A/b
  version v1
    def X string
  version v1
    def X int
  version v2
    def X = v1
`)[0]
	if got := string(AppendDef(nil, r.Versions[2].Defs[0])); got != "def X string\n" {
		t.Errorf("copied %q, want that of the first version of the name, as Resource.Version finds it", got)
	}
}

func TestParseHandWrittenModels(t *testing.T) {
	for name, want := range handWritten() {
		t.Run(name, func(t *testing.T) {
			text := Print(want...)
			got := parse(t, string(text))
			same(t, want, got)
			if again := Print(got...); string(again) != string(text) {
				t.Errorf("printed again, it differs (-want +got):\n%s", cmp.Diff(string(text), string(again)))
			}
		})
	}
}

func TestParseTakesBlankLinesAndNoLastNewline(t *testing.T) {
	got := parse(t, "\n  \nresource a\n\n  version v\n      \n    spec string")
	same(t, parse(t, "resource a\n  version v\n    spec string\n"), got)
	if got := parse(t, ""); got != nil {
		t.Errorf("an empty text holds %v, want nothing", got)
	}
}

// TestParseErrors parses the texts in testdata/errors, each with its expected errors. The
// archive's comment states why the text is wrong.
func TestParseErrors(t *testing.T) {
	paths, err := filepath.Glob("testdata/errors/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { checkErrors(t, path) })
	}
}

func checkErrors(t *testing.T, path string) {
	a, err := txtar.ParseFile(path)
	if err != nil || len(a.Files) != 2 {
		t.Fatalf("%s: %v, %d files", path, err, len(a.Files))
	}
	in, want := a.Files[0], &a.Files[1]
	resources, err := Parse(in.Name, in.Data)
	if err == nil {
		t.Fatal("no error")
	}
	if resources != nil {
		t.Error("resources beside an error")
	}
	got := err.Error() + "\n"
	if *update {
		want.Data = []byte(got)
		if err := os.WriteFile(path, txtar.Format(a), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(want.Data), got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

func TestParseReportsAtMostTwentyErrors(t *testing.T) {
	_, err := Parse("x", []byte(strings.Repeat("what\n", 100)))
	if n := strings.Count(err.Error(), "\n") + 1; n != maxFaults {
		t.Errorf("%d errors, want %d", n, maxFaults)
	}
	var first *SyntaxError
	if !errors.As(err, &first) || first.File != "x" || first.Line != 1 || first.Column != 1 {
		t.Errorf("first error %+v, want one at x:1:1", first)
	}
}

func TestParseLimitsNesting(t *testing.T) {
	const head = "resource a\n  version v\n    spec "
	blocks := func(n int) string {
		var b strings.Builder
		b.WriteString(head + "object\n")
		for i := range n - 1 {
			b.WriteString(strings.Repeat("  ", i+3) + ".a object\n")
		}
		return b.String()
	}
	arrays := func(n int) string {
		return head + "enum string(" + strings.Repeat("[", n) + strings.Repeat("]", n) + ")\n"
	}
	lists := func(n int) string { return head + strings.Repeat("list ", n-1) + "any\n" }
	for name, text := range map[string]func(int) string{"blocks": blocks, "lists": lists, "arrays": arrays} {
		if _, err := Parse("x", []byte(text(maxNesting))); err != nil {
			t.Errorf("%s: nested to the limit: %v", name, err)
		}
		for _, n := range []int{maxNesting + 1, 4 * maxNesting} {
			_, err := Parse("x", []byte(text(n)))
			if err == nil || strings.Count(err.Error(), "\n") > 0 || !strings.Contains(err.Error(), "nested deeper than 500") {
				t.Errorf("%s: nested %d deep: %.300v, want one error about nesting", name, n, err)
			}
		}
	}
}

func archive(t *testing.T, path string) map[string]string {
	t.Helper()
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range a.Files {
		files[f.Name] = string(f.Data)
	}
	return files
}

func parse(t testing.TB, text string) []*Resource {
	t.Helper()
	got, err := Parse("text", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return got
}
