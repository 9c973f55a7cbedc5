package golang

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/stratakube/strata/generator/internal/model"
	versions "github.com/stratakube/strata/generator/internal/version"
)

// Options configure what to read.
type Options struct {
	// Dir is the folder of the configuration, where Packages are looked up.
	Dir string
	// Packages are patterns in the syntax of the go command.
	Packages []string
	// Tags are build tags of the packages, beside those of the operating system.
	Tags []string
	// Output is the import path of generated packages. Packages below it are not read, and may be
	// missing.
	Output string
	// Own uses the types of packages without version markers as the API types of their version.
	Own bool
	// Runtime is the import path of the runtime that generated code imports.
	Runtime string
	// TakesPart reports whether a version of a resource takes part in the run. Renames and changes
	// lead from such versions to the next such ones. A nil TakesPart lets all take part.
	TakesPart func(resource, version string) bool
}

// unit reads the declarations of a package.
func (r *reader) unit(p *loader.Package) *unit {
	u := &unit{
		pkg: p, markerUses: r.packageComments(p).pkg, byPosition: map[token.Pos]*history{}, owned: map[*types.TypeName][]*history{},
		constants: map[*types.Package]map[*types.TypeName][]*history{}, fields: map[*types.Struct]map[string]*types.Var{},
		reached: map[types.Type]bool{},
	}
	if groups, _ := all[groupMarker](u.markerUses); len(groups) > 0 {
		u.group = string(groups[0])
	}
	r.versions(u)
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && r.ctx.Err() == nil {
				r.declaration(u, g)
			}
		}
	}
	for _, declared := range u.resources {
		r.adopt(u, declared.spec)
		r.adopt(u, declared.status)
	}
	return u
}

// versions reads the versions of a package, in their order.
func (r *reader) versions(u *unit) {
	values, at := all[versionMarker](u.markerUses)
	for i, v := range values {
		u.versions = append(u.versions, &version{
			name: v.Name, doc: v.Doc, warning: v.DeprecationWarning, deprecated: v.Deprecated,
			unserved: v.Served != nil && !*v.Served, skip: r.skips(v.Skip, at[i], model.SkipHelpers), pos: at[i].at("name"),
		})
	}
	options, at := all[versionsMarker](u.markerUses)
	for i, o := range options {
		u.skip = append(u.skip, r.skips(o.Skip, at[i], model.SkipCRD, model.SkipHelpers, model.SkipTests)...)
	}
	u.unsorted = slices.ContainsFunc(options, func(o versionsMarker) bool { return o.AllowUnsorted })
	r.checkVersions(u)
	if name := path.Base(u.pkg.PkgPath); len(u.versions) == 0 && isVersion(name) {
		u.versions = []*version{{name: name}}
	}
}

// skips checks the outputs that a marker skips.
func (r *reader) skips(outputs []string, at markerUse, known ...string) []string {
	for _, o := range outputs {
		switch {
		case o == model.SkipCRD && !slices.Contains(known, o):
			r.errorf(at.at("skip"), "a version is not served with `served=false`; objects may be stored in it", "the CRD cannot be skipped for one version")
		case !slices.Contains(known, o):
			r.errorf(at.at("skip"), nearestOf(o, known), "%q is not an output that can be skipped here", o)
		}
	}
	return outputs
}

// isVersion reports whether a name is that of a Kubernetes version.
func isVersion(name string) bool {
	v, ok := versions.Parse(name)
	return ok && v.Style() == versions.Label && v.Label() == name
}

func (r *reader) declaration(u *unit, g *ast.GenDecl) {
	for _, s := range g.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			r.typeSpec(u, s)
		case *ast.ValueSpec:
			if g.Tok == token.CONST {
				r.constants(u, s)
			}
		}
	}
}

// typeSpec reads a declared type: the history of its fields, and the resource that it may be.
func (r *reader) typeSpec(u *unit, s *ast.TypeSpec) {
	object, ok := u.pkg.TypesInfo.Defs[s.Name].(*types.TypeName)
	if !ok {
		return
	}
	given := r.packageComments(u.pkg).byIdent
	if _, isStruct := s.Type.(*ast.StructType); isStruct && !s.Assign.IsValid() {
		r.resource(u, object, given[s.Name.Pos()])
	}
	if t, ok := object.Type().Underlying().(*types.Struct); ok && !s.Assign.IsValid() {
		r.fields(u, u.pkg, object, t)
	}
}

