package engine

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/ledger"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

// made lists the properties of a resource that functions or declared changes make, as the ledger
// records them.
func (ch Chain) made(r *chain.Resource) []ledger.Made {
	var out []ledger.Made
	for _, f := range ch.Functions {
		if strings.EqualFold(f.Resource, r.Model.Type) && r.Model.Version(f.Version) != nil {
			out = append(out, madeBy(f))
		}
	}
	return append(out, declaredOf(r)...)
}

// madeBy returns the ledger's record of a function. Functions of the runtime have no name in it:
// the types determine them.
func madeBy(f source.Function) ledger.Made {
	m := ledger.Made{Version: f.Version, Type: f.Type, Property: f.Property}
	switch {
	case f.Fill != nil:
		m.How, m.By = ledger.Filled, cmp.Or(f.Fill.Value, f.Fill.Name+"()")
	case f.Values != nil:
		m.How, m.By = ledger.Renamed, pairsOf(f.Values)
	default:
		m.How, m.By = ledger.Converted, nameOf(f.Up)+" "+nameOf(f.Down)
	}
	return m
}

func nameOf(c *source.Call) string {
	if c == nil || c.Package == "" {
		return "-"
	}
	return c.Name + "()"
}

// pairsOf formats pairs of an earlier and a later name as JSON, sorted.
func pairsOf(values []string) string {
	pairs := slices.SortedFunc(slices.Chunk(values, 2), slices.Compare)
	text, _ := json.Marshal(pairs) // lists of texts always have JSON
	return string(text)
}

// checkAbsent reports functions of versions that take no part in the run, between versions that do.
// These would hand values over unconverted.
func (ch Chain) checkAbsent() {
	for _, f := range ch.Functions {
		i := slices.IndexFunc(ch.Resources, func(r *model.Resource) bool { return strings.EqualFold(r.Type, f.Resource) })
		if i < 0 || ch.Resources[i].Version(f.Version) != nil {
			continue
		}
		has := func(version string) bool { return ch.Resources[i].Version(version) != nil }
		isBefore := func(v *model.Version) bool { return chain.Compare(v.Name, f.Version) < 0 }
		if later, ok := f.From(has); ok && slices.ContainsFunc(ch.Resources[i].Versions, isBefore) {
			ch.Messages.Add(diag.Errorf(ch.positions.At(f.Pos), "%s %s: functions make %s.%s since %s, which is not in this run, and %s is",
				f.Resource, later.Version, later.Type, later.Property, f.Version, later.Version).
				WithHint("include %s: see `only.versions`", f.Version))
		}
	}
}

// checkMade reports functions that are added to, or removed from, versions that are already
// generated. Stored objects would be read differently.
func (ch Chain) checkMade() {
	for _, g := range ch.chain.Groups {
		for _, r := range g.Resources {
			if ch.scope.hasType(r.Model.Type) {
				ch.checkRivals(r)
			}
			if e := ch.Ledger.Find(r.Model.Type); e != nil && ch.scope.hasType(r.Model.Type) {
				ch.checkMadeLater(e)
				ch.checkMadeOtherwise(e)
				ch.checkMadeBetween(r, e)
				ch.checkMadeNoMore(r, e)
				ch.checkDeclared(r, e)
			}
		}
	}
}

func (ch Chain) checkMadeLater(e *ledger.Entry) {
	for _, f := range ch.Functions {
		m := madeBy(f)
		if strings.EqualFold(f.Resource, e.Model.Type) && !slices.ContainsFunc(e.Made, m.IsSame) && isKnown(e, m) && matters(e, m) {
			hint := "set it in a version that was not generated yet, or complete the step by hand"
			if f.Fill != nil && f.Fill.Value != "" {
				hint = "write `default=none`"
			}
			ch.Messages.Add(diag.Errorf(ch.positions.At(f.Pos), "%s %s: %s.%s is %s by functions since %s, and was generated without them: clients would read other values from stored objects",
				e.Model.Type, f.Version, f.Type, f.Property, m.How, f.Version).WithHint("%s", hint))
		}
	}
}

// checkMadeOtherwise reports properties that other functions, values or names make than before.
func (ch Chain) checkMadeOtherwise(e *ledger.Entry) {
	for _, f := range ch.Functions {
		m := madeBy(f)
		i := slices.IndexFunc(e.Made, m.IsSame)
		if !strings.EqualFold(f.Resource, e.Model.Type) || i < 0 || e.Made[i].Allows(m, typeIn(e, m)) || !matters(e, m) {
			continue
		}
		hint := "state it as before"
		switch {
		case m.How == ledger.Filled && json.Valid([]byte(e.Made[i].By)):
			hint = "put back the default " + e.Made[i].By
		case m.How != ledger.Renamed:
			hint = "name the functions as before: generated code calls them by these names"
		}
		ch.Messages.Add(diag.Errorf(ch.positions.At(f.Pos), "%s %s: %s.%s is %s by %s since %s, and was generated with %s: clients would read other values from stored objects",
			e.Model.Type, f.Version, f.Type, f.Property, m.How, m.By, f.Version, e.Made[i].By).WithHint("%s", hint))
	}
}

