package ledger

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

func all(string) bool { return true }

// TestReadIsInverseOfFiles checks that written files are read back unchanged, and written
// again with the same bytes.
func TestReadIsInverseOfFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := ledgers().Draw(t, "ledger")
		dir, err := os.MkdirTemp("", "ledger")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		files := filesOf(want, all)
		if sameFile(files) {
			t.Skip("not this case: two entries in one file: folders are drawn at random")
		}
		for _, f := range files {
			writeFile(t, filepath.Join(dir, f.Path), f.Body)
		}
		got, err := Read(context.Background(), dir)
		if err != nil {
			t.Fatalf("%v\n%s", err, files[0].Body)
		}
		options := cmp.Options{
			cmp.Comparer(func(a, b *model.Ref) bool { return a.Def.Name == b.Def.Name }),
			cmpopts.IgnoreUnexported(chain.KeyRow{}), cmpopts.EquateEmpty(),
		}
		if diff := cmp.Diff(want.Entries, got.Entries, options); diff != "" {
			t.Fatalf("read (-want +got):\n%s", diff)
		}
		if again := filesOf(got, all); !reflect.DeepEqual(again, files) {
			t.Fatalf("written again (-want +got):\n%s", cmp.Diff(files, again))
		}
	})
}

func sameFile(files []File) bool {
	seen := map[string]bool{}
	for _, f := range files {
		if seen[strings.ToLower(f.Path)] {
			return true
		}
		seen[strings.ToLower(f.Path)] = true
	}
	return false
}

type fataler interface {
	Helper()
	Fatal(args ...any)
}

func writeFile(t fataler, name string, body []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, body, 0o644); err != nil {
		t.Fatal(err)
	}
}

const text = `strata ledger 3
hub v20200101
hub v20210101
served v20210101
key "2020-01-01" "street@v20200101" "street" "to" "a \"b\""
lineage "2020-01-01" "road" "street" "to" "a \"b\""
status-lineage "2021-01-01" "\"" "to"
join "2020-01-01" "a \"b\"" "to" to "to" "a \"b\""
join "2021-01-01" "a \"b\"" "to" "a \"b\"" to "to"
resource Contoso.Shop/orders
  kind Order orders
  version 2020-01-01
    source arm 2020-01-01/Shop.json resourceDefinitions
    spec &OrderSpec
    def OrderSpec object
      .to list &Address
      .size string
    def Address object
      ."a \"b\"" map &Address
      .street string
        "Where it stands."
  version 2021-01-01
    spec &OrderSpec
    def OrderSpec object
      .to list &Address
    def Address = 2020-01-01
  version 2022-01-01
    spec &OrderSpec
    def OrderSpec = 2021-01-01
    def Address = 2020-01-01
`

func TestParse(t *testing.T) {
	e, messages := parse("order.txt", text)
	if len(messages) > 0 {
		t.Fatal(messages)
	}
	if got := string(e.text()); got != text {
		t.Errorf("written again (-want +got):\n%s", cmp.Diff(text, got))
	}
	want := chain.KeyRow{Version: "2020-01-01", Name: "street@v20200101", Property: "street", Path: []string{"to", `a "b"`}}
	if diff := cmp.Diff([]chain.KeyRow{want}, e.Keys, cmpopts.IgnoreUnexported(chain.KeyRow{})); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	lineages := []chain.LineageRow{{Version: "2020-01-01", Name: "road", Property: "street", Path: []string{"to", `a "b"`}}, {Status: true, Version: "2021-01-01", Name: `"`, Property: "to"}}
	if diff := cmp.Diff(lineages, e.Lineages); diff != "" {
		t.Errorf("lineages (-want +got):\n%s", diff)
	}
	own := `a "b"`
	joins := []chain.Join{{Version: "2020-01-01", Path: []string{"to"}, Property: own, To: []string{"to", own}}, {Version: "2021-01-01", Path: []string{"to", own}, Property: own, To: []string{"to"}}}
	if diff := cmp.Diff(joins, e.Joins); diff != "" {
		t.Errorf("joins (-want +got):\n%s", diff)
	}
	if p := e.Model.Versions[2].Def("Address").Object().Property("street"); p == nil || p.Doc != "Where it stands." {
		t.Errorf("a definition that stands as a reference to an earlier one is %+v", p)
	}
}

