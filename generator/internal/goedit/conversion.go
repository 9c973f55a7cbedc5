package goedit

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// Receiver returns the type of the receiver of a method; empty for functions.
func Receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) != 1 {
		return ""
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// IsConversion reports whether a method is one by which controller-runtime converts: ConvertTo or
// ConvertFrom of a hub, or Hub. Other methods can have these names.
func IsConversion(d *ast.FuncDecl) bool {
	if Receiver(d) == "" {
		return false
	}
	in, out := d.Type.Params.List, d.Type.Results
	switch d.Name.Name {
	case "Hub":
		return len(in) == 0 && out == nil
	case "ConvertTo", "ConvertFrom":
		return len(in) == 1 && len(in[0].Names) < 2 && out != nil && len(out.List) == 1 && lastName(in[0].Type) == "Hub" && lastName(out.List[0].Type) == "error"
	}
	return false
}

// IsStub reports whether a conversion is as kubebuilder's scaffolding writes it: it copies
// metadata, may log, and converts nothing. Hub is one.
func IsStub(d *ast.FuncDecl) bool {
	return d.Body != nil && !slices.ContainsFunc(d.Body.List, func(s ast.Stmt) bool { return !isOfStub(s) })
}

// isOfStub reports whether a statement asserts a type, copies metadata, logs without a call, or
// returns nil.
func isOfStub(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if len(s.Lhs) != 1 || len(s.Rhs) != 1 {
			return false
		}
		assertion, isAssertion := s.Rhs[0].(*ast.TypeAssertExpr)
		if s.Tok == token.DEFINE {
			return isAssertion && isIdent(assertion.X)
		}
		return s.Tok == token.ASSIGN && isMetadata(s.Lhs[0]) && isMetadata(s.Rhs[0])
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		of, ok := call.Fun.(*ast.SelectorExpr)
		return ok && isIdent(of.X) && slices.Contains([]string{"log", "fmt"}, lastName(of.X)) && strings.HasPrefix(of.Sel.Name, "Print") && !slices.ContainsFunc(call.Args, calls)
	case *ast.ReturnStmt:
		return len(s.Results) == 1 && isIdent(s.Results[0]) && lastName(s.Results[0]) == "nil"
	}
	return false
}

func isIdent(e ast.Expr) bool {
	_, ok := e.(*ast.Ident)
	return ok
}

// isMetadata reports whether an expression is the metadata of a variable.
func isMetadata(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && isIdent(s.X) && s.Sel.Name == "ObjectMeta"
}

// calls reports whether an expression has a call.
func calls(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		_, isCall := n.(*ast.CallExpr)
		found = found || isCall
		return !found
	})
	return found
}

// lastName returns the name of a type, without that of its package.
func lastName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.SelectorExpr:
		return t.Sel.Name
	case *ast.Ident:
		return t.Name
	}
	return ""
}
