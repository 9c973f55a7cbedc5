package golang

import (
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/stratakube/strata/generator/internal/source"
)

// merged returns the author's packages that are merged with a package's versions: those in folders
// below it that have names of versions.
func (r *reader) merged(u *unit) ([]*loader.Package, error) {
	if len(u.pkg.GoFiles) == 0 || !u.declares() {
		return nil, nil
	}
	dir := filepath.Dir(u.pkg.GoFiles[0])
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var found []*loader.Package
	var paths []string
	for _, e := range entries {
		path := u.pkg.PkgPath + "/" + e.Name()
		switch known := r.packages[path]; {
		case !e.IsDir() || !isVersion(e.Name()):
		case known != nil:
			found = append(found, known)
		default:
			paths = append(paths, path)
		}
	}
	if paths != nil {
		config := r.configs[u.pkg]
		config.Dir = dir
		more, err := loader.LoadRootsWithConfig(&config, paths...)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return slices.DeleteFunc(found, func(p *loader.Package) bool { return len(p.GoFiles) == 0 || r.isGenerated(p) }), nil
}

// exports reads the packages to merge, which may contain only re-exports.
func (r *reader) exports(u *unit, merged []*loader.Package) []source.Export {
	var out []source.Export
	for _, p := range merged {
		r.need(p)
		r.complain(p)
		if name := filepath.Base(p.PkgPath); u.index(name) < 0 {
			r.errorf(p.Syntax[0].Name.Pos(), "write `// +strata:version:name="+name+"` above the package clause of "+u.pkg.Name+", or rename the folder",
				"version %s, which this package is to be merged with, is not declared", name)
			continue
		}
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				out = append(out, r.exported(u, p, d)...)
			}
		}
	}
	return out
}

const onlyReExports = "move it into a package of its own, and re-export it: `type Part = parts.Part`"

func (r *reader) exported(u *unit, p *loader.Package, d ast.Decl) []source.Export {
	g, ok := d.(*ast.GenDecl)
	if !ok {
		r.errorf(d.Pos(), onlyReExports, "a package that is merged with a version has re-exports only")
		return nil
	}
	var out []source.Export
	add := func(name *ast.Ident, value ast.Expr, docs ...*ast.CommentGroup) {
		e, found := r.export(p, value)
		if !found || !name.IsExported() {
			r.errorf(name.Pos(), onlyReExports, "%s is not a re-export", name.Name)
			return
		}
		e.Version, e.Keyword, e.Name = filepath.Base(p.PkgPath), g.Tok.String(), name.Name
		for _, doc := range docs {
			if e.Doc == "" {
				e.Doc = strings.TrimSpace(doc.Text())
			}
		}
		at := r.at(name.Pos())
		e.Pos.File, e.Pos.Offset = at.File, at.Offset
		for _, group := range u.groups() {
			e.Group = group
			out = append(out, e)
		}
	}
	for _, s := range g.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			value := s.Type
			if !s.Assign.IsValid() {
				value = nil // a type of its own
			}
			add(s.Name, value, s.Doc, g.Doc)
		case *ast.ValueSpec:
			for i, name := range s.Names {
				var value ast.Expr
				if s.Type == nil && i < len(s.Values) {
					value = s.Values[i]
				}
				add(name, value, s.Doc, g.Doc)
			}
		}
	}
	return out
}

// export returns what an expression names in another package.
func (r *reader) export(p *loader.Package, value ast.Expr) (source.Export, bool) {
	selector, ok := value.(*ast.SelectorExpr)
	if !ok {
		return source.Export{}, false
	}
	name, ok := selector.X.(*ast.Ident)
	if !ok {
		return source.Export{}, false
	}
	of, ok := p.TypesInfo.Uses[name].(*types.PkgName)
	if !ok {
		return source.Export{}, false
	}
	return source.Export{Package: of.Imported().Path(), PackageName: of.Imported().Name(), Ident: selector.Sel.Name}, true
}

// groups returns those of the package's resources, sorted.
func (u *unit) groups() []string {
	var out []string
	for _, s := range u.resources {
		out = append(out, s.group)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
