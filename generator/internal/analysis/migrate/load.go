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

	"github.com/stratakube/strata/generator/internal/goedit"
)

// Conversion describes a root's ConvertTo and ConvertFrom.
type Conversion struct {
	// Package and Kind are the import path and the name of the root's type. Hub is the package of
	// the type that it converts to.
	Package, Kind, Hub string
	// Stub reports that both methods copy only metadata, as kubebuilder's scaffolding writes them.
	Stub bool
	// Methods are the positions of both methods.
	Methods []token.Position
	// Flows are the properties that the methods set, in both directions, in order of position.
	Flows []Flow
}

// Flow is one property that a conversion sets.
type Flow struct {
	// Up reports that ConvertTo sets a property of the hub.
	Up bool
	// To is the property's JSON path. From are those of the properties that it is derived from.
	To   string
	From []string
	// Exact reports that the value is copied, Constant that it does not depend on the source, and
	// Kept that it was stored in an annotation.
	Exact, Constant, Kept bool
	Pos                   token.Position
}

// Code is the hand-written code of some packages.
type Code struct {
	// Conversions are those of roots, in the order of packages and kinds.
	Conversions []Conversion
	// Hubs are the packages and kinds that are hubs, in the form path.Kind.
	Hubs []string
	// Annotations are the keys under which objects store what a version cannot represent.
	Annotations []string
}

// Read reads the conversions of all packages in a folder that match patterns.
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

// listed returns the packages that match patterns, and those together with the main module's
// packages that they import. Read needs the function bodies of these. Of packages of other modules
// it needs only the types, which the go command provides from compiling them.
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

// function is a declared function with the type information of its package.
type function struct {
	decl *ast.FuncDecl
	info *types.Info
}

// index records the functions of a package of the main module, including generated conversions.
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
		c := Conversion{Package: p.PkgPath, Kind: name, Stub: goedit.IsStub(to.decl) && goedit.IsStub(from.decl)}
		for _, direction := range []struct {
			f  *function
			up bool
		}{{to, true}, {from, false}} {
			w := &walker{reader: r, up: direction.up}
			w.method(*direction.f)
			c.Methods = append(c.Methods, r.fset.Position(direction.f.decl.Name.Pos()))
			c.Flows = append(c.Flows, w.flows...)
			if w.hub != "" {
				c.Hub = w.hub
			}
		}
		out.Conversions = append(out.Conversions, c)
	}
}

// method returns a hand-written method; nil for none.
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
