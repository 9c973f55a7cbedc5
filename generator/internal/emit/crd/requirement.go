package crd

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// require writes the requirements of an object: members and rules.
//
// The API server lets an update violate such a requirement if the old object violated it and has
// not changed. Objects with members that the schema does not declare never count as unchanged, so
// that an update of other members would fail. In such objects, a requirement that another version
// lacks becomes a rule that ratchets by itself. In lists, the API server compares the whole list.
func (w *walk) require(s *plan.Struct, out *found) {
	if w.lax() {
		return
	}
	if w.status && w.isRoot() && w.version.Subresource {
		w.requireBesideBag(s, out)
		return
	}
	ratchets := out.loose && !w.within.list
	var requirements []requirement
	for _, f := range s.Fields {
		switch {
		case !f.Property.Required || !out.declares(f):
		case ratchets && !w.allRequire(f.Property.Name):
			requirements = append(requirements, required(f.Property.Name))
		default:
			out.Required = append(out.Required, f.Property.Name)
		}
	}
	slices.Sort(out.Required)
	for _, d := range slices.Concat(requirements, unionRequirements(s, out.declares)) {
		w.rule(d, ratchets, &out.props)
	}
}

// declares reports whether a member has a schema.
func (f *found) declares(of *plan.Field) bool {
	_, ok := f.Properties[of.Property.Name]
	return ok && !of.Additional
}

// maxRules is the maximum number of rules of a spec or a status. An API server compiles each of
// them.
const maxRules = 1000

// rule adds the rule of a requirement, if CEL can express it and it is not too expensive.
func (w *walk) rule(d requirement, ratchets bool, out *props) {
	reason := d.err
	r := d.validation(ratchets)
	if w.rules == w.cut.rules {
		reason = w.cut.reasonOfRules()
	}
	if reason == "" {
		c, err := costOf(r, *out, d.fields)
		switch {
		case err != nil:
			reason = err.Error()
		case !w.affords(c):
			reason = "the rule could cost more than an API server allows: nothing bounds the lists or maps around it"
		}
	}
	if reason != "" {
		w.leave(d.name, reason)
		return
	}
	w.rules++
	out.XValidations = append(out.XValidations, r)
}

// requireBesideBag requires the members of a status root, unless it has a bag: then it may have
// no other members.
func (w *walk) requireBesideBag(s *plan.Struct, out *found) {
	for _, f := range s.Fields {
		if f.Property.Required && out.declares(f) {
			d := required(f.Property.Name)
			has := d.rule
			d.rule = func(self string) string { return has(self) + " || has(" + self + "." + model.PropertyBag + ")" }
			d.fields = append(d.fields, model.PropertyBag)
			w.rule(d, false, &out.props)
		}
	}
}

// leave records a requirement that the schema does not state.
func (w *walk) leave(requirement, reason string) {
	isForSize := w.cut.rules < maxRules && reason == w.cut.reasonOfRules()
	w.leftOut = append(w.leftOut, LeftOut{w.version.Version.Label, w.currentPath(), requirement, reason, isForSize})
}

// currentPath returns the path of the current object.
func (w *walk) currentPath() string {
	root := "spec"
	if w.status {
		root = "status"
	}
	return strings.Join(append([]string{root}, w.path...), ".")
}

// allRequire reports whether every version requires a member at the walk's path, so that no
// object lacks it.
func (w *walk) allRequire(name string) bool {
	return !slices.ContainsFunc(w.version.Kind.Versions, func(kv *plan.KindVersion) bool {
		root := kv.Version.Model.Spec
		if w.status {
			root = kv.Version.Model.Status
		}
		return !w.requires(root, append(slices.Clone(w.path), name))
	})
}

// requires reports whether a path of members, through lists and maps, ends in a required one.
func (w *writer) requires(t model.Type, path []string) bool {
	for i, name := range path {
		_, inner := chain.Unwrap(t)
		ref, ok := inner.(*model.Ref)
		if !ok {
			return false
		}
		p := w.property(ref.Def, name)
		if p == nil || i == len(path)-1 && !p.Required {
			return false
		}
		t = p.Type
	}
	return true
}

// property returns a property of a definition, or nil.
func (w *writer) property(d *model.Def, name string) *model.Property {
	if w.lookups == nil {
		w.lookups = map[*model.Def]func(string) *model.Property{}
	}
	if w.lookups[d] == nil {
		w.lookups[d] = d.Object().Lookup()
	}
	return w.lookups[d](name)
}
