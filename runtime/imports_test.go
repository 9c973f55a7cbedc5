package runtime

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestImports requires that a module with generated code needs apimachinery and little else.
func TestImports(t *testing.T) {
	files := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		if strings.HasPrefix(file, "internal/fixtures/") {
			return nil // tests alone import it
		}
		files++
		for _, path := range importsOf(t, file) {
			if !isAllowed(path) {
				t.Errorf("%s imports %s: generated code would need it too", file, path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Errorf("%d files were read", files)
	}
}

func importsOf(t *testing.T, file string) (paths []string) {
	t.Helper()
	syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range syntax.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		paths = append(paths, path)
	}
	return paths
}

func isAllowed(path string) bool {
	domain, _, _ := strings.Cut(path, "/")
	return !strings.Contains(domain, ".") || path == "sigs.k8s.io/json" || strings.HasPrefix(path, "k8s.io/apimachinery/") ||
		path == "github.com/stratakube/strata/runtime" || strings.HasPrefix(path, "github.com/stratakube/strata/runtime/")
}
