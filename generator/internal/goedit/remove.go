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

// Remove returns the files of a package that change when the conversions of these types are
// removed, with the functions and imports that nothing else needs. Functions that are exported
// stay, and so do generated files. A file of which only imports are left is removed.
func Remove(files []File, types []string) ([]File, error) {
	r := remover{gone: map[*ast.FuncDecl]bool{}}
	for _, file := range files {
		f, fset, err := parse(file.Name, file.Body)
		if err != nil {
			return nil, err
		}
		r.files = append(r.files, parsed{file, f, fset})
		for _, d := range functionsOf(f) {
			if IsConversion(d) && slices.Contains(types, Receiver(d)) && !ast.IsGenerated(f) {
				r.gone[d] = true
			}
		}
	}
	for r.orphans() {
	}
	var out []File
	for _, f := range r.files {
		body, changed, err := r.without(f)
		if err != nil {
			return nil, err
		}
		if changed {
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
		if ast.IsGenerated(f.syntax) {
			continue
		}
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
// use; nil if nothing is left that means something. It reports false for a file without such
// functions.
func (r *remover) without(f parsed) ([]byte, bool, error) {
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
		return nil, false, nil
	}
	if others == 0 && !e.leaveMeaning(f) {
		return nil, true, nil
	}
	e.imports(f, func(i *ast.ImportSpec) bool {
		isIn := func(set map[string]bool) bool {
			return slices.ContainsFunc(namesOf(i), func(name string) bool { return set[name] })
		}
		return !isBlank(i) && isIn(lost) && !isIn(left)
	})
	body, err := e.apply(f.Name, f.Body)
	return body, true, err
}

// leaveMeaning reports whether a file without declarations has more than a license and imports that
// nothing uses: documentation or markers of the package, directives, or imports for their effect.
func (e edits) leaveMeaning(f parsed) bool {
	if f.syntax.Doc != nil || slices.ContainsFunc(f.syntax.Imports, isBlank) {
		return true
	}
	return slices.ContainsFunc(f.syntax.Comments, func(c *ast.CommentGroup) bool {
		at := f.fset.Position(c.Pos()).Offset
		isCut := slices.ContainsFunc(e, func(cut edit) bool { return cut.start <= at && at < cut.end })
		isOfImport := slices.ContainsFunc(f.syntax.Decls, func(d ast.Decl) bool { return d.Pos() <= c.Pos() && c.Pos() < d.End() })
		return c.Pos() > f.syntax.Package && !isCut && !isOfImport
	})
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

// cut removes a node with its comment. Where the node begins a line, cut also removes the rest of
// its last line if that is a comment, and the blank line that follows.
func (e *edits) cut(f parsed, pos, end token.Pos, doc *ast.CommentGroup) {
	if doc != nil {
		pos = doc.Pos()
	}
	from, to := f.fset.Position(pos).Offset, f.fset.Position(end).Offset
	if rest := strings.TrimLeft(string(f.Body[to:]), " \t"); strings.HasPrefix(rest, ";") {
		to = len(f.Body) - len(rest) + 1
	}
	line := strings.LastIndex(string(f.Body[:from]), "\n") + 1
	if strings.TrimSpace(string(f.Body[line:from])) != "" {
		e.replace(from, to, "")
		return
	}
	e.replace(line, to+restOf(string(f.Body[to:])), "")
}

// restOf returns the length of what is removed behind a node, with the text behind it.
func restOf(text string) int {
	n := 0
	for i := range 2 {
		line, _, hasMore := strings.Cut(text[n:], "\n")
		line = strings.TrimSpace(line)
		isComment := i == 0 && strings.HasPrefix(line, "//") // one of a later line is about what follows
		if !hasMore || line != "" && !isComment {
			break
		}
		n += strings.Index(text[n:], "\n") + 1
	}
	return n
}