// fields reads the histories of the fields of a struct, and of structs declared within it.
func (r *reader) fields(u *unit, home *loader.Package, owner *types.TypeName, t *types.Struct) {
	given := r.packageComments(home).byIdent
	for i := range t.NumFields() {
		f := t.Field(i)
		h := &history{name: f.Name(), wire: jsonName(t.Tag(i)), of: f.Type(), owner: owner, home: home, pos: f.Pos()}
		r.history(u, h, given[f.Pos()].markerUses)
		u.remember(h)
		if inner, ok := inline(f.Type()); ok && inner != nil {
			r.fields(u, home, owner, inner)
		}
	}
}

// inline returns the struct that is declared within a type, also in pointers, lists and maps.
func inline(t types.Type) (*types.Struct, bool) {
	switch t := t.(type) {
	case *types.Struct:
		return t, true
	case *types.Pointer:
		return inline(t.Elem())
	case *types.Slice:
		return inline(t.Elem())
	case *types.Map:
		return inline(t.Elem())
	}
	return nil, false
}

func jsonName(tag string) string {
	name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	return name
}

// constants reads the histories of constants of a declared type.
func (r *reader) constants(u *unit, s *ast.ValueSpec) {
	for _, name := range s.Names {
		if c, ok := u.pkg.TypesInfo.Defs[name].(*types.Const); ok {
			r.constant(u, u.pkg, c)
		}
	}
}

// constant reads the history of a constant.
func (r *reader) constant(u *unit, home *loader.Package, c *types.Const) {
	h := &history{name: c.Name(), of: c.Type(), constant: true, home: home, pos: c.Pos()}
	if named, ok := c.Type().(*types.Named); ok {
		h.owner = named.Obj()
	}
	if c.Val().Kind() == constant.String {
		h.wire = constant.StringVal(c.Val())
	}
	r.history(u, h, r.packageComments(home).byIdent[c.Pos()].markerUses)
	u.remember(h)
}

// history reads the markers of a field, constant or resource, if there are any.
func (r *reader) history(u *unit, h *history, ms markerUses) {
	added, at := all[addedMarker](ms)
	for i, m := range added {
		a := &addition{since: r.since(u, h, m.Since, at[i]), isEmpty: m.Default == none, markerUse: at[i]}
		if !a.isEmpty {
			a.fill = h.named(m.Default, at[i], "default")
		}
		h.added = append(h.added, a)
	}
	changed, at := all[changedMarker](ms)
	for i, m := range changed {
		c := &change{
			since: r.since(u, h, m.Since, at[i]), fromName: m.FromName, fromText: m.FromType, movedFrom: m.MovedFrom,
			up: h.named(m.UpgradeWith, at[i], "upgradeWith"), narrows: m.DowngradeWith == none, markerUse: at[i],
		}
		c.declared = m.declared()
		if !c.narrows {
			c.down = h.named(m.DowngradeWith, at[i], "downgradeWith")
		}
		h.changes = append(h.changes, c)
	}
	deprecated, at := all[deprecatedMarker](ms)
	for i, m := range deprecated {
		h.deprecated = append(h.deprecated, &deprecation{r.since(u, h, m.Since, at[i]), m.Note, at[i]})
	}
	removed, at := all[removedMarker](ms)
	for i, m := range removed {
		h.removed = append(h.removed, &removal{r.since(u, h, m.Since, at[i]), at[i]})
	}
	slices.SortStableFunc(h.changes, func(a, b *change) int { return a.since.compare(b.since) })
}

func (h *history) named(name string, m markerUse, argument string) *function {
	if name == "" {
		return nil
	}
	return &function{name: name, home: h.home, pos: m.at(argument)}
}

// hasHistory reports whether Strata's markers set anything.
func (h *history) hasHistory() bool {
	return len(h.added)+len(h.changes)+len(h.deprecated)+len(h.removed) > 0
}
