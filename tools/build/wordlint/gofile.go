package wordlint

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// inGo lints a file of Go code. Generated code has one rule only.
func inGo(name string, text []byte) ([]Finding, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("lint words: %w", err)
	}
	if ast.IsGenerated(file) {
		return tooLong(Generated, name, string(text), 1, mostGenerated), nil
	}
	g := goFile{files: files, name: name, lines: strings.Split(string(text), "\n")}
	for _, group := range file.Comments {
		g.comment(group)
	}
	if !strings.HasSuffix(name, "_test.go") {
		g.strings(file)
		for _, declaration := range file.Decls {
			g.declaration(declaration)
		}
	}
	slices.SortStableFunc(g.found, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
	return g.found, nil
}

type goFile struct {
	files *token.FileSet
	name  string
	lines []string
	found []Finding
}

func (g *goFile) add(rule Rule, at token.Pos, text string) {
	g.found = append(g.found, Finding{rule, g.name, g.files.Position(at).Line, text})
}

// output matches the comment of an example that has what the example prints.
var output = regexp.MustCompile(`(?i)^(unordered )?output:`)

func (g *goFile) comment(group *ast.CommentGroup) {
	for _, text := range unwanted(group.Text()) {
		g.add(Words, group.Pos(), text)
	}
	if output.MatchString(group.Text()) {
		return
	}
	first, last := g.files.Position(group.Pos()).Line, g.files.Position(group.End()).Line
	for line := first; line <= last; line++ {
		if whole := g.lines[line-1]; isOwnLine(whole) || line > first && strings.HasPrefix(group.List[0].Text, "/*") {
			g.found = append(g.found, tooLong(Columns, g.name, whole, line, mostColumns)...)
		}
	}
}

// isOwnLine reports whether a line is a comment alone, and neither a directive nor a marker.
func isOwnLine(line string) bool {
	line = strings.TrimSpace(line)
	return !strings.HasPrefix(line, "// +") && (strings.HasPrefix(line, "// ") || strings.HasPrefix(line, "/*"))
}

// keyLiteral matches a literal that is a key or the name of a flag, which does not change.
var keyLiteral = regexp.MustCompile(`^"[a-z]+(-[a-z]+)*"$`)

// strings looks at what the program may print.
func (g *goFile) strings(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if n.Kind == token.STRING && !keyLiteral.MatchString(n.Value) {
				for _, text := range unwanted(n.Value) {
					g.add(Words, n.Pos(), text)
				}
			}
		}
		return true
	})
}

func (g *goFile) declaration(declaration ast.Decl) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type)) {
			g.named(d.Doc, d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				g.named(of(s.Doc, d), s.Name)
			case *ast.ValueSpec:
				g.named(of(s.Doc, d), s.Names...)
			}
		}
	}
}

// of is the comment of a specification. That of its declaration counts where it has no other.
func of(doc *ast.CommentGroup, d *ast.GenDecl) *ast.CommentGroup {
	if doc == nil && !d.Lparen.IsValid() {
		return d.Doc
	}
	return doc
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// named requires the comment to begin with one of the names, if one is exported. "A" and "An" may
// stand before it.
func (g *goFile) named(doc *ast.CommentGroup, names ...*ast.Ident) {
	if doc == nil || !names[0].IsExported() {
		return
	}
	if isMarkers(doc.Text()) {
		return
	}
	text := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(doc.Text(), "An "), "A "), "Deprecated: ")
	for _, name := range names {
		if rest, ok := strings.CutPrefix(text, name.Name); ok && !isLetter(rest) {
			return
		}
	}
	g.add(Names, doc.Pos(), "the comment of "+names[0].Name+" does not begin with the name")
}

// isMarkers reports whether each line of a comment is a marker of the generator or of controller-gen.
func isMarkers(comment string) bool {
	for line := range strings.Lines(comment) {
		if !strings.HasPrefix(line, "+") {
			return false
		}
	}
	return true
}

func isLetter(rest string) bool {
	return rest != "" && (rest[0] == '_' || token.IsIdentifier(rest[:1]))
}
