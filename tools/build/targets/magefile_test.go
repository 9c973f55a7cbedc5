package targets_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/build/modules"
)

// TestEveryTargetIsExplained holds the list of targets, and that `go tool mage -l` has a sentence
// for each.
func TestEveryTargetIsExplained(t *testing.T) {
	want := []string{
		"Armsim", "Bench", "Build", "Corpus", "Demo", "Fetch", "Generate", "Images", "Lint", "Modules", "Mutate", "Pack", "Proto", "Soak", "Test", "Tidy",
		"BENCH.Code", "BENCH.Crds", "BENCH.Guard", "BENCH.Limits", "BENCH.Operator", "BENCH.Plugin", "BENCH.Reviews", "BENCH.Scale", "BENCH.Upgrade", "BENCH.Webhook", "Cluster.Down", "Cluster.Kubectl", "Cluster.Up", "Docs.Build", "Docs.Pictures", "Docs.Serve", "PROTO.Check", "PROTO.Release",
		"Release.Archives", "Release.Check", "Release.Plan", "Release.Prepare", "Release.Root", "Release.Sign", "Release.Tag", "Release.Tags", "Release.Verify", "TEST.Long", "TEST.Quick",
	}
	magefile := readMagefile(t)
	targets := magefile.Funcs
	for _, namespace := range magefile.Types {
		targets = append(targets, namespace.Methods...)
	}

	var got []string
	for _, f := range targets {
		if !ast.IsExported(f.Name) {
			continue
		}
		got = append(got, strings.TrimPrefix(f.Recv+"."+f.Name, "."))
		sentence, isSentence := strings.CutSuffix(magefile.Synopsis(f.Doc), ".")
		if !isSentence || len(strings.Fields(sentence)) < 4 {
			t.Errorf("%s has no sentence that explains it, but %q", f.Name, f.Doc)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTargetsOfPages requires that each target that a page runs exists.
func TestTargetsOfPages(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	magefile := readMagefile(t)
	known := map[string]bool{"l": true}
	for _, f := range magefile.Funcs {
		known[strings.ToLower(f.Name)] = true
	}
	for _, namespace := range magefile.Types {
		for _, f := range namespace.Methods {
			known[strings.ToLower(namespace.Name+":"+f.Name)] = true
		}
	}
	count := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/guide/*.md", "docs/guide/*/*.md"} {
		pages, err := filepath.Glob(filepath.Join(w.Root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range ranTarget.FindAllSubmatch(text, -1) {
				if count++; !known[strings.ToLower(string(found[1]))] {
					t.Errorf("%s runs %s, which is no target", page, found[0])
				}
			}
		}
	}
	if count < 40 || known["tests"] {
		t.Errorf("%d targets are run", count)
	}
}

var ranTarget = regexp.MustCompile(`(?:go(?: -C \S+)? tool|\x60)\s?mage -?([a-z][a-zA-Z:]*)`)

func readMagefile(t *testing.T) *doc.Package {
	t.Helper()
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, filepath.Join(w.Root, "magefile.go"), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	magefile, err := doc.NewFromFiles(files, []*ast.File{file}, "main", doc.AllDecls)
	if err != nil {
		t.Fatal(err)
	}
	return magefile
}
