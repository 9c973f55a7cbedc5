package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Print formats the plan of a group as text. It lists the kinds, with the members that each
// version cannot represent and their JSON plans. It then lists the packages, their structs with
// the hosts of storage types, and the moves of every step.
func Print(g *Group) []byte {
	p := &printer{}
	p.line(0, "group %s", g.Chain.Name)
	for _, k := range g.Kinds {
		p.kind(k)
	}
	for _, pkg := range g.Packages {
		p.line(0, "package %s", pkg.Label)
		for _, s := range pkg.Structs {
			p.structure("struct", s)
		}
		for _, s := range pkg.Clones {
			p.structure("clone", s)
		}
		for _, t := range pkg.Steps {
			p.step(t)
		}
	}
	return []byte(p.b.String())
}

type printer struct{ b strings.Builder }

func (p *printer) line(depth int, format string, args ...any) {
	p.b.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

func (p *printer) kind(k *Kind) {
	p.line(0, "kind %s", k.Name)
	for _, kv := range k.Versions {
		if kv.OwnWhole != (Hand{}) {
			p.line(1, "%s: the whole resource is completed by hand", kv.Version.Label)
		}
		switch next := kv.Next(); {
		case next == nil:
			p.line(1, "%s hub", kv.Version.Label)
		case kv.Version.Leaf:
			p.line(1, "%s leaf of %s", kv.Version.Label, next.Version.Label)
		default:
			p.line(1, "%s then %s", kv.Version.Label, next.Version.Label)
		}
		p.json(kv.JSONPlan)
		if kv.Derives {
			p.line(2, "compared by conversion")
		}
	}
	for _, e := range k.Expressions {
		if e.Lacks != 0 {
			p.line(1, "%s lacks list %d", e.Label, e.Lacks)
		}
	}
	p.lists(1, k.Lists)
}

// lists prints numbered lists.
func (p *printer) lists(depth int, lists Lists) {
	for i, entries := range lists {
		var all []string
		for _, e := range entries {
			all = append(all, e.String())
		}
		p.line(depth, "list %d: %s", i+1, cmp.Or(strings.Join(all, ", "), "nothing"))
	}
}

// json prints how a version's objects convert to the hub as JSON.
func (p *printer) json(plan *JSONPlan) {
	if plan == nil {
		p.line(2, "not as JSON")
		return
	}
	var steps []string
	for _, step := range plan.Steps {
		var moves []string
		for _, m := range step {
			moves = append(moves, m.String())
		}
		steps = append(steps, strings.Join(moves, " "))
	}
	p.line(2, "as JSON by %q, status %d", strings.Join(steps, ";"), plan.Status)
	for _, h := range plan.StoredTypes {
		p.line(2, "step %d has %s in bags", h.Step, h.Type.spell())
	}
	for _, c := range plan.Changes {
		ends := c.Derived.Ends()
		p.line(2, "step %d converts %s to %s: %s", c.Step, strings.Join(ends.Far.Path, "."), strings.Join(ends.Near.Path, "."), c.Derived.Operation)
	}
	for _, s := range plan.Sequences {
		p.line(2, "step %d consists of %v", s.Step, s.Parts)
	}
}

// String formats a move as far>near#step^up!down.
func (m JSONMove) String() string {
	out := m.Far
	if m.Near != m.Far {
		out += ">" + m.Near
	}
	if m.Step != 0 {
		out += "#" + strconv.Itoa(m.Step)
	}
	if m.Values != nil {
		out += "=" + strings.Join(m.Values, ",")
	}
	return out + spellJSONKeys("^", m.Up) + spellJSONKeys("!", m.Down)
}

func spellJSONKeys(prefix string, keys []JSONKey) string {
	var all []string
	for _, k := range keys {
		out := k.Name
		if k.Written {
			out += "="
		}
		for _, step := range k.Steps {
			out += "#" + strconv.Itoa(step)
		}
		all = append(all, out)
	}
	if all == nil {
		return ""
	}
	return prefix + strings.Join(all, ",")
}

func (p *printer) structure(what string, s *Struct) {
	how := ""
	switch {
	case s.Shared():
		how = ", stored as in " + s.Host.Package.Label
	case s.Own != (Hand{}):
		how = ", completed by hand"
	}
	p.line(1, "%s %s%s", what, s.Name, how)
}

func (p *printer) step(t *Step) {
	by := ""
	switch {
	case t.Whole != Hand{}:
		by = ", completed by hand with its resource"
	case t.Hand != Hand{}:
		by = ", completed by hand"
	}
	p.line(1, "%s %s to %s%s", t.Kind, t.Far.spell(), t.Near.spell(), by)
	if t.Far.Mirror {
		p.line(2, "as the spec")
	} else {
		p.moves(t)
	}
	for _, part := range t.Parts {
		p.line(2, "by way of %s to %s", part.Far.spell(), part.Near.spell())
	}
}

func (p *printer) moves(t *Step) {
	for _, name := range t.Custom {
		p.line(2, "%s must be completed by hand", name)
	}
	for _, m := range t.Moves {
		p.line(2, "%s", m)
	}
	for _, d := range t.Derived {
		p.line(2, "%s", d)
	}
	for _, e := range t.Empties {
		p.line(2, "where %s is absent, %s is not filled", e.Far.Property.Name, e.Fills.Near.Property.Name)
	}
	if t.Further != nil {
		p.further(t.Further)
	}
}

// further prints how further members convert: the keys of those that some version names, and the
// names of the others.
func (p *printer) further(f *Further) {
	of := "JSON"
	if f.Typed {
		of = "objects"
	}
	p.line(2, "further members are %s", of)
	for i, n := range f.Named {
		p.line(3, "%s under the key %s, of the kind %s", n.Name, n.Key, FurtherKind(n))
		p.lists(4, f.Free[i])
	}
	for _, other := range []struct {
		what  string
		names []string
	}{{"unlike", f.Unlike}, {"foreign to the far side", f.Far}, {"foreign to the near side", f.Near}} {
		if other.names != nil {
			p.line(3, "%s: %s", other.what, strings.Join(other.names, ", "))
		}
	}
}

// spell returns the name of a struct with its package.
func (s *Struct) spell() string {
	if s.Compat {
		return s.Package.Label + " compat " + s.Name
	}
	return s.Package.Label + " " + s.Name
}

func (k StepKind) String() string { return [...]string{"step", "convert", "fuse"}[k] }

// String describes a move in one line.
func (m *Move) String() string {
	why := ""
	if m.Why != "" {
		why = ": " + m.Why
	}
	switch {
	case m.Action == Keep && m.Far.Property.Name == m.Near.Property.Name:
		return "keep " + m.Far.Property.Name + m.old() + m.called() + why
	case m.Action == Keep:
		return "keep " + m.Far.Property.Name + " as " + m.Near.Property.Name + m.old() + m.called() + why
	case m.Action == Fetch:
		return "fetch " + m.Near.Property.Name + " from the bag, key " + spellEntries(m.Up) + why
	}
	return "stow " + m.Far.Property.Name + " in the bag, key " + spellEntries(m.Down) + why
}

// String describes in one line what functions derive.
func (d *Derived) String() string {
	switch {
	case d.FillsNear():
		return "fill " + d.Near.Property.Name + " with " + spellCalls(d.To) + ", marked " + d.ID
	case d.FillsFar():
		return "fill " + d.Far.Property.Name + " of the far side with " + spellCalls(d.From) + ", marked " + d.ID
	}
	if d.Moved != nil {
		return "move " + d.Operation.From + " by " + d.Operation.String() + ", else from " + d.Moved.Far.spell() + "; back from " + d.Moved.Near.spell()
	}
	if o := d.Operation; o != nil {
		return "make " + d.Near.Property.Name + " by " + o.String() + ", and " + d.Far.Property.Name + " by " + o.Inverse().String() +
			", else from " + strings.Join(d.Properties, ", key ")
	}
	return "make " + d.Near.Property.Name + " with " + spellCalls(d.To) + ", and " + d.Far.Property.Name + " with " + spellCalls(d.From) +
		", else from " + strings.Join(d.Properties, ", key ")
}

// spell describes where a bag of the other side has the value.
func (e MovedEnd) spell() string {
	out := "the bag"
	if len(e.Objects) > 0 {
		out += " of " + strings.Join(e.Objects, ".")
	}
	out += ", key " + e.Key
	if len(e.Within) > 0 {
		out += " at " + strings.Join(e.Within, ".")
	}
	return out
}

func spellCalls(calls []Call) string {
	var names []string
	for _, c := range calls {
		names = append(names, c.Name+c.Value)
	}
	return strings.Join(names, ", then ")
}

// called describes which values have other names on the near side.
func (m *Move) called() string {
	var out []string
	for pair := range slices.Chunk(m.Values, 2) {
		out = append(out, pair[0]+" as "+pair[1])
	}
	if out == nil {
		return ""
	}
	return ", " + strings.Join(out, ", ")
}

// old describes the former keys from which a kept property is read too.
func (m *Move) old() string {
	if keys := m.Keys(); len(keys) > 0 {
		return ", else from the bag, key " + strings.Join(keys, ", then ")
	}
	return ""
}

// spellEntries lists keys, with the types of their values if they differ from the property's.
func spellEntries(entries []*Entry) string {
	var out []string
	for _, e := range entries {
		s := e.Key
		if len(e.Steps) > 0 && e.Type.Struct != nil {
			s += " as " + e.Type.Struct.spell()
		}
		out = append(out, s)
	}
	return strings.Join(out, ", then ")
}
