package changes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/release/changes"
	"github.com/stratakube/strata/tools/build/release/settings"
)

const before = `
-- go.work --
go 1.26.1

use (
	./base
	./example
)

replace example.com/base v0.0.0 => ./base
-- base/go.mod --
module example.com/base

go 1.26.0

require example.com/third v1.2.3
-- base/go.sum --
example.com/third v1.2.3 h1:x
-- base/base.go --
package base

type T struct{ A int }

func F(int) {}
-- base/internal/in/in.go --
package in

func Hidden() {}
-- base/part/part.go --
package part
-- base/cmd/tool/main.go --
package main

import (
	"fmt"
	"os"
)

const text = "package made\n\nimport \"example.com/base/needs\"\n\nconst _ = needs.NeedsBase1\n\nfunc Name() string { return \"%s\" }\n"

func main() {
	schema, _ := os.ReadFile("schema/in.txt")
	os.WriteFile("example/made.go", []byte(fmt.Sprintf(text, schema[:3])), 0o666)
	os.WriteFile("example/ledger.txt", schema, 0o666)
	os.WriteFile("example/crd.yaml", schema, 0o666)
}
-- base/testdata/golden.txt --
one
-- base/testdata/keys.txt --
a
b
-- base/testdata/schema.json --
{"properties": {"a": {"enum": ["x"], "description": "of a"}}, "required": ["a"]}
-- base/markers.md --
text
begin
one
end
text
-- base/cmd/other/main.go --
package main

func main() {}
-- base/testdata/golden0.txt --
zero
-- base/needs/needs.go --
package needs

const (
	NeedsBase1 = 1
	NeedsBase2 = 2
)
-- example/go.mod --
module example.com/example

go 1.26.0

require example.com/base v0.0.0
-- example/made.go --
package made

import "example.com/base/needs"

const _ = needs.NeedsBase1

func Name() string { return "Ada" }
-- example/ledger.txt --
Ada
-- example/crd.yaml --
Ada
-- schema/in.txt --
Ada
`

var rules = &settings.Settings{
	Formats: []settings.Format{
		{Name: "golden", Module: "base", Files: []string{"base/testdata/golden*"}, May: settings.AddFiles},
		{Name: "keys", Module: "base", Files: []string{"base/testdata/keys.txt"}, May: settings.AddLines},
		{Name: "schema", Module: "base", Files: []string{"base/testdata/schema.json"}, May: settings.AddMembers, Ignore: []string{"description"}},
		{Name: "markers", Module: "base", Files: []string{"base/markers.md"}, May: settings.AddLines, Between: []string{"begin", "end"}},
	},
	Generated: &settings.Generated{
		Module: "base", Command: []string{"./base/cmd/tool"}, Inputs: []string{"schema"}, Output: "example", Stay: []string{"ledger.txt"}, Constant: "NeedsBase",
	},
}

