package mutation

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// Name identifies a mutant among those of a package. It does not change when lines are added
// elsewhere.
type Name struct {
	File     string
	Function string // that it is in, with its receiver; empty elsewhere
	Source   string // the line, without the space around it
	Change   string // as in "< becomes <="
	Nth      int    // of the mutants that agree in all else, from 1
}

// Mutant is a package with one operator changed.
type Mutant struct {
	Name
	Line    int
	path    string // of the file
	offset  int    // of the operator in the file
	was, is string // the operator
}

// source is a file of a package.
type source struct {
	path string
	text []byte
	set  *token.FileSet
	tree *ast.File
}

func readSource(path string) (source, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return source{}, fmt.Errorf("read mutants: %w", err)
	}
	s := source{path: path, text: text, set: token.NewFileSet()}
	if s.tree, err = parser.ParseFile(s.set, path, text, parser.SkipObjectResolution); err != nil {
		return source{}, fmt.Errorf("read mutants: %w", err)
	}
	return s, nil
}

// mutant is what gremlins has found, with the text that changes. It is left out where the change
// makes no sense.
func (s source) mutant(f found) (m Mutant, makesSense bool, err error) {
	file := s.set.File(s.tree.FileStart)
	at := file.LineStart(f.Line) + token.Pos(f.Column-1)
	if s.isAddress(at) {
		return m, false, nil
	}
	m = Mutant{Line: f.Line, path: s.path, offset: file.Offset(at)}
	for was, is := range changes[f.Type] {
		if bytes.HasPrefix(s.text[m.offset:], []byte(was)) && len(was) > len(m.was) {
			m.was, m.is = was, is
		}
	}
	if m.was == "" {
		return m, false, fmt.Errorf("%s:%d:%d: no operator that %s changes", s.path, f.Line, f.Column, f.Type)
	}
	line, _, _ := bytes.Cut(s.text[file.Offset(file.LineStart(f.Line)):], []byte("\n"))
	m.Name = Name{
		File: filepath.Base(s.path), Function: s.function(at), Source: strings.TrimSpace(string(line)), Change: m.was + " becomes " + m.is,
	}
	return m, true, nil
}

// isAddress reports whether a place is the operator that takes an address. Gremlins takes it for
// that of bits.
func (s source) isAddress(at token.Pos) bool {
	isAddress := false
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if e, ok := n.(*ast.UnaryExpr); ok && e.OpPos == at && e.Op == token.AND {
			isAddress = true
		}
		return n != nil && n.Pos() <= at && at < n.End()
	})
	return isAddress
}

// function names the function around a place.
func (s source) function(at token.Pos) string {
	for _, d := range s.tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || at < f.Pos() || at >= f.End() {
			continue
		}
		if f.Recv == nil || len(f.Recv.List) == 0 {
			return f.Name.Name
		}
		receiver := f.Recv.List[0].Type
		if star, ok := receiver.(*ast.StarExpr); ok {
			receiver = star.X
		}
		if generic, ok := receiver.(*ast.IndexExpr); ok {
			receiver = generic.X
		}
		if name, ok := receiver.(*ast.Ident); ok {
			return name.Name + "." + f.Name.Name
		}
		return f.Name.Name
	}
	return ""
}

// text is the file with the change.
func (m Mutant) text() ([]byte, error) {
	text, err := os.ReadFile(m.path)
	if err != nil {
		return nil, fmt.Errorf("mutate %s: %w", m.path, err)
	}
	after := m.offset + len(m.was)
	if after > len(text) || string(text[m.offset:after]) != m.was {
		return nil, fmt.Errorf("mutate %s: the file has changed meanwhile", m.path)
	}
	return []byte(string(text[:m.offset]) + m.is + string(text[after:])), nil
}
