package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"sort"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/markers"
)

// declComments are the comments of one declaration: its documentation, and its markers.
type declComments struct {
	doc        string
	markerUses markerUses
}

// commentReader reads the comments of one file. A declaration has its doc comment and the block of
// comments just above it. Markers that stand free between declarations, or describe packages only,
// belong to the package.
type commentReader struct {
	*reader
	file    *ast.File
	claimed map[*ast.CommentGroup]bool // doc comments
	byIdent map[token.Pos]declComments
	pkg     markerUses
}

func (r *reader) commentsOf(file *ast.File) *commentReader {
	c := &commentReader{reader: r, file: file, claimed: map[*ast.CommentGroup]bool{}, byIdent: map[token.Pos]declComments{}}
	end := file.Name.End()
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			c.decl(g, end)
		}
		end = d.End()
	}
	for _, g := range c.free() {
		c.pkg = append(c.pkg, c.parse(g, markers.DescribesPackage)...)
	}
	return c
}

// free returns the comments that belong to no declaration: they are not doc comments, and outside
// of declarations.
func (c *commentReader) free() []*ast.CommentGroup {
	var out []*ast.CommentGroup
	rest := c.file.Decls
	for _, g := range c.file.Comments {
		for len(rest) > 0 && rest[0].End() < g.Pos() {
			rest = rest[1:]
		}
		if within := len(rest) > 0 && rest[0].Pos() <= g.Pos(); !within && !c.claimed[g] {
			out = append(out, g)
		}
	}
	return out
}

func (c *commentReader) decl(g *ast.GenDecl, end token.Pos) {
	for i, s := range g.Specs {
		doc, from := g.Doc, end
		if g.Lparen.IsValid() {
			doc = nil
			if from = g.Lparen; i > 0 {
				from = g.Specs[i-1].End()
			}
		}
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Doc != nil {
				doc = s.Doc
			}
			c.record(s.Name.Pos(), doc, from, specStart(g, s), markers.DescribesType)
			c.fields(s.Type)
		case *ast.ValueSpec:
			if s.Doc != nil {
				doc = s.Doc
			}
			for _, name := range s.Names {
				c.record(name.Pos(), doc, from, specStart(g, s), markers.DescribesField)
			}
		}
	}
}

// specStart returns where a specification starts, including the keyword of its declaration if it is
// the only one.
func specStart(g *ast.GenDecl, s ast.Spec) token.Pos {
	if g.Lparen.IsValid() {
		return s.Pos()
	}
	return g.TokPos
}

// fields reads the comments of the fields of all structs within a type.
func (c *commentReader) fields(t ast.Expr) {
	ast.Inspect(t, func(n ast.Node) bool {
		s, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		from := s.Fields.Opening
		for _, f := range s.Fields.List {
			for _, ident := range fieldIdents(f) {
				c.record(ident, f.Doc, from, f.Type.Pos(), markers.DescribesField)
			}
			from = f.End()
		}
		return true
	})
}

// fieldIdents returns the positions of a field's names, as the type checker knows them.
func fieldIdents(f *ast.Field) []token.Pos {
	var out []token.Pos
	for _, n := range f.Names {
		out = append(out, n.Pos())
	}
	if out == nil {
		out = append(out, embeddedIdent(f.Type))
	}
	return out
}

func embeddedIdent(t ast.Expr) token.Pos {
	switch t := t.(type) {
	case *ast.StarExpr:
		return embeddedIdent(t.X)
	case *ast.SelectorExpr:
		return t.Sel.Pos()
	case *ast.IndexExpr:
		return embeddedIdent(t.X)
	}
	return t.Pos()
}

// record records the comments of a declaration: its doc comment, and the last block between the
// previous declaration and this one.
func (c *commentReader) record(ident token.Pos, doc *ast.CommentGroup, from, to token.Pos, target markers.TargetType) {
	var out declComments
	if above := c.above(doc, from, to); above != nil {
		out.markerUses = c.parse(above, target)
	}
	if doc != nil {
		out.doc = text(doc)
		out.markerUses = append(out.markerUses, c.parse(doc, target)...)
		c.claimed[doc] = true
	}
	c.byIdent[ident] = out
}

// above returns the last block of comments between two positions, except for the doc comment. A
// comment on the line of the first position does not count.
func (c *commentReader) above(doc *ast.CommentGroup, from, to token.Pos) *ast.CommentGroup {
	all := c.file.Comments
	last := sort.Search(len(all), func(i int) bool { return all[i].End() >= to })
	for _, g := range slices.Backward(all[:last]) {
		switch {
		case g.Pos() <= from:
			return nil
		case g == doc || c.claimed[g]:
		case c.fset.Position(g.Pos()).Line > c.fset.Position(from).Line:
			return g
		default:
			return nil
		}
	}
	return nil
}

// parse reads the markers of a block of comments. Markers that describe packages only are recorded
// for the package.
func (c *commentReader) parse(g *ast.CommentGroup, target markers.TargetType) markerUses {
	var out markerUses
	for _, line := range g.List {
		body, ok := strings.CutPrefix(line.Text, "//")
		marker := strings.TrimSpace(body)
		if !ok || !strings.HasPrefix(marker, "+") {
			continue
		}
		pos := line.Pos() + token.Pos(strings.Index(line.Text, "+"))
		if target != markers.DescribesPackage && c.registry.Lookup(marker, target) == nil && c.registry.Lookup(marker, markers.DescribesPackage) != nil {
			c.pkg = append(c.pkg, c.marker(marker, pos, markers.DescribesPackage)...)
			continue
		}
		out = append(out, c.marker(marker, pos, target)...)
	}
	return out
}

// marker reads one marker. It returns nothing for an unknown one.
func (c *commentReader) marker(text string, pos token.Pos, target markers.TargetType) markerUses {
	def := c.registry.Lookup(text, target)
	if def == nil {
		c.unknown(text, pos)
		return nil
	}
	value, err := parsed(def, text)
	if err == nil {
		return markerUses{{def.Name, value, text, pos}}
	}
	if c.isOwn(c.file) || strings.HasPrefix(def.Name, ours) {
		for _, fault := range faults(err) {
			c.errorf(pos, hintFor(def.Name), "+%s: %s", def.Name, fault)
		}
	}
	return nil
}

// parsed reads a marker. A panic of the library becomes an error.
func parsed(def *markers.Definition, text string) (value any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("not understood: %v", r)
		}
	}()
	return def.Parse(text)
}

// text returns a doc comment without its markers.
func text(g *ast.CommentGroup) string {
	var plain ast.CommentGroup
	for _, line := range g.List {
		if !strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(line.Text, "//")), "+") {
			plain.List = append(plain.List, line)
		}
	}
	var out []string
	for line := range strings.SplitSeq(plain.Text(), "\n") {
		if strings.HasPrefix(line, "---") {
			break
		}
		if !strings.HasPrefix(line, "TODO") {
			out = append(out, line)
		}
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}
