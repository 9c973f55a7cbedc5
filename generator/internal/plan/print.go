package plan

import (
	"fmt"
	"strings"
)

// Print writes the plan of a group as text: its packages, the structs with
// their storage types' hosts, and what becomes of every property in every step.
func Print(g *Group) []byte {
	p := &printer{}
	p.line(0, "group %s", g.Chain.Name)
	for _, k := range g.Kinds {
		p.kind(k)
	}
	for _, pkg := range g.Packages {
		p.line(0, "package %s", pkg.Label)
		for _, s := range pkg.Structs {
			p.structure(s)
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
		switch next := kv.Next(); {
		case next == nil:
			p.line(1, "%s hub", kv.Version.Label)
		case kv.Version.Leaf:
			p.line(1, "%s leaf of %s", kv.Version.Label, next.Version.Label)
		default:
			p.line(1, "%s then %s", kv.Version.Label, next.Version.Label)
		}
	}
}

func (p *printer) structure(s *Struct) {
	host := ""
	if s.Shared() {
		host = ", stored as in " + s.Host.Package.Label
	}
	p.line(1, "struct %s%s", s.Name, host)
	for _, t := range s.Steps {
		p.step("step to", t)
	}
	for _, t := range s.Fused {
		p.step("fused to", t)
	}
}

func (p *printer) step(what string, t *Step) {
	p.line(2, "%s %s %s", what, t.Near.Package.Label, t.Near.Name)
	for _, m := range t.Moves {
		p.line(3, "%s", m)
	}
}

// String says what a move does, in one line.
func (m *Move) String() string {
	why := ""
	if m.Why != "" {
		why = ": " + m.Why
	}
	keys := strings.Join(m.Keys, ", then ")
	switch {
	case m.Action == Keep && m.Far.Property.Name == m.Near.Property.Name:
		return "keep " + m.Far.Property.Name + why
	case m.Action == Keep:
		return "keep " + m.Far.Property.Name + " as " + m.Near.Property.Name + why
	case m.Action == Fetch:
		return "fetch " + m.Near.Property.Name + " from the bag, key " + keys + why
	case m.Via != nil && m.Via.Type.Struct != nil:
		return "stow " + m.Far.Property.Name + " in the bag as of " + m.Via.Type.Struct.Package.Label + ", key " + keys + why
	}
	return "stow " + m.Far.Property.Name + " in the bag, key " + keys + why
}
