package gofile

import "github.com/stratakube/strata/generator/internal/plan"

// Layout determines the import paths of generated packages. Module is the import path of the
// output folder, Runtime that of the runtime that generated code imports.
type Layout struct{ Module, Runtime string }

// DefaultRuntime is the import path of the runtime if the configuration sets none.
const DefaultRuntime = "github.com/stratakube/strata/runtime"

// API returns the import path of a package's API types.
func (l Layout) API(p *plan.Package) string {
	if p.IsOwn() {
		return p.Own.Path
	}
	return l.Module + "/" + p.Folder()
}

// Storage returns the import path of a package's storage types.
func (l Layout) Storage(p *plan.Package) string { return l.Module + "/" + p.StorageFolder() }

// Go is a file of one package, with methods that qualify identifiers.
type Go struct {
	*File
	Layout
	pkg   *plan.Package
	known map[goPackage]string // the qualifiers of packages in use
}

// goPackage is one of the packages of a version.
type goPackage struct {
	of     *plan.Package
	folder folder
}

// folder distinguishes the packages of a version.
type folder uint8

const (
	apiFolder folder = iota
	storageFolder
	compatFolder
)

// qualify returns an identifier of a package with its qualifier.
func (g *Go) qualify(at goPackage, ident string) string {
	before, ok := g.known[at]
	if !ok {
		if g.known == nil {
			g.known = map[goPackage]string{}
		}
		before = g.use(at)
		g.known[at] = before
	}
	return before + ident
}

// use imports a package, and returns its qualifier.
func (g *Go) use(at goPackage) string {
	switch label := at.of.Label; {
	case at.folder == apiFolder:
		return g.Use(g.Layout.API(at.of), label, "")
	case at.folder == compatFolder:
		return g.Use(g.Layout.Compat(at.of), label+"compat", "")
	case at.of == g.pkg:
		return g.Use(g.Layout.Storage(at.of), "storage", "")
	default:
		return g.Use(g.Layout.Storage(at.of), at.of.StorageVersion(), "")
	}
}

// Types begins a file in the package of API types.
func (l Layout) Types(p *plan.Package) *Go {
	name := p.Label
	if p.IsOwn() {
		name = p.Own.Name
	}
	return &Go{File: New(l.API(p), name), Layout: l, pkg: p}
}

// StorageTypes begins a file in the package of storage types.
func (l Layout) StorageTypes(p *plan.Package) *Go {
	return &Go{File: New(l.Storage(p), "storage"), Layout: l, pkg: p}
}

// Compat returns the import path of a package's compat types.
func (l Layout) Compat(p *plan.Package) string { return l.Module + "/" + p.CompatFolder() }

// CompatTypes begins a file in the package of compat types.
func (l Layout) CompatTypes(p *plan.Package) *Go {
	return &Go{File: New(l.Compat(p), "compat"), Layout: l}
}

// Tests begins a file of a group's conversion tests.
func (l Layout) Tests(g *plan.Group) *Go {
	return &Go{File: New(l.Module+"/"+g.Chain.Folder+"/conversiontest", "conversiontest"), Layout: l}
}

// API qualifies an identifier of a package's API types.
func (g *Go) API(p *plan.Package, ident string) string {
	return g.qualify(goPackage{p, apiFolder}, ident)
}

// Storage qualifies an identifier of a package's storage types. In the package of the
// corresponding API types, their package is called storage.
func (g *Go) Storage(p *plan.Package, ident string) string {
	return g.qualify(goPackage{p, storageFolder}, ident)
}

// Stored qualifies a struct's storage type, or the compat type if the struct is a clone.
func (g *Go) Stored(s *plan.Struct) string {
	if s.Compat {
		return g.qualify(goPackage{s.Package, compatFolder}, s.Name)
	}
	return g.Storage(s.Package, s.Name)
}

// Group qualifies an identifier of the package that registers a group.
func (g *Go) Group(of *plan.Group, ident string) string {
	return g.Use(g.Layout.Module+"/"+of.Chain.Folder, PackageName(of.Chain.Folder), ident)
}

// Runtime qualifies an identifier of the runtime that users may call too.
func (g *Go) Runtime(ident string) string { return g.Use(g.Layout.Runtime, "runtime", ident) }

// Genruntime qualifies an identifier of the runtime that only generated code calls.
func (g *Go) Genruntime(ident string) string {
	return g.Use(g.Layout.Runtime+"/genruntime", "genruntime", ident)
}

// Convert qualifies an identifier of the runtime's engine for JSON.
func (g *Go) Convert(ident string) string {
	return g.Use(g.Layout.Runtime+"/convert", "convert", ident)
}

// StrataConvert is Convert in packages of users, where the name convert may be in use.
func (g *Go) StrataConvert(ident string) string {
	return g.Use(g.Layout.Runtime+"/convert", "strataconvert", ident)
}

// Meta qualifies an identifier of apimachinery's meta/v1.
func (g *Go) Meta(ident string) string {
	return g.Use("k8s.io/apimachinery/pkg/apis/meta/v1", "metav1", ident)
}

// Schema qualifies an identifier of apimachinery's runtime/schema.
func (g *Go) Schema(ident string) string {
	return g.Use("k8s.io/apimachinery/pkg/runtime/schema", "schema", ident)
}

// Machinery qualifies an identifier of apimachinery's runtime.
func (g *Go) Machinery(ident string) string {
	return g.Use("k8s.io/apimachinery/pkg/runtime", "k8sruntime", ident)
}

// Conversion qualifies an identifier of controller-runtime's conversion.
func (g *Go) Conversion(ident string) string {
	return g.Use("sigs.k8s.io/controller-runtime/pkg/conversion", "conversion", ident)
}

var scalarNames = [...]string{"string", "int64", "float64", "bool"}

// Side selects one of a struct's two types.
type Side bool

// The sides.
const (
	APISide     Side = false
	StorageSide Side = true
)

// Elem returns the Go type of a field's innermost values: a scalar, an enum, a struct or free
// JSON.
func (g *Go) Elem(t plan.Type, side Side) string {
	switch {
	case t.Any:
		return g.Runtime("JSON")
	case t.Struct != nil && side == StorageSide:
		return g.Stored(t.Struct)
	case t.Struct != nil:
		return g.API(t.Struct.Package, t.Struct.Name)
	case t.Enum != nil && side == APISide:
		return g.API(t.Enum.Package, t.Enum.Name)
	case t.Integer != "" && side == APISide:
		return t.Integer
	}
	return scalarNames[t.Kind]
}

// Type returns the Go type of a field: a pointer, a list, a map, or free JSON.
func (g *Go) Type(t plan.Type, side Side) string {
	if t.Wrap == "" && !t.Any {
		return "*" + g.Elem(t, side)
	}
	return g.Wrapped(t, side)
}

// Wrapped returns the Go type of a field without the pointer of scalars and objects.
func (g *Go) Wrapped(t plan.Type, side Side) string {
	var wrap string
	for i := range len(t.Wrap) {
		if t.Wrap[i] == 'l' {
			wrap += "[]"
		} else {
			wrap += "map[string]"
		}
	}
	return wrap + g.Elem(t, side)
}

// Within returns the type of the elements of a list or map.
func Within(t plan.Type) plan.Type {
	t.Wrap = t.Wrap[1:]
	return t
}