// checkMadeBetween reports functions of a new version between two versions that the ledger has.
// They would convert values that these two have handed over unchanged.
func (ch Chain) checkMadeBetween(r *chain.Resource, e *ledger.Entry) {
	for _, f := range ch.Functions {
		m := madeBy(f)
		if !strings.EqualFold(f.Resource, e.Model.Type) || e.Model.Version(f.Version) != nil || !matters(e, m) {
			continue
		}
		if at, ok := ch.effect(f); ok {
			if later := between(r, e, at); later != "" {
				ch.Messages.Add(diag.Errorf(ch.positions.At(f.Pos), "%s %s: %s.%s is %s by functions since %s, and the later version %s was generated without them: clients would read other values from stored objects",
					e.Model.Type, f.Version, f.Type, f.Property, m.How, f.Version, later).
					WithHint("declare it for a version that comes after all generated ones, or complete the step by hand"))
			}
		}
	}
}

// between returns a version of the ledger at or after that of a spot. Its values of the property
// are those of an earlier version of the ledger. The result is empty if there is none.
func between(r *chain.Resource, e *ledger.Entry, at source.Spot) string {
	knows := func(v int) bool { return e.Model.Version(r.Versions[v].Model.Name) != nil }
	i := slices.IndexFunc(r.Versions, func(v *chain.Version) bool { return v.Model.Name == at.Version })
	if i < 0 {
		return ""
	}
	for _, p := range r.Places() {
		if p.Defs[i] == nil || p.Defs[i].Name != at.Type || p.At(i, at.Property) == nil {
			continue
		}
		live := p.At(i, at.Property).Live
		isEarlier := false
		for v, q := range live[:i] {
			isEarlier = isEarlier || q != nil && knows(v)
		}
		for v := i; isEarlier && v < len(live); v++ {
			if live[v] == nil || !knows(v) {
				continue
			}
			if wasMade(e, r.Versions[v].Model.Name, p.Defs[v].Name, live[v].Name) {
				break
			}
			return r.Versions[v].Model.Name
		}
	}
	return ""
}

// wasMade reports whether the ledger has functions that make a property in a version.
func wasMade(e *ledger.Entry, version, typ, property string) bool {
	return slices.ContainsFunc(e.Made, func(m ledger.Made) bool {
		return m.Version == version && m.Type == typ && m.Property == property
	})
}

func (ch Chain) checkMadeNoMore(r *chain.Resource, e *ledger.Entry) {
	now := ch.made(r)
	for _, m := range e.Made {
		if m.How == ledger.Declared || slices.ContainsFunc(now, m.IsSame) || !matters(e, m) {
			continue
		}
		ch.Messages.Add(diag.Errorf(ch.positions.At(positionOf(r.Model, m)), "%s %s: %s.%s was %s by functions since %s, and no longer is: clients would read other values from stored objects",
			e.Model.Type, m.Version, m.Type, m.Property, m.How, m.Version).
			WithHint("put back what the package stated about version %s", m.Version))
	}
}

// positionOf returns the position of a property that functions made, in the latest version whose
// schema has it. Else it returns the position of the latest version with a schema.
func positionOf(r *model.Resource, m ledger.Made) (at model.Pos) {
	for _, v := range slices.Backward(r.Versions) {
		if d := v.Def(m.Type); d != nil && d.Object() != nil {
			if p := d.Object().Property(m.Property); p != nil && p.Pos.File != "" {
				return p.Pos
			}
		}
		if at.File == "" {
			at = v.Pos
		}
	}
	return at
}

// isKnown reports whether the ledger's version has the property.
func isKnown(e *ledger.Entry, m ledger.Made) bool { return typeIn(e, m) != nil }

// typeIn returns the type of the property in the ledger's version; nil if that lacks it.
func typeIn(e *ledger.Entry, m ledger.Made) model.Type {
	v := e.Model.Version(m.Version)
	if v == nil {
		return nil
	}
	d := v.Def(m.Type)
	if d == nil || d.Object() == nil {
		return nil
	}
	if p := d.Object().Property(m.Property); p != nil {
		return p.Type
	}
	return nil
}

// matters reports whether functions affect stored objects. A fill affects only objects of an
// earlier hub, because it is applied on the path from there.
func matters(e *ledger.Entry, m ledger.Made) bool {
	return m.How != ledger.Filled || slices.ContainsFunc(e.Model.Versions, func(v *model.Version) bool {
		label, _ := chain.Label(v.Name)
		return slices.Contains(e.Hubs, label) && chain.Compare(v.Name, m.Version) < 0
	})
}

// isMade reports whether functions fill or convert a property of a type since a version.
func (ch Chain) isMade(resourceType, version, typ, property string) bool {
	return slices.ContainsFunc(ch.Functions, func(f source.Function) bool {
		return strings.EqualFold(f.Resource, resourceType) && f.Version == version && f.Type == typ && f.Property == property
	})
}
