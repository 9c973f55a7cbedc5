package golang

import (
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	crd "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/stratakube/strata/generator/internal/inflect"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

// resource reads the resource that a struct declares. A struct with Strata's marker is the spec,
// and one with kubebuilder's the root.
func (r *reader) resource(u *unit, object *types.TypeName, given declComments) {
	ours, at := all[resourceMarker](given.markerUses)
	roots, _ := all[rootMarker](given.markerUses)
	out := &resource{group: u.group, object: object, markerUses: given.markerUses, pos: object.Pos(), scope: "Namespaced"}
	switch {
	case len(ours) > 0:
		out.kind = kindOf(object.Name())
		out.spec = object.Type()
		r.ofKubebuilder(out)
		r.ofOurs(u, out, ours[0], at[0])
	case len(roots) > 0 && bool(roots[0]) && isRoot(object):
		out.kind = object.Name()
		r.ofKubebuilder(out)
		out.spec, out.status = rootMember(object, "spec"), rootMember(object, "status")
		r.checkRoot(object)
	default:
		r.checkNoResource(object, given.markerUses)
		return
	}
	if out.singular == "" {
		out.singular = strings.ToLower(out.kind)
	}
	if out.plural == "" {
		out.plural = inflect.Plural(strings.ToLower(out.kind))
	}
	out.life = &history{name: out.kind, home: u.pkg, pos: out.pos}
	r.history(u, out.life, given.markerUses)
	u.resources = append(u.resources, out)
}

// checkNoResource reports a history on a struct that is no resource.
func (r *reader) checkNoResource(object *types.TypeName, given markerUses) {
	for _, m := range given {
		switch m.value.(type) {
		case addedMarker, removedMarker:
			r.errorf(m.pos, "let the fields of the type be added or removed", "%s is not a resource, and so cannot have a history", object.Name())
		}
	}
}

// kindOf returns the kind of a resource by the name of its spec.
func kindOf(spec string) string { return strings.TrimSuffix(spec, "Spec") }

func (r *reader) ofKubebuilder(out *resource) {
	facts, _ := all[crd.Resource](out.markerUses)
	for _, f := range facts {
		out.plural, out.singular = f.Path, f.Singular
		out.shortNames, out.categories = f.ShortName, f.Categories
		if f.Scope != "" {
			out.scope = f.Scope
		}
	}
}

// ofOurs reads Strata's marker, which takes precedence over kubebuilder's.
func (r *reader) ofOurs(u *unit, out *resource, m resourceMarker, at markerUse) {
	out.pos = at.pos
	assign := func(to *string, value string) {
		if value != "" {
			*to = value
		}
	}
	assign(&out.group, m.Group)
	assign(&out.kind, m.Kind)
	assign(&out.singular, m.Singular)
	assign(&out.plural, m.Plural)
	assign(&out.scope, m.Scope)
	if m.ShortNames != nil {
		out.shortNames = m.ShortNames
	}
	if m.Categories != nil {
		out.categories = m.Categories
	}
	out.skip = r.skips(m.Skip, at, model.SkipCRD, model.SkipHelpers, model.SkipTests)
	if m.Status == "" {
		return
	}
	status, ok := u.pkg.Types.Scope().Lookup(m.Status).(*types.TypeName)
	if !ok || !isStruct(status.Type()) {
		r.errorf(at.at("status"), nearestOf(m.Status, structNames(u)), "%s is not a struct of this package", m.Status)
		return
	}
	out.status = status.Type()
}

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// isRoot reports whether a struct is the root of a resource: it has TypeMeta and ObjectMeta.
func isRoot(object *types.TypeName) bool {
	t, ok := object.Type().Underlying().(*types.Struct)
	if !ok {
		return false
	}
	var names []string
	for i := range t.NumFields() {
		if t.Field(i).Embedded() {
			names = append(names, t.Field(i).Name())
		}
	}
	return slices.Contains(names, "TypeMeta") && slices.Contains(names, "ObjectMeta")
}

// checkRoot reports members of a root that a model cannot represent.
func (r *reader) checkRoot(object *types.TypeName) {
	t := object.Type().Underlying().(*types.Struct)
	for i := range t.NumFields() {
		f, name := t.Field(i), jsonName(t.Tag(i))
		switch {
		case f.Embedded() && (f.Name() == "TypeMeta" || f.Name() == "ObjectMeta"):
		case !f.Exported() || name == "-" || name == "spec" || name == "status":
		default:
			r.errorf(f.Pos(), "move it into the spec or the status", "%s has a member %s beside metadata, spec and status", object.Name(), f.Name())
		}
	}
}

// rootMember returns the type of a root's member, without its pointer; nil if there is none.
func rootMember(object *types.TypeName, name string) types.Type {
	t := object.Type().Underlying().(*types.Struct)
	for i := range t.NumFields() {
		if jsonName(t.Tag(i)) == name {
			return deref(t.Field(i).Type())
		}
	}
	return nil
}

func structNames(u *unit) []string {
	var out []string
	scope := u.pkg.Types.Scope()
	for _, name := range scope.Names() {
		if t, ok := scope.Lookup(name).(*types.TypeName); ok && isStruct(t.Type()) {
			out = append(out, name)
		}
	}
	return out
}

var (
	kindName  = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,62}$`)
	dnsLabel  = regexp.MustCompile(`^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)
	groupName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)
)

