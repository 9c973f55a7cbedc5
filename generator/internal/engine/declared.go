package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/analysis/removals"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/ledger"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plaintext"
)

// declaredOf lists the changes that the user declares for a resource's properties, as the ledger
// records them.
func declaredOf(r *chain.Resource) []ledger.Made {
	var out []ledger.Made
	for _, p := range r.Places() {
		for i, v := range r.Versions {
			add := func(property string, c chain.Change) {
				m := ledger.Made{Version: v.Model.Name, How: ledger.Declared, Type: p.Defs[i].Name, Property: property, By: c.String()}
				if !slices.Contains(out, m) {
					out = append(out, m)
				}
			}
			for _, q := range p.Members(i) {
				if c := p.Change(i, q); c != nil {
					add(q.Name, *c)
				}
			}
			for _, c := range departures(p, i) {
				add(c.Operation.From, c)
			}
		}
	}
	return out
}

// departures returns the changes that move properties of a place's object after a version, whose
// paths exist there. The paths have the names of the version, whatever letter case the user wrote.
func departures(p *chain.Place, version int) []chain.Change {
	if p.Defs[version] == nil {
		return nil
	}
	var out []chain.Change
	for _, c := range p.Departures(version) {
		if path := p.Walk(version, c.Operation.From); path != nil {
			var names []string
			for _, l := range path {
				names = append(names, l.Live[version].Name)
			}
			c.Operation.From = strings.Join(names, ".")
			out = append(out, c)
		}
	}
	return out
}

// checkDeclared reports changes that are declared now between versions that were generated
// without them, and changes that are no longer declared. In both cases stored objects would be
// read differently.
func (ch Chain) checkDeclared(r *chain.Resource, e *ledger.Entry) {
	now := declaredOf(r)
	for _, m := range now {
		if after := divides(r, e, m); after != nil && !slices.Contains(e.Made, m) {
			hint := "remove it, or complete the step by hand: `conversion: custom`"
			if after.Leaf {
				hint = fmt.Sprintf("generate into an empty %s if no object is stored as %s", ch.config.Output.Dir, after.Model.Name)
				if next := r.NextMain(after); next != nil {
					hint += fmt.Sprintf("; else let %s keep its own values: `%s`", after.Model.Name, ch.lineOf(r, m, next.Model.Name))
				}
			}
			ch.Messages.Add(diag.Errorf(ch.positionOfChange(r, m), "%s %s: %s.%s is declared as `%s`, and %s was generated without that: clients would read other values from stored objects",
				e.Model.Type, m.Version, m.Type, m.Property, m.By, after.Model.Name).WithHint("%s", hint))
		}
	}
	for _, m := range e.Made {
		isLinked := slices.ContainsFunc(r.Versions, func(v *chain.Version) bool { return v.Model.Name == m.Version })
		if m.How == ledger.Declared && isLinked && !slices.Contains(now, m) {
			ch.Messages.Add(diag.Errorf(ch.positionOfChange(r, m), "%s %s: %s.%s was declared as `%s`, and no longer is: clients would read other values from stored objects",
				e.Model.Type, m.Version, m.Type, m.Property, m.By).
				WithHint("put back `%s: {%s}` below resources.%s[%q].%s", m.Property, m.By, r.Group.Folder, m.Version, m.Type))
		}
	}
}

// lineOf returns the line of strata.yaml that declares a change for the version in.
func (ch Chain) lineOf(r *chain.Resource, m ledger.Made, in string) string {
	var rules []string
	members := r.Model.Version(m.Version).Def(m.Type).Object().Properties
	for _, n := range ch.config.Renames {
		named := model.Named(members, n.Property)
		isOf := len(named) == 1 && named[0].Name == m.Property
		if isOf && n.Group == r.Group.Folder && n.Version == m.Version && n.Type == m.Type && n.In == "" {
			rules = append(rules, "nameInNextVersion: "+plaintext.YAML(n.To))
		}
	}
	by, _, _ := strings.Cut(m.By, ", "+config.ChangedIn+": ")
	rules = append(rules, by, config.ChangedIn+": "+plaintext.YAML(in))
	return removals.NameOf(m.Property) + ": {" + strings.Join(rules, ", ") + "}"
}

// checkUnmoved reports changes that are declared, and that the plan does not apply.
func (pl Plan) checkUnmoved() {
	for _, g := range pl.plan.Groups {
		for _, u := range g.Unmoved {
			r := u.Place.Resource
			declared := ledger.Made{Version: u.Far.Model.Name, Type: u.Place.Defs[u.Far.Index].Name, Property: u.Operation.From}
			if !slices.ContainsFunc(declaredOf(r), func(m ledger.Made) bool {
				return m.Version == declared.Version && m.Type == declared.Type && m.Property == declared.Property
			}) {
				declared = ledger.Made{Version: u.Near.Model.Name, Type: u.Place.Defs[u.Near.Index].Name, Property: u.Operation.To}
			}
			pl.Messages.Add(diag.Errorf(pl.positionOfChange(r, declared), "%s %s: %s.%s is declared as `%s`, and the values that %s and %s preserve for each other cannot have it",
				r.Model.Type, declared.Version, declared.Type, declared.Property, u.Operation, u.Far.Model.Name, u.Near.Model.Name).
				WithHint("remove it, or complete the step by hand: `conversion: custom`"))
		}
	}
}

