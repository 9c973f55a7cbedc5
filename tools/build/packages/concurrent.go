package packages

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
)

// Concurrent lists, sorted, the tests of the package that start goroutines, directly or through
// other code of the package. It compares names alone, so that it may list too many tests. All
// functions, variables and methods of a name count as one, and users of a type reach all its
// methods. Of goroutines that other packages start, only those of httptest and synctest count.
func (p Package) Concurrent() ([]string, error) {
	uses := uses{}
	for _, name := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("find tests that start goroutines: %w", err)
		}
		for _, decl := range file.Decls {
			uses.add(decl)
		}
	}
	tests, err := p.Functions("Test")
	if err != nil {
		return nil, err
	}
	reach := uses.reachGoroutines()
	return slices.DeleteFunc(tests, func(name string) bool { return !reach[name] }), nil
}

// goroutines represents all statements and calls that start goroutines.
const goroutines = "go"

// starters are packages and methods that start goroutines.
var starters = []string{"httptest", "synctest", "Go", "Parallel", "AfterFunc"}

// uses maps the name of each declaration of a package to the names in it.
type uses map[string][]string

func (u uses) add(decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		u[d.Name.Name] = append(u[d.Name.Name], namesIn(d)...)
		if d.Recv != nil {
			for _, name := range namesIn(d.Recv) {
				u[name] = append(u[name], d.Name.Name)
			}
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				u[s.Name.Name] = append(u[s.Name.Name], namesIn(s)...)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					u[name.Name] = append(u[name.Name], namesIn(s)...)
				}
			}
		}
	}
}

// namesIn lists the identifiers of a piece of code, and goroutines if it starts some.
func namesIn(code ast.Node) []string {
	var names []string
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			names = append(names, goroutines)
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); slices.Contains(starters, n.Sel.Name) || ok && slices.Contains(starters, x.Name) {
				names = append(names, goroutines)
			}
		case *ast.Ident:
			names = append(names, n.Name)
		}
		return true
	})
	return names
}

// reachGoroutines is the set of names whose declarations start goroutines, or use such a name.
func (u uses) reachGoroutines() map[string]bool {
	usedBy := map[string][]string{}
	for name, used := range u {
		for _, of := range used {
			usedBy[of] = append(usedBy[of], name)
		}
	}
	reach := map[string]bool{goroutines: true}
	for next := []string{goroutines}; len(next) > 0; {
		var name string
		name, next = next[0], next[1:]
		for _, user := range usedBy[name] {
			if !reach[user] {
				reach[user] = true
				next = append(next, user)
			}
		}
	}
	return reach
}
