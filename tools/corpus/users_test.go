package corpus_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/modules"
)

// TestGeneratedTreesHaveUsers requires that a program can reach all generated code of the
// repository, without corpora.
func TestGeneratedTreesHaveUsers(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"operator/api", "webhook/internal/example", "tools/e2e/teams/api"} {
		t.Run(folder, func(t *testing.T) {
			checkUsers(t, filepath.Join(w.Root, filepath.FromSlash(folder)), "github.com/stratakube/strata/"+folder)
		})
	}
}

// checkUsers requires that a program can reach all generated code in a folder, whose packages are
// below an import path. Code that only tests call must be generated beside the tests. Programs
// begin with the exported names of API packages, with their init functions, and with those that
// register packages. From there checkUsers follows names. A type includes its methods.
func checkUsers(t *testing.T, dir, importPath string) {
	u := users{root: importPath, declared: map[string][]ast.Node{}, in: map[ast.Node]scope{}, reached: map[string]bool{}}
	for name := range tree(t, dir).Only(isProgram) {
		u.read(t, dir, name)
	}
	if len(u.declared) < 50 {
		t.Fatalf("only %d names are declared", len(u.declared))
	}
	for name := range u.declared {
		if isEntry(name) {
			u.reach(name)
		}
	}
	var idle []string
	for name := range u.declared {
		if !u.reached[name] {
			idle = append(idle, name)
		}
	}
	if slices.Sort(idle); len(idle) > 0 {
		t.Errorf("no program reaches %d names:\n%s", len(idle), some(idle[:min(len(idle), 20)]))
	}
}

func isProgram(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

// isEntry reports whether users of generated code call a name, which has its package's path before
// it. Of a storage package these are the registration, and the interfaces of hand-written methods.
func isEntry(name string) bool {
	pkg, name := path.Dir(name), path.Base(name)
	switch {
	case name == "_":
		return true
	case name == "init":
		return path.Base(pkg) != "storage" && path.Base(pkg) != "compat"
	case !ast.IsExported(name):
		return false
	case path.Base(pkg) != "storage" && path.Base(pkg) != "compat":
		return true
	}
	return strings.HasPrefix(name, "AssignableTo") || strings.HasPrefix(name, "AssignableFrom")
}

// users finds which names are reached. A name has the path of its package before it.
type users struct {
	root     string                // the import path of the folder
	declared map[string][]ast.Node // its declaration, and the methods of a type
	in       map[ast.Node]scope
	reached  map[string]bool
}

// scope is what names mean in a file.
type scope struct {
	pkg     string
	imports map[string]string
}

func (u users) read(t *testing.T, dir, name string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, filepath.FromSlash(name)), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	s := scope{path.Join(u.root, path.Dir(name)), map[string]string{}}
	for _, i := range file.Imports {
		target, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		as := path.Base(target)
		if i.Name != nil {
			as = i.Name.Name
		}
		s.imports[as] = target
	}
	for _, d := range file.Decls {
		u.declare(s, d)
	}
}

func (u users) declare(s scope, d ast.Decl) {
	add := func(name string, node ast.Node) {
		name = s.pkg + "/" + name
		u.declared[name] = append(u.declared[name], node)
		u.in[node] = s
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = receiver(d.Recv.List[0].Type)
		}
		add(name, d)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				add(spec.Name.Name, spec)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					add(name.Name, spec)
				}
			}
		}
	}
}

func receiver(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if name, ok := e.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// reach marks a name and all that its declarations name.
func (u users) reach(name string) {
	if u.reached[name] || u.declared[name] == nil {
		return
	}
	u.reached[name] = true
	for _, node := range u.declared[name] {
		u.follow(u.in[node], node)
	}
}

// follow marks the names in a node as reached, without names of fields and parameters.
func (u users) follow(s scope, node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			u.follow(s, n.Type)
			return false
		case *ast.KeyValueExpr:
			u.follow(s, n.Value)
			return false
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && s.imports[x.Name] != "" {
				u.reach(s.imports[x.Name] + "/" + n.Sel.Name)
			} else {
				u.follow(s, n.X)
			}
			return false
		case *ast.Ident:
			u.reach(s.pkg + "/" + n.Name)
		}
		return true
	})
}