// checkRivals reports changes of two types that move one property, or that move two to one place.
func (ch Chain) checkRivals(r *chain.Resource) {
	for _, pair := range r.Rivals() {
		var at [2]diag.Pos
		for i, c := range pair {
			at[i] = ch.positionOfChange(r, ledger.Made{Version: c.Version, Type: c.Type, Property: c.Property})
		}
		a, b := pair[0], pair[1]
		ch.Messages.Add(diag.Errorf(at[1], "%s.%s of %s moves to %s, and %s.%s (%s) moves to %s: one value would be set twice",
			b.Type, b.Property, b.Version, b.Operation.To, a.Type, a.Property, at[0], a.Operation.To).
			WithHint("a value moves once, with the object around it or alone; a hand-written step can do both: `conversion: custom`"))
	}
}

// divides returns a version with the later values of a declared change, if the ledger has one, and
// has a version with the earlier values. It need not have the versions at the ends of the change: a
// version may have come between two others, or after a preview. Versions of the main line come
// first. It returns nil if there are no such versions.
func divides(r *chain.Resource, e *ledger.Entry, m ledger.Made) *chain.Version {
	at := slices.IndexFunc(r.Versions, func(v *chain.Version) bool { return v.Model.Name == m.Version })
	var found *chain.Version
	for _, p := range r.Places() {
		if p.Defs[at] == nil || p.Defs[at].Name != m.Type {
			continue
		}
		var after *chain.Version
		if i := slices.IndexFunc(departures(p, at), func(c chain.Change) bool { return c.Operation.From == m.Property }); i >= 0 {
			after = dividesMoved(r, e, p, departures(p, at)[i], at)
		} else if l := p.At(at, m.Property); l != nil {
			after = dividesValues(r, e, l, at)
		}
		found = preferred(found, after)
	}
	return found
}

// preferred returns one of two versions: the first, unless only the second is on the main line.
func preferred(a, b *chain.Version) *chain.Version {
	if a == nil || b != nil && a.Leaf && !b.Leaf {
		return b
	}
	return a
}

// dividesValues is divides for a property that stays in its object.
func dividesValues(r *chain.Resource, e *ledger.Entry, l *chain.Lineage, at int) (after *chain.Version) {
	before := false
	for i, v := range r.Versions {
		if l.Live[i] == nil || !isKnown(e, ledger.Made{Version: v.Model.Name, Type: l.Place.Defs[i].Name, Property: l.Live[i].Name}) {
			continue
		}
		if precedes(l, v, at) {
			before = true
		} else {
			after = preferred(after, v)
		}
	}
	if !before {
		return nil
	}
	return after
}

// dividesMoved is divides for a property that moves after the version at.
func dividesMoved(r *chain.Resource, e *ledger.Entry, p *chain.Place, c chain.Change, at int) (after *chain.Version) {
	before := false
	for i, v := range r.Versions {
		has := func(path string) bool {
			if p.Defs[i] == nil {
				return false
			}
			all := p.Walk(i, path)
			if all == nil {
				return false
			}
			l := all[len(all)-1]
			return isKnown(e, ledger.Made{Version: v.Model.Name, Type: l.Place.Defs[i].Name, Property: l.Live[i].Name})
		}
		before = before || i <= at && has(c.Operation.From)
		if i > at && c.Reaches(v) && has(c.Operation.To) {
			after = preferred(after, v)
		}
	}
	if !before {
		return nil
	}
	return after
}

// precedes reports whether a version has the values from before a change that is declared in the
// version at. A leaf between that and the next version has the later ones if a change leads to it.
// What a leaf declares affects its values alone, unless the version before it declares the same.
func precedes(l *chain.Lineage, v *chain.Version, at int) bool {
	r := l.Place.Resource
	if r.Versions[at].Leaf {
		base := mainBefore(r, at)
		if base < 0 || l.Place.Change(base, l.Live[base]) == nil || len(l.Changes(at, base)) > 0 {
			return v.Index == at
		}
		at = base
	}
	if v.Leaf && mainBefore(r, v.Index) == at {
		return len(l.Changes(v.Index, at)) == 0
	}
	return v.Index <= at || !v.Leaf && mainBefore(r, v.Index) == at && !l.IsLed(at, v.Index)
}

// mainBefore returns the index of the version of the main line that a leaf follows, or -1.
func mainBefore(r *chain.Resource, leaf int) int {
	for i := leaf - 1; i >= 0; i-- {
		if !r.Versions[i].Leaf {
			return i
		}
	}
	return -1
}

// positionOfChange returns the position where a change is, or was, declared: that of a marker, or
// of the nearest key of the configuration.
func (ch Chain) positionOfChange(r *chain.Resource, m ledger.Made) diag.Pos {
	isOf := func(n config.Change) bool {
		return n.Group == r.Group.Folder && n.Version == m.Version && n.Type == m.Type && n.Property == m.Property
	}
	if i := slices.IndexFunc(ch.config.Changes, isOf); i >= 0 {
		return ch.config.Changes[i].Pos
	}
	for _, c := range ch.Changes {
		if strings.EqualFold(c.Resource, r.Model.Type) && c.Version == m.Version && c.Type == m.Type && c.Property == m.Property {
			return ch.positions.At(c.Pos)
		}
	}
	return ch.config.At(diag.Key(diag.Key(diag.Key("resources", r.Group.Folder), m.Version), m.Type))
}
