package goedit

import (
	"bytes"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// packages are names by which a file may import known packages.
type packages map[string]bool

func packagesOf(f *ast.File, known []string) packages {
	out := packages{}
	for _, i := range f.Imports {
		if p, err := strconv.Unquote(i.Path.Value); err == nil && slices.Contains(known, p) && !isBlank(i) {
			for _, name := range namesOf(i) {
				out[name] = true
			}
		}
	}
	return out
}

// of returns the receiver of the method that adds a known package: the name of the package, or its
// SchemeBuilder. It returns nil if x is not such a method.
func (p packages) of(x ast.Expr) ast.Expr {
	method, ok := x.(*ast.SelectorExpr)
	if !ok || method.Sel.Name != adder {
		return nil
	}
	receiver := method.X
	if builder, ok := receiver.(*ast.SelectorExpr); ok && builder.Sel.Name == "SchemeBuilder" {
		receiver = builder.X
	}
	if id, ok := receiver.(*ast.Ident); ok && p[id.Name] {
		return method.X
	}
	return nil
}

// called returns the call in a node that adds a known package; nil if there is none, or several.
// Calls in function literals, and those whose errors are joined with others, do not count.
func (p packages) called(in ast.Node) *ast.CallExpr {
	var calls []*ast.CallExpr
	ast.Inspect(in, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if ok && p.of(call.Fun) != nil {
			calls = append(calls, call)
		}
		return !ok || lastName(call.Fun) != "Join"
	})
	if len(calls) != 1 {
		return nil
	}
	return calls[0]
}

// beside copies the code of a file that adds the known packages, and replaces their names by the
// given one.
type beside struct {
	*edits
	fset  *token.FileSet
	src   []byte
	name  string
	known packages
}

// besideKnown repeats the last element of each list, and the last statement of each list of
// statements, that adds known packages. It reports whether there was one.
func (e *edits) besideKnown(f *ast.File, fset *token.FileSet, src []byte, name string, known packages) bool {
	b := beside{e, fset, src, name, known}
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			if b.statement(n.List) {
				found = true
				return false
			}
		case ast.Expr:
			if b.element(elements(n)) {
				found = true
				return false
			}
		}
		return len(known) > 0
	})
	return found
}

// elements returns the elements of an expression that takes any number of them: functions that add
// packages, or their errors.
func elements(x ast.Expr) []ast.Expr {
	switch x := x.(type) {
	case *ast.CompositeLit:
		if list, ok := x.Type.(*ast.ArrayType); ok && (list.Len == nil || isEllipsis(list.Len)) || lastName(x.Type) == "SchemeBuilder" {
			return x.Elts
		}
	case *ast.CallExpr:
		if slices.Contains([]string{"append", "NewSchemeBuilder", "Register", "Join"}, lastName(x.Fun)) && !x.Ellipsis.IsValid() {
			return x.Args
		}
	}
	return nil
}

func isEllipsis(x ast.Expr) bool {
	_, ok := x.(*ast.Ellipsis)
	return ok
}

// element repeats the last element that adds a known package, on a line of its own if it has one.
func (b beside) element(list []ast.Expr) bool {
	for _, x := range slices.Backward(list) {
		method := x
		if call, ok := x.(*ast.CallExpr); ok {
			method = call.Fun
		}
		receiver := b.known.of(method)
		if receiver == nil {
			continue
		}
		from, to := b.offset(x.Pos()), b.offset(x.End())
		again, indent := b.renamed(from, to, receiver), b.indent(from)
		if len(bytes.TrimSpace(indent)) == 0 && bytes.HasPrefix(b.src[to:], []byte(",")) {
			to += 1 + commentAt(b.src[to+1:])
			b.replace(to, to, "\n"+string(indent)+again+",")
		} else {
			b.replace(to, to, ", "+again)
		}
		return true
	}
	return false
}

