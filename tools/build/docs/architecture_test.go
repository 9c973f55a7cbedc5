package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	quoted = regexp.MustCompile("`([a-z][A-Za-z0-9_./-]*)`")
	cells  = regexp.MustCompile(`(?m)^\|(.*)\|$`)
)

// tops are the folders and files at the root that the page of the architecture names paths below.
var tops = []string{"docs", "generator", "magefile.go", "operator", "runtime", "schemas", "tools", "webhook"}

// TestFoldersOfArchitectureExist requires that every path that begins at the root exists.
func TestFoldersOfArchitectureExist(t *testing.T) {
	w := workspace(t)
	page := read(t, filepath.Join(w.Root, "docs", "architecture.md"))
	paths := 0
	for _, found := range quoted.FindAllStringSubmatch(page, -1) {
		if top, _, _ := strings.Cut(found[1], "/"); !slices.Contains(tops, top) {
			continue
		}
		paths++
		if _, err := os.Stat(filepath.Join(w.Root, filepath.FromSlash(found[1]))); err != nil {
			t.Errorf("docs/architecture.md names %s, which does not exist", found[1])
		}
	}
	if paths < 50 {
		t.Errorf("docs/architecture.md names %d paths only", paths)
	}
}

// rooms are the folders whose folders the page of the architecture names one by one.
var rooms = []string{
	"generator/internal", "generator/internal/analysis", "generator/internal/chain", "generator/internal/emit",
	"generator/internal/emit/crd", "generator/internal/emit/golang", "generator/internal/source",
	"generator/internal/syntax", "operator", "operator/arm/internal", "operator/cluster/internal", "operator/plugin",
	"operator/plugin/internal", "runtime", "runtime/internal", "tools", "tools/armsim/internal", "tools/bench",
	"tools/build", "tools/corpus", "tools/e2e", "tools/testcluster", "webhook", "webhook/internal",
}

// TestArchitectureNamesEveryFolder requires that the page names each folder of the rooms.
func TestArchitectureNamesEveryFolder(t *testing.T) {
	w := workspace(t)
	page := read(t, filepath.Join(w.Root, "docs", "architecture.md"))
	for _, room := range rooms {
		folders, err := os.ReadDir(filepath.Join(w.Root, filepath.FromSlash(room)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range folders {
			if name := room + "/" + f.Name(); f.IsDir() && f.Name() != "testdata" && !strings.Contains(page, "`"+name+"`") {
				t.Errorf("docs/architecture.md does not name %s", name)
			}
		}
	}
}

// TestModulesAreInArchitecture requires a row for each module.
func TestModulesAreInArchitecture(t *testing.T) {
	w := workspace(t)
	page := read(t, filepath.Join(w.Root, "docs", "architecture.md"))
	for _, m := range w.Modules {
		if !strings.Contains(page, "\n| `"+m.Name+"` | ") {
			t.Errorf("docs/architecture.md has no row for %s", m.Name)
		}
	}
}

// TestEveryChangeHasBeginning requires that each row of the last table names an existing path to
// begin at.
func TestEveryChangeHasBeginning(t *testing.T) {
	w := workspace(t)
	_, table, found := strings.Cut(read(t, filepath.Join(w.Root, "docs", "architecture.md")), "\n## Where to begin\n")
	if !found {
		t.Fatal("docs/architecture.md does not say where to begin")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	rows := cells.FindAllStringSubmatch(table, -1)[2:] // behind the head and its line
	if len(rows) < 10 {
		t.Errorf("the table has %d changes only", len(rows))
	}
	for _, row := range rows {
		columns := strings.Split(row[1], "|")
		begin := quoted.FindStringSubmatch(columns[min(1, len(columns)-1)])
		if len(columns) != 3 || begin == nil {
			t.Errorf("a row of the table does not say where to begin: %s", row[0])
			continue
		}
		if _, err := os.Stat(filepath.Join(w.Root, filepath.FromSlash(begin[1]))); err != nil {
			t.Errorf("to change%sbegin at %s, which does not exist", columns[0], begin[1])
		}
	}
}
