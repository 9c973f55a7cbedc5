package goedit

import (
	"go/ast"
	"go/token"
)

// Registration says where a suite registers packages.
type Registration struct {
	// Known is the line in which it adds one of the known packages; 0 if it adds none.
	Known int
	// Late is the line in which it adds one of all these packages after it started envtest, which
	// then does not know that the types convert; 0 if there is none.
	Late int
}

// RegistrationOf returns where a suite registers the known packages and that of the import path.
func RegistrationOf(file string, src []byte, importPath string, known []string) (Registration, error) {
	f, fset, err := parse(file, src)
	if err != nil {
		return Registration{}, err
	}
	var r Registration
	packages, generated := packagesOf(f, known), packagesOf(f, []string{importPath})
	environments := environmentsOf(f)
	ignores := false
	for _, d := range f.Decls {
		var started token.Pos
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Start" && environments[lastName(s.X)] && !started.IsValid() {
					started = n.Pos()
				}
			case *ast.SelectorExpr:
				line := fset.Position(n.Pos()).Line
				isKnown := packages.of(n) != nil
				if isKnown && r.Known == 0 {
					r.Known = line
				}
				if (isKnown || generated.of(n) != nil) && started.IsValid() && started < n.Pos() && r.Late == 0 {
					r.Late = line
				}
			case *ast.KeyValueExpr:
				ignores = ignores || isIdent(n.Key) && lastName(n.Key) == "IgnoreSchemeConvertible"
			}
			return true
		})
	}
	if ignores {
		r.Late = 0
	}
	return r, nil
}

// environmentsOf returns the variables to which a file assigns an envtest.Environment.
func environmentsOf(f *ast.File) map[string]bool {
	out := map[string]bool{}
	record := func(name, value ast.Expr) {
		if pointer, ok := value.(*ast.UnaryExpr); ok {
			value = pointer.X
		}
		if literal, ok := value.(*ast.CompositeLit); ok && lastName(literal.Type) == "Environment" {
			out[lastName(name)] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i := range min(len(n.Lhs), len(n.Rhs)) {
				record(n.Lhs[i], n.Rhs[i])
			}
		case *ast.ValueSpec:
			for i := range min(len(n.Names), len(n.Values)) {
				record(n.Names[i], n.Values[i])
			}
		}
		return true
	})
	return out
}
