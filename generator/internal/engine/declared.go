package engine

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/ledger"
)

// declaredOf lists the changes that the user declares of a resource's properties, as the ledger
// keeps them.
func declaredOf(r *chain.Resource) []ledger.Made {
	var out []ledger.Made
	for _, p := range r.Places() {
		for i, v := range r.Versions {
			for _, q := range p.Members(i) {
				if o := p.Change(i, q); o != nil {
					m := ledger.Made{Version: v.Model.Name, How: ledger.Declared, Type: p.Defs[i].Name, Property: q.Name, By: o.String()}
					if !slices.Contains(out, m) {
						out = append(out, m)
					}
				}
			}
		}
	}
	return out
}

// checkDeclared reports changes that are declared between versions which were generated without
// them, and those that are declared no longer: stored objects would read otherwise.
func (ch Chain) checkDeclared(r *chain.Resource, e *ledger.Entry) {
	now := declaredOf(r)
	for _, m := range now {
		if !slices.Contains(e.Made, m) && isKnown(e, m) && isKnownAfter(r, e, m) {
			ch.Messages.Add(diag.Errorf(ch.positionOfChange(r, m), "%s %s: %s.%s is declared as `%s`, and was generated without that: what is stored would read otherwise",
				e.Model.Type, m.Version, m.Type, m.Property, m.By).WithHint("remove it, or complete the step by hand: `conversion: custom`"))
		}
	}
	for _, m := range e.Made {
		isLinked := slices.ContainsFunc(r.Versions, func(v *chain.Version) bool { return v.Model.Name == m.Version })
		if m.How == ledger.Declared && isLinked && !slices.Contains(now, m) {
			ch.Messages.Add(diag.Errorf(ch.positionOfChange(r, m), "%s %s: %s.%s was declared as `%s`, and no longer is: what is stored would read otherwise",
				e.Model.Type, m.Version, m.Type, m.Property, m.By).
				WithHint("put back `%s: {%s}` below resources.%s[%q].%s", m.Property, m.By, r.Group.Folder, m.Version, m.Type))
		}
	}
}

// isKnownAfter reports whether the ledger has the version that a declared change leads to.
func isKnownAfter(r *chain.Resource, e *ledger.Entry, m ledger.Made) bool {
	i := slices.IndexFunc(r.Versions, func(v *chain.Version) bool { return v.Model.Name == m.Version })
	for _, v := range r.Versions[i+1:] {
		if !v.Leaf {
			return e.Model.Version(v.Model.Name) != nil
		}
	}
	return false
}

// positionOfChange returns where a change is declared, or was: the nearest key of the
// configuration.
func (ch Chain) positionOfChange(r *chain.Resource, m ledger.Made) diag.Pos {
	isOf := func(n config.Change) bool {
		return n.Group == r.Group.Folder && n.Version == m.Version && n.Type == m.Type && n.Property == m.Property
	}
	if i := slices.IndexFunc(ch.config.Changes, isOf); i >= 0 {
		return ch.config.Changes[i].Pos
	}
	return ch.config.At(diag.Key(diag.Key(diag.Key("resources", r.Group.Folder), m.Version), m.Type))
}
