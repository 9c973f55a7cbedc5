package crd

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// demand writes what an object must have: members and rules.
//
// The API server lets an update break such a demand if the object broke it before
// and is equal to what it was. Objects with members that the schema does not know
// are never equal to it, and an update anywhere else would fail. There a demand
// that another version does not make becomes a rule that ratchets by itself. In
// lists it is the list that is equal or not, whatever is in it.
func (w *walk) demand(s *plan.Struct, out *found) {
	if w.lax() {
		return
	}
	if w.status && w.isRoot() && w.version.Subresource {
		w.demandBeside(s, out)
		return
	}
	ratchets := out.loose && !w.within.list
	var demands []demand
	for _, f := range s.Fields {
		switch {
		case !f.Property.Required || !out.declares(f):
		case ratchets && !w.allRequire(f.Property.Name):
			demands = append(demands, required(f.Property.Name))
		default:
			out.Required = append(out.Required, f.Property.Name)
		}
	}
	slices.Sort(out.Required)
	for _, d := range slices.Concat(demands, unionDemands(s, out.declares)) {
		w.rule(d, ratchets, &out.props)
	}
}

// declares reports whether a member has a schema.
func (f *found) declares(of *plan.Field) bool {
	_, ok := f.Properties[of.Property.Name]
	return ok && !of.Additional
}

// maxRules is how many rules a spec or a status has at most. An API server compiles each.
const maxRules = 1000

// rule adds a demand's rule, if it can be said and is not too expensive.
func (w *walk) rule(d demand, ratchets bool, out *props) {
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

// demandBeside demands what the root of a status must have, but of one with a bag:
// that may hold nothing else.
func (w *walk) demandBeside(s *plan.Struct, out *found) {
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

// leave remembers a demand that is not made.
func (w *walk) leave(demand, reason string) {
	isForSize := w.cut.rules < maxRules && reason == w.cut.reasonOfRules()
	w.leftOut = append(w.leftOut, LeftOut{w.version.Version.Label, w.place(), demand, reason, isForSize})
}

// place is the path of what is written.
func (w *walk) place() string {
	root := "spec"
	if w.status {
		root = "status"
	}
	return strings.Join(append([]string{root}, w.path...), ".")
}

// allRequire reports whether every version requires a member at the walk's place, so
// that no object can lack it.
func (w *walk) allRequire(name string) bool {
	return !slices.ContainsFunc(w.version.Kind.Versions, func(kv *plan.KindVersion) bool {
		root := kv.Version.Model.Spec
		if w.status {
			root = kv.Version.Model.Status
		}
		return !w.requires(root, append(slices.Clone(w.path), name))
	})
}

// requires reports whether a path of members, through lists and maps, ends in a
// required one.
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
