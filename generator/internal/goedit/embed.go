package goedit

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Embed returns a file whose structs of these names embed a type of a package, inlined in JSON.
// Alias is the name by which the file imports the package, if it does not yet.
func Embed(file string, src []byte, structs []string, importPath, alias, typeName string) ([]byte, error) {
	f, fset, err := parse(file, src)
	if err != nil {
		return nil, err
	}
	var e edits
	name := importedAs(f, importPath)
	if name == "" {
		name = freeName(f, alias)
		e.addImport(f, fset, name, importPath)
	}
	for _, d := range f.Decls {
		for _, t := range typesOf(d) {
			if s, ok := t.Type.(*ast.StructType); ok && slices.Contains(structs, t.Name.Name) {
				e.embed(fset, s, src, name+"."+typeName+" `json:\",inline\"`")
			}
		}
	}
	return e.apply(file, src)
}

// embed inserts a field at the beginning of a struct.
func (e *edits) embed(fset *token.FileSet, s *ast.StructType, src []byte, field string) {
	open, end := fset.Position(s.Fields.Opening).Offset+1, fset.Position(s.Fields.Closing).Offset
	switch inside := string(src[open:end]); {
	case strings.TrimSpace(inside) == "":
		e.replace(open, end, "\n\t"+field+"\n")
	case strings.Contains(inside, "\n"):
		e.replace(open, open, "\n\t"+field+"\n")
	default:
		e.replace(open, open, " "+field+";")
	}
}

func typesOf(d ast.Decl) []*ast.TypeSpec {
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return nil
	}
	var out []*ast.TypeSpec
	for _, s := range g.Specs {
		if t, ok := s.(*ast.TypeSpec); ok {
			out = append(out, t)
		}
	}
	return out
}

func parse(file string, src []byte) (*ast.File, *token.FileSet, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, fmt.Errorf("read Go: %w", err)
	}
	return f, fset, nil
}

// importedAs returns the name by which a file imports a package; empty if it does not.
func importedAs(f *ast.File, importPath string) string {
	for _, i := range f.Imports {
		if p, err := strconv.Unquote(i.Path.Value); err == nil && p == importPath && !isBlank(i) {
			return nameOf(i)
		}
	}
	return ""
}

func isBlank(i *ast.ImportSpec) bool {
	return i.Name != nil && (i.Name.Name == "_" || i.Name.Name == ".")
}

// namesOf returns the names that an import may have: its alias, or what packages of such a path are
// called.
func namesOf(i *ast.ImportSpec) []string {
	if i.Name != nil {
		return []string{i.Name.Name}
	}
	p, _ := strconv.Unquote(i.Path.Value)
	base := path.Base(p)
	withoutVersion, _, _ := strings.Cut(base, ".v")
	return []string{nameOf(i), base, withoutVersion, strings.TrimPrefix(base, "go-"), strings.TrimSuffix(base, "-go"), strings.TrimSuffix(base, ".go")}
}

// nameOf returns the name of an import. Without an alias it is the last element of the path, which
// nearly all packages are called.
func nameOf(i *ast.ImportSpec) string {
	if i.Name != nil {
		return i.Name.Name
	}
	p, _ := strconv.Unquote(i.Path.Value)
	base := path.Base(p)
	if parent := path.Base(path.Dir(p)); isMajor(base) && parent != "." && !strings.Contains(parent, ".") {
		return parent
	}
	return base
}

// isMajor reports whether an element of a path may be that of a major version, from v2.
func isMajor(element string) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(element, "v"))
	return err == nil && strings.HasPrefix(element, "v") && n > 1
}

// freeName returns an alias that no identifier of the file has.
func freeName(f *ast.File, alias string) string {
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	for name := alias; ; name += "x" {
		if !used[name] {
			return name
		}
	}
}
