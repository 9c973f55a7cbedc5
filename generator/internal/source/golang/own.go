package golang

import (
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/augmentation"
)

// keepsTypes reports whether the types of a package are the API types of its version: if the
// package is one version without markers, and its resources are roots.
func (r *reader) keepsTypes(u *unit) bool {
	return r.opts.Own && !u.declares() && len(u.resources) > 0 && len(u.versions) == 1 &&
		!slices.ContainsFunc(u.resources, func(d *resource) bool { return d.markerUses.has(ours + "resource") })
}

// ownPackage describes the package of a unit.
func (r *reader) ownPackage(u *unit) *augmentation.Package {
	p := &augmentation.Package{
		Path: u.pkg.PkgPath, Name: u.pkg.Name, Types: u.pkg.Types, At: r.at,
	}
	for _, f := range u.pkg.Syntax {
		p.Dir = filepath.Dir(r.fset.Position(f.FileStart).Filename)
	}
	for _, d := range u.resources {
		p.Roots = append(p.Roots, &augmentation.Root{
			Type: u.head(d).Type, Version: u.versions[0].name, Object: d.object, List: listOf(u, d.object),
			Spec: memberOf(d.object, "spec"), Status: memberOf(d.object, "status"),
		})
	}
	return p
}

// listOf returns the list type of a root.
func listOf(u *unit, root *types.TypeName) string {
	name := root.Name() + "List"
	if t, ok := u.pkg.Types.Scope().Lookup(name).(*types.TypeName); ok && isStruct(t.Type()) {
		return name
	}
	return ""
}

// memberOf returns the member of a root with a JSON name; nil for none.
func memberOf(root *types.TypeName, name string) *augmentation.Member {
	t := root.Type().Underlying().(*types.Struct)
	for i := range t.NumFields() {
		if jsonName(t.Tag(i)) != name {
			continue
		}
		_, options, _ := strings.Cut(reflect.StructTag(t.Tag(i)).Get("json"), ",")
		m := &augmentation.Member{Name: t.Field(i).Name(), OmitsZero: slices.Contains(strings.Split(options, ","), "omitzero")}
		m.Type, m.Pointer = augmentation.ElementOf(t.Field(i).Type())
		return m
	}
	return nil
}