// checkResources reports errors of a package's resources.
func (r *reader) checkResources(u *unit) {
	if len(u.resources) == 0 {
		return
	}
	r.checkVersioned(u)
	kinds, plurals := map[string]bool{}, map[string]bool{}
	for _, s := range u.resources {
		r.checkGroup(u, s)
		r.checkResource(s)
		switch kind := s.group + "/" + strings.ToLower(s.kind); {
		case kinds[kind]:
			r.errorf(s.pos, "name one of them with `kind`", "two resources of the package have the kind %s", s.kind)
		case plurals[s.group+"/"+s.plural]:
			r.errorf(s.pos, "name one of them with `plural`", "two resources of the package have the plural %s", s.plural)
		}
		kinds[s.group+"/"+strings.ToLower(s.kind)], plurals[s.group+"/"+s.plural] = true, true
	}
}

// checkGroup reports a resource with an invalid group. If the package has no group, it reports that
// once.
func (r *reader) checkGroup(u *unit, s *resource) {
	_, at := all[groupMarker](u.markerUses)
	switch {
	case s.group == "" && slices.IndexFunc(u.resources, func(o *resource) bool { return o.group == "" }) == slices.Index(u.resources, s):
		r.errorf(s.pos, "write `// +groupName=shop.example.com` above the package clause", "package %s has resources and no API group", u.pkg.Name)
	case s.group == "" || groupName.MatchString(s.group):
	case s.group != u.group:
		r.errorf(s.posOf("group"), "such as `shop.example.com`", "%q is not the name of an API group", s.group)
	case slices.IndexFunc(u.resources, func(o *resource) bool { return o.group == u.group }) == slices.Index(u.resources, s):
		r.errorf(at[0].pos, "such as `shop.example.com`", "%q is not the name of an API group", u.group)
	}
}

// checkVersioned reports a package with resources and without versions.
func (r *reader) checkVersioned(u *unit) {
	if len(u.versions) == 0 {
		r.errorf(u.resources[0].pos, "write `// +strata:version:name=v1alpha1` above the package clause, once for each version; or name the folder after the version",
			"package %s has resources and declares no versions", u.pkg.Name)
	}
}

func (r *reader) checkResource(s *resource) {
	if !kindName.MatchString(s.kind) {
		r.errorf(s.posOf("kind"), "such as `Widget`", "%q is not the name of a kind", s.kind)
	}
	if fault := source.PathFault(r.fset.Position(s.pos).Filename); fault.Exists() {
		r.errorf(s.pos, fault.Hint, "%s", fault.Text)
	}
	for _, name := range []struct{ argument, value string }{{"singular", s.singular}, {"plural", s.plural}} {
		if !dnsLabel.MatchString(name.value) {
			r.errorf(s.posOf(name.argument), "lower-case letters and digits", "%q is not the %s name of a resource", name.value, name.argument)
		}
	}
	for _, short := range s.shortNames {
		if !dnsLabel.MatchString(short) {
			r.errorf(s.posOf("shortNames"), "lower-case letters and digits", "%q is not a short name", short)
		}
	}
	if s.scope != "Namespaced" && s.scope != "Cluster" {
		r.errorf(s.posOf("scope"), "`Namespaced` or `Cluster`", "%q is not the scope of a resource", s.scope)
	}
	if s.spec == nil || !isStruct(s.spec) {
		r.errorf(s.pos, "a resource has a field `spec` of a struct type", "%s has no spec", s.kind)
	}
}

// posOf returns the position of an argument that the resource sets.
func (s *resource) posOf(argument string) token.Pos {
	if _, at := all[resourceMarker](s.markerUses); len(at) > 0 {
		return at[0].at(argument)
	}
	return s.pos
}
