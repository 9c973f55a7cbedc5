package packages

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Functions names, sorted, the test functions of the package of a kind: "Test", "Benchmark" or
// "Fuzz". It reads the files, and so costs no compilation.
func (p Package) Functions(kind string) ([]string, error) {
	var names []string
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		path := filepath.Join(p.Dir, name)
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("find %s functions: %w", kind, err)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && isOfKind(f.Name.Name, kind) {
				names = append(names, f.Name.Name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

// isOfKind reports whether go test runs a function of that name as a test of the kind: no
// lower-case letter follows the kind. TestMain is no test.
func isOfKind(name, kind string) bool {
	rest, ok := strings.CutPrefix(name, kind)
	if !ok || name == "TestMain" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !unicode.IsLower(first)
}
