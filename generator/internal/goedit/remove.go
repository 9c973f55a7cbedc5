package goedit

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// File is a Go file of a package.
type File struct {
	Name string
	Body []byte // nil if nothing is left of it
}

// Remove returns the files of a package that change when its methods of these names are removed,
// with the functions and imports that nothing else needs. Methods maps types to names of methods.
// Functions that are exported stay.
func Remove(files []File, methods map[string][]string) ([]File, error) {
	r := remover{gone: map[*ast.FuncDecl]bool{}}
	for _, file := range files {
		f, fset, err := parse(file.Name, file.Body)
		if err != nil {
			return nil, err
		}
		r.files = append(r.files, parsed{file, f, fset})
		for _, d := range functionsOf(f) {
			if slices.Contains(methods[receiverOf(d)], d.Name.Name) {
				r.gone[d] = true
			}
		}
	}
	for r.orphans() {
	}
	var out []File
	for _, f := range r.files {
		if body, changed := r.without(f); changed {
			out = append(out, File{f.Name, body})
		}
	}
	return out, nil
}

type parsed struct {
	File
	syntax *ast.File
	fset   *token.FileSet
}

// remover holds the files of one package, and the functions that are removed.
type remover struct {
	files []parsed
	gone  map[*ast.FuncDecl]bool
}

func functionsOf(f *ast.File) []*ast.FuncDecl {
	var out []*ast.FuncDecl
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			out = append(out, fn)
		}
	}
	return out
}

// receiverOf returns the type of the receiver; empty for functions.
func receiverOf(d *ast.FuncDecl) string {
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

// orphans removes functions that only removed ones name, and reports whether there were any.
func (r *remover) orphans() bool {
	lost, left := map[string]bool{}, map[string]bool{}
	for _, f := range r.files {
		for _, d := range f.syntax.Decls {
			fn, isFunction := d.(*ast.FuncDecl)
			to := left
			if isFunction && r.gone[fn] {
				to = lost
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && (!isFunction || id != fn.Name) && (!isFunction || fn.Recv != nil || id.Name != fn.Name.Name) {
					to[id.Name] = true
				}
				return true
			})
		}
	}
	found := false
	for _, f := range r.files {
		for _, fn := range functionsOf(f.syntax) {
			name := fn.Name.Name
			if fn.Recv == nil && !r.gone[fn] && !ast.IsExported(name) && name != "init" && lost[name] && !left[name] {
				r.gone[fn], found = true, true
			}
		}
	}
	return found
}

// without returns a file without the functions that are removed, and the imports that only they
// use; nil if no declaration is left. It reports false for a file without such functions.
func (r *remover) without(f parsed) ([]byte, bool) {
	var e edits
	lost, left, others := map[string]bool{}, map[string]bool{}, 0
	for _, d := range f.syntax.Decls {
		fn, isFunction := d.(*ast.FuncDecl)
		isGone := isFunction && r.gone[fn]
		if g, ok := d.(*ast.GenDecl); !isGone && (!ok || g.Tok != token.IMPORT) {
			others++
		}
		used := left
		if isGone {
			used = lost
			e.cut(f, fn.Pos(), fn.End(), fn.Doc)
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := s.X.(*ast.Ident); ok {
					used[id.Name] = true
				}
			}
			return true
		})
	}
	if len(e) == 0 {
		return nil, false
	}
	if others == 0 {
		return nil, true
	}
	e.imports(f, func(i *ast.ImportSpec) bool { return !isBlank(i) && lost[nameOf(i)] && !left[nameOf(i)] })
	return e.apply(f.Body), true
}

// imports removes imports, and declarations of which none is left.
func (e *edits) imports(f parsed, unused func(*ast.ImportSpec) bool) {
	for _, d := range f.syntax.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		left := slices.ContainsFunc(g.Specs, func(s ast.Spec) bool { return !unused(s.(*ast.ImportSpec)) })
		if !left {
			e.cut(f, g.Pos(), g.End(), g.Doc)
			continue
		}
		for _, s := range g.Specs {
			if i := s.(*ast.ImportSpec); unused(i) {
				e.cut(f, i.Pos(), i.End(), i.Doc)
			}
		}
	}
}

// cut removes a node with its comment, to the end of its line, and the blank line that follows.
func (e *edits) cut(f parsed, pos, end token.Pos, doc *ast.CommentGroup) {
	if doc != nil {
		pos = doc.Pos()
	}
	from, to := f.fset.Position(pos).Offset, f.fset.Position(end).Offset
	from = strings.LastIndex(string(f.Body[:from]), "\n") + 1
	for range 2 {
		rest := string(f.Body[to:])
		line, _, hasMore := strings.Cut(rest, "\n")
		if !hasMore || strings.TrimSpace(line) != "" && !strings.HasPrefix(strings.TrimSpace(line), "//") {
			break
		}
		if strings.TrimSpace(line) != "" && to != f.fset.Position(end).Offset {
			break // a comment of what follows
		}
		to += len(line) + 1
	}
	e.replace(from, to, "")
}
