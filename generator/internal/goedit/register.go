package goedit

import (
	"bytes"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The markers of kubebuilder where packages are registered.
var (
	importsMarker = regexp.MustCompile(`(?m)^([ \t]*)// ?\+kubebuilder:scaffold:imports\b.*$`)
	schemeMarker  = regexp.MustCompile(`(?m)^([ \t]*)// ?\+kubebuilder:scaffold:scheme\b.*$`)
)

// adder is the function by which a package of an API adds its types to a scheme.
const adder = "AddToScheme"

// addition matches where it is called, or passed on.
var addition = regexp.MustCompile(`\.` + adder + `[(),]`)

// Registers reports whether a file may register packages, so that [Register] should read it.
func Registers(src []byte) bool {
	return addition.Match(src) || hasMarkers(src)
}

func hasMarkers(src []byte) bool { return importsMarker.Match(src) && schemeMarker.Match(src) }

// Register returns a program that adds a package to its scheme: where kubebuilder's markers are,
// or else behind the statements that add the known packages, in the same way. It reports whether
// the program registers the package, which it may have done before.
func Register(file string, src []byte, importPath string, known []string) ([]byte, bool, error) {
	f, fset, err := parse(file, src)
	if err != nil {
		return src, false, err
	}
	if importedAs(f, importPath) != "" {
		return src, true, nil
	}
	name := freeName(f, strings.ReplaceAll(strings.ReplaceAll(path.Base(importPath), "-", ""), ".", ""))
	alias := name
	if name == path.Base(importPath) {
		alias = ""
	}
	var e edits
	must := importedAs(f, "k8s.io/apimachinery/pkg/util/runtime")
	switch added := e.besideKnown(f, fset, src, name, known); {
	case must != "" && hasMarkers(src):
		e = nil
		e.before(src, importsMarker, strings.TrimSpace(alias+" "+strconv.Quote(importPath)))
		e.before(src, schemeMarker, must+".Must("+name+"."+adder+"(scheme))")
	case added:
		e.addImport(f, fset, alias, importPath)
	default:
		return src, false, nil
	}
	body, err := e.apply(file, src)
	if err != nil {
		return src, false, err
	}
	return body, true, nil
}

// before inserts a line before the marker, with its indentation.
func (e *edits) before(src []byte, marker *regexp.Regexp, line string) {
	m := marker.FindSubmatchIndex(src)
	e.replace(m[0], m[0], string(src[m[2]:m[3]])+line+"\n")
}

// besideKnown repeats, in each list of statements that adds known packages, the last such statement
// for the package of the given name. It reports whether there was one.
func (e *edits) besideKnown(f *ast.File, fset *token.FileSet, src []byte, name string, known []string) bool {
	packages := map[string]bool{}
	for _, i := range f.Imports {
		if p, err := strconv.Unquote(i.Path.Value); err == nil && slices.Contains(known, p) && !isBlank(i) {
			for _, name := range namesOf(i) {
				packages[name] = true
			}
		}
	}
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		block, ok := n.(*ast.BlockStmt)
		if !ok || len(packages) == 0 {
			return true
		}
		for i, s := range slices.Backward(block.List) {
			call := added(s, packages)
			if call == nil {
				continue
			}
			end, ok := handled(s, block.List[i+1:])
			if !ok {
				continue
			}
			from, at, to := fset.Position(s.Pos()).Offset, fset.Position(call.Pos()).Offset, fset.Position(end.End()).Offset
			tail := strings.Replace(string(src[at:to]), call.Name, name, 1)
			line := strings.LastIndexByte(string(src[:from]), '\n') + 1
			insert := to + commentAt(src[to:])
			e.replace(insert, insert, "\n"+string(src[line:from])+string(src[from:at])+tail)
			found = true
			return false
		}
		return true
	})
	return found
}

// added returns the name of the known package that a statement adds to a scheme; nil if it adds
// none, or does more.
func added(s ast.Stmt, packages map[string]bool) *ast.Ident {
	var in ast.Node = s
	switch s := s.(type) {
	case *ast.ExprStmt:
	case *ast.AssignStmt:
		if s.Tok != token.ASSIGN || len(s.Lhs) != 1 {
			return nil
		}
	case *ast.IfStmt:
		if s.Init == nil {
			return nil
		}
		in = s.Init
	default:
		return nil
	}
	var names []*ast.Ident
	ast.Inspect(in, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok {
			if of, ok := call.Fun.(*ast.SelectorExpr); ok && of.Sel.Name == adder {
				if id, ok := of.X.(*ast.Ident); ok && packages[id.Name] {
					names = append(names, id)
				}
			}
		}
		return true
	})
	if len(names) != 1 {
		return nil
	}
	return names[0]
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
	uses := false
	ast.Inspect(behind[0], func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		uses = uses || ok && id.Name == variable.Name
		return !uses
	})
	return behind[0], uses
}

// commentAt returns the length of the comment that ends a line; 0 if there is none.
func commentAt(rest []byte) int {
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("//")) {
		return 0
	}
	return len(bytes.TrimRight(line, "\r"))
}