// TestOf makes one change in each case, and compares the change that requires most.
func TestOf(t *testing.T) {
	tests := []struct {
		reason, file, old, new string
		want                   changes.Bump
		text                   string // a part of the first change
	}{
		{"nothing changed", "", "", "", changes.None, ""},
		{"a comment", "base/base.go", "func F", "// F does.\nfunc F", changes.Patch, "files: 1 files changed, among them base.go"},
		{"a function was removed", "base/base.go", "func F(int) {}", "", changes.Major, "F: removed"},
		{"a parameter has another type", "base/base.go", "func F(int)", "func F(string)", changes.Major, "F: changed from func(int) to func(string)"},
		{"a function was added", "base/base.go", "func F", "func G() {}\n\nfunc F", changes.Minor, "G: added"},
		{"a field was added", "base/base.go", "A int", "A, B int", changes.Minor, "T.B: added"},
		{"an internal function was removed", "base/internal/in/in.go", "func Hidden() {}", "", changes.Patch, ""},
		{"a package was removed", "base/part/part.go", "", "-", changes.Major, "base/part: the package was removed"},
		{"a package was added", "base/more/more.go", "", "package more", changes.Minor, "base/more: the package was added"},
		{"a command was removed", "base/cmd/other/main.go", "package main", "package other", changes.Major, "base/cmd/other: the command was removed"},
		{"a command was added", "base/cmd/more/main.go", "", "package main\n\nfunc main() {}\n", changes.Minor, "base/cmd/more: the command was added"},
		{"it requires another Go", "base/go.mod", "go 1.26.0", "go 1.26.1", changes.Minor, "it requires Go 1.26.1"},
		{"it requires more of a module", "base/go.mod", "third v1.2.3", "third v1.3.0", changes.Minor, "it requires example.com/third@v1.3.0"},
		{"it requires a fix of a module", "base/go.mod", "third v1.2.3", "third v1.2.4", changes.Patch, "go.mod"},
		{"a golden file changed", "base/testdata/golden.txt", "one", "two", changes.Major, "golden: base/testdata/golden.txt: changed"},
		{"a golden file was added", "base/testdata/golden2.txt", "", "two", changes.Minor, "golden2.txt was added"},
		{"a golden file was removed", "base/testdata/golden.txt", "", "-", changes.Major, "golden"},
		{"a line was added", "base/testdata/keys.txt", "b", "b\nc", changes.Minor, `keys: base/testdata/keys.txt: the line "c" was added`},
		{"a line was changed", "base/testdata/keys.txt", "b", "c", changes.Major, `the line "b" was removed or changed`},
		{"a member was removed", "base/testdata/schema.json", `"enum": ["x"], `, "", changes.Major, "/properties/a/enum was removed"},
		{"a member was added", "base/testdata/schema.json", `"a": {`, `"b": {}, "a": {`, changes.Minor, "/properties/b was added"},
		{"a value was added", "base/testdata/schema.json", `["x"]`, `["x", "y"]`, changes.Minor, "/properties/a/enum has further elements"},
		{"a member is required", "base/testdata/schema.json", `["a"]`, `["a", "b"]`, changes.Major, "/required was changed"},
		{"a description changed", "base/testdata/schema.json", "of a", "of b", changes.Patch, ""},
		{"a marker was removed", "base/markers.md", "one", "two", changes.Major, `the line "one"`},
		{"a page changed", "base/markers.md", "text", "more", changes.Patch, ""},
		{"generated bodies changed", "base/cmd/tool/main.go", `return \"%s\"`, `return \"\" + \"%s\"`, changes.Patch, ""},
		{"generated functions changed", "base/cmd/tool/main.go", "func Name() string", "func Named() string", changes.Major, "Name: removed"},
		{"generated code needs more", "base/cmd/tool/main.go", "NeedsBase1", "NeedsBase2", changes.Minor, "generated code: it needs another runtime: NeedsBase2 instead of NeedsBase1"},
		{"a CRD changed", "base/cmd/tool/main.go", `crd.yaml", schema`, `crd.yaml", schema[:2]`, changes.Minor, "generated code: crd.yaml changed"},
		{"the ledger changed", "base/cmd/tool/main.go", `ledger.txt", schema`, `ledger.txt", schema[:2]`, changes.Major, "generated code: ledger.txt changed"},
		{"the schema changed", "schema/in.txt", "Ada", "Bob", changes.None, ""},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			trees := changes.Trees{Before: extract(t), After: extract(t)}
			edit(t, filepath.Join(trees.After, filepath.FromSlash(test.file)), test.old, test.new)
			w, err := modules.Find(trees.After)
			if err != nil {
				t.Fatal(err)
			}
			base, err := w.Module("base")
			if err != nil {
				t.Fatal(err)
			}
			got, err := changes.Of(t.Context(), trees, w, base, rules)
			if err != nil {
				t.Fatal(err)
			}
			found := slices.ContainsFunc(got, func(c changes.Change) bool {
				return c.Bump == test.want && strings.Contains(c.String(), test.text)
			})
			if changes.Most(got) != test.want || !found && test.want != changes.None {
				t.Errorf("changes: %v, want %s: %s", got, test.want, test.text)
			}
		})
	}
}

// edit replaces a part of a file. Without old, the file is written; a new text of "-" removes it.
func edit(t *testing.T, name, old, text string) {
	t.Helper()
	if strings.HasSuffix(name, "go.work") || old == "" && text == "" {
		return
	}
	if text == "-" {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != "" {
		body, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(body), old) {
			t.Fatalf("no %q in %s: %v", old, name, err)
		}
		text = strings.ReplaceAll(string(body), old, text)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func extract(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := txtar.Write(txtar.Parse([]byte(before)), root); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestVersions(t *testing.T) {
	tests := []struct {
		last string
		bump changes.Bump
		next string
	}{
		{"", changes.Patch, "v0.1.0"},
		{"v0.1.0", changes.Patch, "v0.1.1"},
		{"v0.1.9", changes.Minor, "v0.2.0"},
		{"v0.1.0", changes.Major, "v0.2.0"},
		{"v1.4.2", changes.Patch, "v1.4.3"},
		{"v1.4.2", changes.Minor, "v1.5.0"},
		{"v1.4.2", changes.Major, "v2.0.0"},
		{"v0.2.0-rc.1", changes.Major, "v0.2.0"},
		{"v0.2.1-rc.1", changes.Patch, "v0.2.1"},
		{"v0.2.1-rc.1", changes.Minor, "v0.3.0"},
		{"v1.3.0-rc.1", changes.Major, "v2.0.0"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s and a %s change", test.last, test.bump), func(t *testing.T) {
			if got := changes.Next(test.last, test.bump); got != test.next {
				t.Errorf("the next version is %s, want %s", got, test.next)
			}
			all := []changes.Change{{Bump: test.bump}}
			if small := changes.TooSmall(test.last, test.next, all); len(small) > 0 {
				t.Errorf("%s is too small for %v", test.next, small)
			}
		})
	}
	breaking := []changes.Change{{Bump: changes.Major}, {Bump: changes.Patch}}
	for _, version := range []string{"v0.1.1", "v0.1.7", "v0.2.0-rc.1"} {
		want := 1
		if version == "v0.2.0-rc.1" {
			want = 0 // it precedes a version that permits it
		}
		if small := changes.TooSmall("v0.1.0", version, breaking); len(small) != want {
			t.Errorf("%s is too small for %v", version, small)
		}
	}
}
