package runtime

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestImports holds what generated code pays for the runtime.
func TestImports(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range syntax.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if !isAllowed(path) {
				t.Errorf("%s imports %s: generated code would need it too", file, path)
			}
		}
	}
}

func isAllowed(path string) bool {
	domain, _, _ := strings.Cut(path, "/")
	return !strings.Contains(domain, ".") || path == "sigs.k8s.io/json" || strings.HasPrefix(path, "github.com/stratakube/strata/runtime/internal/") || strings.HasPrefix(path, "k8s.io/apimachinery/")
}
