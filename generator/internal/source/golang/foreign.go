package golang

import (
	"go/types"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/loader"

	versions "github.com/stratakube/strata/generator/internal/version"
)

// adopt reads the histories of types in other packages that a type consists of. Their versions are
// those of the unit that uses them.
func (r *reader) adopt(u *unit, t types.Type) {
	if t == nil || u.reached[types.Unalias(t)] {
		return
	}
	t = types.Unalias(t)
	u.reached[t] = true
	if n, ok := t.(*types.Named); ok {
		if _, known := wellKnown[fullName(n)]; known || r.encodesItself(n) {
			return
		}
		r.adoptNamed(u, n.Origin().Obj())
	}
	switch x := t.Underlying().(type) {
	case interface{ Elem() types.Type }:
		r.adopt(u, x.Elem())
	case *types.Struct:
		for i := range x.NumFields() {
			r.adopt(u, x.Field(i).Type())
		}
	}
}

// adoptNamed reads the histories of the fields or constants of a type, if another package declares
// it, and any has one.
func (r *reader) adoptNamed(u *unit, object *types.TypeName) {
	home := r.byTypes[object.Pkg()]
	if home == nil || home == u.pkg || len(u.owned[object]) > 0 || !r.hasMarkers(home) {
		return
	}
	before := len(u.histories)
	if given := r.packageComments(home).byIdent[object.Pos()].markerUses; !given.has(ours+"resource") && !isRoot(object) {
		r.checkNoResource(object, given)
	}
	if t, ok := object.Type().Underlying().(*types.Struct); ok {
		r.fields(u, home, object, t)
	}
	for _, name := range home.Types.Scope().Names() {
		c, ok := home.Types.Scope().Lookup(name).(*types.Const)
		if n, isNamed := types.Unalias(typeOf(c)).(*types.Named); ok && isNamed && n.Obj() == object {
			r.constant(u, home, c)
		}
	}
	if !slices.ContainsFunc(u.histories[before:], (*history).hasHistory) {
		u.histories = u.histories[:before]
		delete(u.owned, object)
	}
}

func typeOf(c *types.Const) types.Type {
	if c == nil {
		return nil
	}
	return c.Type()
}

// hasMarkers reports whether a package has markers of Strata.
func (r *reader) hasMarkers(p *loader.Package) bool {
	for _, given := range r.packageComments(p).byIdent {
		if slices.ContainsFunc(given.markerUses, func(m markerUse) bool { return strings.HasPrefix(m.name, ours) }) {
			return true
		}
	}
	return false
}

// since returns a version that a marker names. A package that uses an item of another one may not
// declare it: the change is then one of its next later version.
func (r *reader) since(u *unit, h *history, name string, m markerUse) since {
	out := since{name, u.index(name), m.at("since")}
	if h.home == u.pkg {
		return out
	}
	r.adopted[h.pos] = true
	switch {
	case !isVersion(name):
		return out
	case out.index >= 0:
		r.declared[out.pos] = true
		return out
	}
	out.index = len(u.versions)
	for i, v := range slices.Backward(u.versions) {
		if (since{name: v.name}).compare(out) >= 0 {
			out.index = i
		}
	}
	return out
}

// compare compares the order of two versions. Invalid names have none.
func (s since) compare(t since) int {
	x, _ := versions.Parse(s.name)
	y, _ := versions.Parse(t.name)
	return x.Compare(y)
}

// checkJoined reports two changes of an item of another package that are one change for the unit,
// and need functions that cannot be joined.
func (r *reader) checkJoined(u *unit, h *history, first, second event) {
	i := first.since.index
	if h.home == u.pkg || i != second.since.index || i < 1 || i == len(u.versions) || first.since.name == second.since.name {
		return
	}
	if second.retypes(h) && (first.what == "added" || first.retypes(h)) {
		r.errorf(second.since.pos, "declare "+first.since.name+" there, with `served=false` if clients should not use it",
			"package %s, which uses %s, needs version %s: it has no version between two changes", u.pkg.PkgPath, h.name, first.since.name)
	}
}

// retypes reports whether an event changes the type of a field, or the value of a constant.
func (e event) retypes(h *history) bool {
	return e.what == "changed" && (h.constant || slices.ContainsFunc(h.changes, func(c *change) bool { return c.markerUse.pos == e.markerUse.pos && c.fromText != "" }))
}

// checkDeclared reports versions in markers of other packages that no package declares.
func (r *reader) checkDeclared(u *unit) {
	for _, h := range u.histories {
		for _, m := range h.moments() {
			if h.home != u.pkg && m.since.index >= 0 && !r.declared[m.since.pos] {
				r.declared[m.since.pos] = true // reported once
				r.errorf(m.since.pos, "one of the packages that use it declares the version", "version %s is not declared by package %s, which uses %s", m.since.name, u.pkg.PkgPath, h.name)
			}
		}
	}
}
