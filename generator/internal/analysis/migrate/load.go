package migrate

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Conversion is what a root's ConvertTo and ConvertFrom do.
type Conversion struct {
	// Package and Kind are the import path and the name of the root's type, Hub that of
	// the package of the type that it converts to.
	Package, Kind, Hub string
	// Methods are the places of both methods.
	Methods []token.Position
	// Flows are what becomes of which property, in both directions, in order of place.
	Flows []Flow
}

// Flow is one property that a conversion sets.
type Flow struct {
	// Up tells that the hub's property is set, by ConvertTo.
	Up bool
	// To is the property's JSON path, and From are those that it is made of.
	To   string
	From []string
	// Exact tells that the value is handed over as it is, Constant that it is none of the
	// source's, and Kept that it was kept in an annotation.
	Exact, Constant, Kept bool
	Pos                   token.Position
}

// Code is the hand-written code of some packages.
type Code struct {
	// Conversions are those of roots, in the order of packages and kinds.
	Conversions []Conversion
	// Hubs are the packages and kinds that are hubs, as path.Kind.
	Hubs []string
	// Annotations are the keys under which objects keep what a version does not have.
	Annotations []string
}

// Read reads the conversions of all packages that match patterns, from a folder.
func Read(ctx context.Context, dir string, patterns []string) (*Code, error) {
	fset := token.NewFileSet()
	roots, own, err := listed(ctx, dir, patterns)
	if err != nil {
		return nil, fmt.Errorf("list Go packages: %w", err)
	}
	if len(own) == 0 {
		return &Code{}, nil
	}
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, Fset: fset,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedTypes |
			packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
	}, own...)
	if err != nil {
		return nil, fmt.Errorf("load Go packages: %w", err)
	}
	r := &reader{fset: fset, functions: map[*types.Func]function{}, keys: map[string]bool{}, fields: map[*types.Struct]map[string]string{}}
	for _, p := range loaded {
		r.index(p)
	}
	out := &Code{}
	for _, p := range loaded {
		if roots[p.PkgPath] {
			r.roots(out, p)
		}
	}
	for key := range r.keys {
		out.Annotations = append(out.Annotations, key)
	}
	slices.Sort(out.Annotations)
	return out, nil
}

// listed lists the packages that match patterns, and those with all of the main module that they import: the bodies of their
// functions are read. Of packages of other modules only the types are needed, which the go command has from compiling them.
func listed(ctx context.Context, dir string, patterns []string) (roots map[string]bool, own []string, err error) {
	all, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
	}, patterns...)
	roots = map[string]bool{}
	for _, p := range all {
		roots[p.PkgPath] = true
	}
	packages.Visit(all, nil, func(p *packages.Package) {
		if roots[p.PkgPath] || p.Module != nil && p.Module.Main {
			own = append(own, p.PkgPath)
		}
	})
	slices.Sort(own)
	return roots, own, err
}

// reader knows all functions of the module.
type reader struct {
	fset      *token.FileSet
	functions map[*types.Func]function
	keys      map[string]bool
	fields    map[*types.Struct]map[string]string // the JSON names of fields
}

// function is a declared function with what its identifiers mean.
type function struct {
	decl *ast.FuncDecl
	info *types.Info
}

// index notes the functions of a package of the main module, generated conversions too.
func (r *reader) index(p *packages.Package) {
	if p.Module == nil || !p.Module.Main {
		return
	}
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			if object, ok := p.TypesInfo.Defs[decl.Name].(*types.Func); ok {
				r.functions[object] = function{decl, p.TypesInfo}
			}
		}
	}
}

// roots reads the conversions of a package's types.
func (r *reader) roots(out *Code, p *packages.Package) {
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		t, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() {
			continue
		}
		n, ok := t.Type().(*types.Named)
		if !ok {
			continue
		}
		to, from := r.method(n, "ConvertTo"), r.method(n, "ConvertFrom")
		if r.method(n, "Hub") != nil {
			out.Hubs = append(out.Hubs, p.PkgPath+"."+name)
		}
		if to == nil || from == nil || len(to.decl.Type.Params.List) != 1 {
			continue
		}
		c := Conversion{Package: p.PkgPath, Kind: name}
		for _, way := range []struct {
			f  *function
			up bool
		}{{to, true}, {from, false}} {
			w := &walker{reader: r, up: way.up}
			w.method(*way.f)
			c.Methods = append(c.Methods, r.fset.Position(way.f.decl.Name.Pos()))
			c.Flows = append(c.Flows, w.flows...)
			if w.hub != "" {
				c.Hub = w.hub
			}
		}
		out.Conversions = append(out.Conversions, c)
	}
}

// method is a method that people wrote, nil for none.
func (r *reader) method(n *types.Named, name string) *function {
	for i := range n.NumMethods() {
		if m := n.Method(i); m.Name() == name {
			if f, ok := r.functions[m]; ok && !strings.HasSuffix(r.fset.Position(m.Pos()).Filename, "zz_generated.strata.go") {
				return &f
			}
		}
	}
	return nil
}