func TestReadOfNoLedger(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"none", "file/ledger"} {
		writeFile(t, filepath.Join(dir, "file"), nil)
		l, err := Read(context.Background(), filepath.Join(dir, name))
		if err != nil || len(l.Entries) > 0 {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
	}
}

// FuzzParse checks that a file is either refused with a position, or valid: it can be written and
// read again, and later stages accept it.
func FuzzParse(f *testing.F) {
	f.Add(text)
	f.Add("strata ledger 1\nresource a/b\n")
	f.Add(strings.Replace(text, "ledger 3", "ledger 1", 1))
	f.Add(withSum(text))
	f.Add(strings.Replace(text, `"road"`, `"a \"b\""`, 1))
	f.Add(strings.Replace(text, `to "to"`, `to`, 2))
	f.Add(strings.Replace(text, `key "2020-01-01" "street@v20200101"`, `via "2020-01-01" "street@v20200101" "v20210101"`, 1))
	f.Add(strings.Replace(text, "list &Address", "oneof", 1))
	f.Add(strings.Replace(text, "object", "string", 1))
	f.Fuzz(func(t *testing.T, text string) {
		e, messages := parse("f.txt", text)
		for _, m := range messages {
			if m.Pos.Offset < 0 || m.Pos.Offset > len(text) || m.Text == "" || m.Hint == "" {
				t.Errorf("%+v", m)
			}
		}
		if len(messages) > 0 {
			return
		}
		written := string(e.text())
		again, messages := parse("f.txt", written)
		if len(messages) > 0 || string(again.text()) != written {
			t.Fatalf("%v\n%s", messages, written)
		}
		c, _ := chain.Link(context.Background(), []*model.Resource{e.Model}, chain.Options{Records: (&Ledger{Entries: []*Entry{e}}).Records()})
		plan.Decide(context.Background(), c, plan.Options{First: []string{strings.ToLower(e.Model.Type)}})
	})
}

func FuzzParseIndex(f *testing.F) {
	f.Add(`{"version":1,"resources":[{"type":"a/b","kind":"B","file":"a/b.txt"}]}`)
	f.Add(`{"version":1,"resources":[{"type":"a/b"},{"type":"A/B"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := parseIndex("index.json", []byte(text))
		for _, row := range rows {
			if at := row.at(); err == nil && (at.Offset < 0 || at.Offset > len(text) || strings.Contains(row.File, "..") && !filepath.IsLocal(row.File)) {
				t.Errorf("%+v at %+v", row, at)
			}
		}
	})
}

// TestNamesLikeThatOfFurtherMembers checks that the name of further members is written as their
// key, and distinguished from properties of that name, in keys and on both sides of joins.
func TestNamesLikeThatOfFurtherMembers(t *testing.T) {
	names := []string{chain.AdditionalName, chain.AdditionalKey, "$" + chain.AdditionalKey, chain.AdditionalKey[1:], "to"}
	seen := map[string]bool{}
	for _, property := range names {
		for _, other := range names {
			j := chain.Join{Version: "v1", Property: property, Path: []string{other, property}, To: []string{property, other}}
			line := string(appendJoin(nil, j))
			if seen[line] {
				t.Errorf("two joins are written as %s", line)
			}
			seen[line] = true
			read, err := parseJoin("join", strings.TrimSpace(strings.TrimPrefix(line, "join")))
			if diff := cmp.Diff(j, read); err != nil || diff != "" {
				t.Errorf("%s reads as another (-want +got): %v %s", line, err, diff)
			}
			k := chain.KeyRow{Version: "v1", Name: "key", Property: property, Path: []string{other}}
			line = string(appendLine(nil, k))
			row, err := parseKey("key", strings.TrimSpace(strings.TrimPrefix(line, "key")))
			if diff := cmp.Diff(k, row, cmpopts.IgnoreUnexported(chain.KeyRow{})); err != nil || diff != "" {
				t.Errorf("%s reads as another (-want +got): %v %s", line, err, diff)
			}
			n := chain.LineageRow{Version: "v1", Name: other, Property: property, Path: []string{other}}
			line = string(appendLineage(nil, n))
			name, err := parseLineage("lineage", strings.TrimSpace(strings.TrimPrefix(line, "lineage")))
			if diff := cmp.Diff(n, name); err != nil || diff != "" {
				t.Errorf("%s reads as another (-want +got): %v %s", line, err, diff)
			}
		}
	}
}