// statement repeats the last statement that adds a known package, with what handles its error.
func (b beside) statement(list []ast.Stmt) bool {
	for i, s := range slices.Backward(list) {
		call := b.added(s)
		if call == nil {
			continue
		}
		if r, ok := s.(*ast.ReturnStmt); ok {
			b.returned(r, call)
			return true
		}
		if end, ok := handled(s, list[i+1:]); ok {
			b.repeat(s, end, call)
			return true
		}
	}
	return false
}

// added returns the call by which a statement adds a known package to a scheme; nil if it adds
// none, or does more.
func (b beside) added(s ast.Stmt) *ast.CallExpr {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return b.known.called(s)
	case *ast.AssignStmt:
		if (s.Tok == token.ASSIGN || s.Tok == token.DEFINE) && len(s.Lhs) == 1 {
			return b.known.called(s)
		}
	case *ast.IfStmt:
		if s.Init != nil {
			return b.known.called(s.Init)
		}
	case *ast.ReturnStmt:
		call := b.known.called(s)
		if call != nil && slices.Contains(s.Results, ast.Expr(call)) && !uses(s, "err") {
			return call
		}
	}
	return nil
}

// repeat inserts the statements from s to end behind them, for the package. Of a definition of a
// variable it makes an assignment.
func (b beside) repeat(s, end ast.Stmt, call *ast.CallExpr) {
	from, at, to := b.offset(s.Pos()), b.offset(call.Pos()), b.offset(end.End())
	head := string(b.src[from:at])
	if s, ok := s.(*ast.AssignStmt); ok && s.Tok == token.DEFINE {
		head = head[:b.offset(s.TokPos)-from] + strings.Replace(head[b.offset(s.TokPos)-from:], ":=", "=", 1)
	}
	insert := to + commentAt(b.src[to:])
	b.replace(insert, insert, "\n"+string(b.indent(from))+head+b.renamed(at, to, b.known.of(call.Fun)))
}

// returned inserts a statement that returns the error of a call before the one that returns its
// result, which then calls the package instead.
func (b beside) returned(s *ast.ReturnStmt, call *ast.CallExpr) {
	from, at, to, end := b.offset(s.Pos()), b.offset(call.Pos()), b.offset(call.End()), b.offset(s.End())
	indent := string(b.indent(from))
	if strings.TrimSpace(indent) != "" {
		indent = ""
	}
	b.replace(from, from, "if err := "+string(b.src[at:to])+"; err != nil {\n"+
		indent+"\t"+string(b.src[from:at])+"err"+string(b.src[to:end])+"\n"+indent+"}\n"+indent)
	receiver := b.known.of(call.Fun)
	b.replace(b.offset(receiver.Pos()), b.offset(receiver.End()), b.name)
}

func (b beside) offset(at token.Pos) int { return b.fset.Position(at).Offset }

// indent returns what precedes an offset in its line.
func (b beside) indent(offset int) []byte {
	return b.src[bytes.LastIndexByte(b.src[:offset], '\n')+1 : offset]
}

// renamed returns a part of the file, with the name of the package instead of the receiver.
func (b beside) renamed(from, to int, receiver ast.Expr) string {
	return string(b.src[from:b.offset(receiver.Pos())]) + b.name + string(b.src[b.offset(receiver.End()):to])
}

// handled returns the statement with which the handling of a statement's error ends: the one behind
// an assignment to a variable, which must use that. It reports false if there is none.
func handled(s ast.Stmt, behind []ast.Stmt) (ast.Stmt, bool) {
	assign, ok := s.(*ast.AssignStmt)
	if !ok {
		return s, true
	}
	variable, ok := assign.Lhs[0].(*ast.Ident)
	switch {
	case !ok:
		return nil, false
	case variable.Name == "_":
		return s, true
	case len(behind) == 0:
		return nil, false
	}
	return behind[0], uses(behind[0], variable.Name)
}

// uses reports whether a node has an identifier.
func uses(n ast.Node, name string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// commentAt returns the length of the comment that ends a line; 0 if there is none.
func commentAt(rest []byte) int {
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("//")) {
		return 0
	}
	return len(bytes.TrimRight(line, "\r"))
}
