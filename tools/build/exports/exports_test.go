package exports_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/tools/build/exports"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/packages"
	"github.com/stratakube/strata/tools/build/textlist"
)

const ours = "github.com/stratakube/strata/"

// TestWorkspace compares the names without a user with unused.txt.
func TestWorkspace(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	all, err := packages.List(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	unused, err := exports.Unused(all, isPublic, pages(t, filepath.Join(w.Root, "docs", "guide")))
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := textlist.ReadAccepted("unused.txt")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, n := range unused {
		names = append(names, strings.TrimPrefix(n.String(), ours))
	}
	fresh, gone := accepted.Compare(names)
	for _, name := range fresh {
		t.Errorf("no other package uses %s: unexport it, or give a reason in unused.txt", name)
	}
	for _, name := range gone {
		t.Errorf("unused.txt has %s, which is used or does not exist", name)
	}
}

// isPublic reports whether users may import a package. The tools are not released, and generated
// code is the user of genruntime.
func isPublic(p packages.Package) bool {
	path := strings.TrimPrefix(p.ImportPath, ours)
	return !strings.Contains("/"+path+"/", "/internal/") && !strings.Contains("/"+path+"/", "/cmd/") &&
		path != "runtime/genruntime" && !strings.HasPrefix(path, "tools/")
}

func pages(t *testing.T, dir string) []string {
	t.Helper()
	var texts []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		texts = append(texts, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// TestUnused finds names without a user in two packages and a page.
func TestUnused(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "packages.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := txtar.Write(archive, root); err != nil {
		t.Fatal(err)
	}
	all := []packages.Package{
		{ImportPath: "example.com/a", Dir: filepath.Join(root, "a"), GoFiles: []string{"a.go", "gen.go"}, TestGoFiles: []string{"a_test.go"}, XTestGoFiles: []string{"example_test.go"}},
		{ImportPath: "example.com/b", Dir: filepath.Join(root, "b"), GoFiles: []string{"b.go"}},
	}
	isA := func(p packages.Package) bool { return p.ImportPath == "example.com/a" }
	unused, err := exports.Unused(all, isA, []string{"Call `a.OfPage`, and a.OfAnotherPages."})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, n := range unused {
		got.WriteString(n.String() + "\n")
	}
	if diff := cmp.Diff(string(archive.Comment), got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
