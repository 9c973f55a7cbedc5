package exports

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/tools/build/packages"
)

// Name is an exported name of a package.
type Name struct{ Package, Name string }

// String joins the import path and the name.
func (n Name) String() string { return n.Package + "." + n.Name }

// Unused lists the exported names of packages that have no user, sorted. Selected reports which
// packages count; all may use them. Pages are texts of documentation.
func Unused(all []packages.Package, selected func(packages.Package) bool, pages []string) ([]Name, error) {
	f := finder{declared: map[Name][]Name{}, used: map[Name]bool{}}
	for _, p := range all {
		if err := f.read(p, selected(p)); err != nil {
			return nil, err
		}
	}
	f.readPages(pages)
	for n := range maps.Clone(f.used) {
		f.follow(n)
	}
	var unused []Name
	for n := range f.declared {
		if !f.used[n] {
			unused = append(unused, n)
		}
	}
	slices.SortFunc(unused, func(a, b Name) int { return strings.Compare(a.String(), b.String()) })
	return unused, nil
}

type finder struct {
	declared map[Name][]Name // and the exported names that each declaration refers to
	used     map[Name]bool
}

// read reads the files of a package.
func (f *finder) read(p packages.Package, isSelected bool) error {
	for _, path := range p.Files() {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("read exported names: %w", err)
		}
		if ast.IsGenerated(file) {
			continue
		}
		r := reader{finder: f, path: p.ImportPath, imports: importsOf(file)}
		if isTest := strings.HasSuffix(path, "_test.go"); isSelected && !isTest {
			r.declarations(file)
		}
		r.isExample = strings.Contains(filepath.Base(path), "example")
		for _, n := range r.references(file) {
			if n.Package != p.ImportPath || r.isExample {
				f.used[n] = true
			}
		}
	}
	return nil
}

// readPages counts names that pages write with the last element of the import path before them.
func (f *finder) readPages(pages []string) {
	for n := range f.declared {
		text := n.Package[strings.LastIndex(n.Package, "/")+1:] + "." + n.Name
		if slices.ContainsFunc(pages, func(page string) bool { return hasWord(page, text) }) {
			f.used[n] = true
		}
	}
}

func hasWord(page, text string) bool {
	for rest := page; ; {
		_, after, found := strings.Cut(rest, text)
		if !found {
			return false
		}
		if after == "" || !token.IsIdentifier("_"+after[:1]) {
			return true
		}
		rest = after
	}
}

// follow counts the names that the declaration of a used name refers to.
func (f *finder) follow(n Name) {
	for _, next := range f.declared[n] {
		if !f.used[next] {
			f.used[next] = true
			f.follow(next)
		}
	}
}

// reader reads one file.
type reader struct {
	*finder
	path      string
	imports   map[string]string // paths by names
	isExample bool
}

// importsOf returns the import paths of a file by the names that they have in it.
func importsOf(file *ast.File) map[string]string {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = path
	}
	return imports
}

// declarations records the exported names of a file.
func (r *reader) declarations(file *ast.File) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			r.function(d)
		case *ast.GenDecl:
			r.group(d)
		}
	}
}

// function records a function, or the names that a method of an exported type refers to.
func (r *reader) function(d *ast.FuncDecl) {
	name := d.Name.Name
	if d.Recv != nil {
		name = receiver(d.Recv.List[0].Type)
	}
	if d.Name.IsExported() && ast.IsExported(name) {
		r.declare(name, d.Type)
	}
}

// group records types, variables and constants. A constant belongs to its type: it has a user if
// the type has one.
func (r *reader) group(d *ast.GenDecl) {
	var typ ast.Expr // of constants, which a line without a value repeats
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				r.declare(s.Name.Name, s.Type)
			}
		case *ast.ValueSpec:
			if s.Type != nil || len(s.Values) > 0 {
				typ = s.Type
			}
			for _, name := range s.Names {
				if name.IsExported() {
					r.value(d.Tok, name.Name, typ)
				}
			}
		}
	}
}

func (r *reader) value(tok token.Token, name string, typ ast.Expr) {
	if typ == nil {
		r.declare(name, nil)
		return
	}
	r.declare(name, typ)
	if id, ok := typ.(*ast.Ident); ok && tok == token.CONST && id.IsExported() {
		of := Name{r.path, id.Name}
		r.declared[of] = append(r.declared[of], Name{r.path, name})
	}
}

func (r *reader) declare(name string, typ ast.Expr) {
	n := Name{r.path, name}
	refers := r.declared[n]
	if typ != nil {
		refers = append(refers, r.references(typ)...)
	}
	r.declared[n] = refers
}

// references lists the exported names that a syntax tree refers to.
func (r *reader) references(node ast.Node) []Name {
	var found []Name
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && r.imports[x.Name] != "" {
				found = append(found, Name{r.imports[x.Name], n.Sel.Name})
				return false
			}
		case *ast.Ident:
			if n.IsExported() {
				found = append(found, Name{r.path, n.Name})
			}
		}
		return true
	})
	return found
}

// receiver returns the name of the type of a receiver.
func receiver(t ast.Expr) string {
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
