package plan

import (
	"bytes"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/refine"
)

type cloneKey struct {
	class int
	clone *Package
}

type stepKey struct {
	far, near *Struct
	home      *Package
}

// of returns the struct of an object.
func (g *grouper) of(o object) *Struct {
	if o.clone == nil {
		return g.structs[o.node.class]
	}
	k := cloneKey{o.node.class, o.clone}
	if s := g.clones[k]; s != nil {
		return s
	}
	model := g.structs[o.node.class]
	s := &Struct{Package: o.clone, Compat: true, Name: o.clone.cloneName(model), Doc: model.Doc, Owner: o.clone.kind(o.node.kind)}
	s.Host = s
	g.clones[k] = s
	o.clone.Clones = append(o.clone.Clones, s)
	for _, m := range o.node.members {
		s.Fields = append(s.Fields, g.field(m, g.typeOf(m, o.within(m))))
	}
	return s
}

// cloneName returns the name of a struct's clone: that of the struct, with its version appended
// if another clone has the name.
func (p *Package) cloneName(of *Struct) string {
	taken := refine.Identifiers{}
	for _, s := range p.Clones {
		taken[s.Name] = 1
	}
	if taken[of.Name] == 0 {
		return of.Name
	}
	return taken.Unique(of.Name + strings.ToUpper(of.Package.Label[:1]) + of.Package.Label[1:])
}

// kind returns the package's version of a kind.
func (p *Package) kind(k *Kind) *KindVersion {
	i := slices.IndexFunc(p.Kinds, func(kv *KindVersion) bool { return kv.Kind == k })
	return p.Kinds[i]
}

// typeOf returns a member's type, with a given type for the objects in it.
func (g *grouper) typeOf(m *member, within object) Type {
	t := g.typ(m)
	if within.node != nil {
		t.Struct = g.of(within)
	}
	return t
}

// makeSteps makes the steps of all storage types, and the steps that convert all roots to the
// hub.
func (g *grouper) makeSteps() {
	g.made = map[stepKey][]*link{}
	for _, n := range g.all {
		if n.next != nil && !g.structs[n.class].Shared() && !g.stopped() {
			g.make(g.neighbour(n))
		}
	}
	for _, n := range g.rootNodes {
		if g.stopped() {
			return
		}
		g.makeRoot(n)
	}
	g.mirror()
}

// makeRoot makes the steps that convert a root to the hub.
func (g *grouper) makeRoot(n *node) {
	r := n.onwards(n.last())
	if parts := g.parts(r); len(parts) > 1 {
		s := g.begin(g.span(r))
		for _, p := range parts {
			s.Parts = append(s.Parts, g.make(p))
		}
		return
	}
	g.make(g.fuse(r))
}

// make returns the step of a link, or the equal step of the host's link; nil if both ends have
// the same storage type.
func (g *grouper) make(l *link) *Step {
	if l == nil {
		return nil
	}
	if l.step != nil {
		return l.step
	}
	far, near := g.of(l.far), g.of(l.near)
	if far.Host == near.Host {
		return nil
	}
	if l.route != nil && g.structs[l.route[1].class].Host == far.Host {
		return g.make(g.fuse(l.route[1:]))
	}
	text := g.further(l).appendText(l.appendText(nil))
	for _, same := range g.made[stepKey{far, near, l.home}] {
		if bytes.Equal(g.further(same).appendText(same.appendText(nil)), text) {
			l.step = same.step
			return l.step
		}
	}
	s := g.begin(l)
	for _, mv := range l.moves {
		s.Moves = append(s.Moves, g.move(l, mv))
	}
	s.Further = g.further(l)
	s.Derived, s.Empties = g.derivations(l, far, near, s.Moves), g.emptied(l)
	return s
}

// begin makes a step without moves, since types are recursive.
func (g *grouper) begin(l *link) *Step {
	far, near := g.of(l.far), g.of(l.near)
	k := stepKey{far, near, l.home}
	s := &Step{Far: far, Near: near, Home: l.home, Owner: l.home.kind(l.far.node.kind), Kind: l.kind(), Variant: len(g.made[k])}
	if l.route == nil {
		s.Hand = g.hand(l)
	}
	if s.Kind == Neighbour {
		s.Custom = customs(l.far.node)
		s.Whole = l.whole()
	}
	l.step = s
	g.made[k] = append(g.made[k], l)
	l.home.Steps = append(l.home.Steps, s)
	return s
}

func (l *link) kind() StepKind {
	switch {
	case l.route != nil:
		return Fused
	case l.steps():
		return Neighbour
	}
	return Compat
}

// customs returns the properties of a node for which the metadata requires a hand-written step.
func customs(n *node) []string {
	var out []string
	for _, m := range n.members {
		if n.place.Mode(n.version.Index, m.property) == chain.Custom {
			out = append(out, m.property.Name)
		}
	}
	return out
}

func (g *grouper) move(l *link, mv *linkMove) *Move {
	far, near := g.of(l.far), g.of(l.near)
	return &Move{
		Action: mv.action, Far: far.field(mv.far), Near: near.field(mv.near),
		Step: g.make(mv.child), Up: g.plain(mv.up), Down: g.plain(mv.down), Values: mv.values, Why: mv.why(l),
	}
}

func (g *grouper) plain(entries []*entry) []*Entry {
	var out []*Entry
	for _, e := range entries {
		x := &Entry{Key: e.name, Written: e.written, Type: g.typeOf(e.like, e.form)}
		for _, w := range e.links {
			if s := g.make(w); s != nil {
				x.Steps = append(x.Steps, s)
			}
		}
		out = append(out, x)
	}
	return out
}

// field returns the field of a class's member.
func (s *Struct) field(m *member) *Field {
	if m == nil {
		return nil
	}
	if len(s.byName) != len(s.Fields) {
		s.byName = make(map[string]*Field, len(s.Fields))
		for _, f := range s.Fields {
			s.byName[f.Name] = f
		}
	}
	return s.byName[m.ident]
}

// why returns the reason for a move in words.
func (mv *linkMove) why(l *link) string {
	switch {
	case l.route != nil:
		return ""
	case mv.action == Keep && mv.far.property.Name == mv.near.property.Name:
		return "same name"
	case mv.action == Keep && strings.EqualFold(mv.far.property.Name, mv.near.property.Name):
		return "same name but for letter case"
	case mv.action == Keep:
		return "renamed by nameInNextVersion"
	case l.declares(mv) != nil:
		return "declared as " + l.declares(mv).String()
	case l.derives(mv):
		return "functions convert it"
	case mv.action == Stow && l.far.node.place.Mode(l.far.node.version.Index, mv.far.property) == chain.None:
		return "conversion is none"
	case mv.action == Stow && l.near.node.of(mv.far.lineage) != nil, mv.action == Fetch && l.far.node.of(mv.near.lineage) != nil:
		return "of another type in the neighbour"
	}
	return "absent from the neighbour"
}

// mirror gives steps of their own to the statuses that mirror their specs.
func (g *grouper) mirror() {
	status := map[*Struct]*Struct{}
	for _, p := range g.group.Packages {
		for _, kv := range p.Kinds {
			if kv.Status.Mirror {
				status[kv.Spec] = kv.Status
			}
		}
	}
	twin := map[*Step]*Step{}
	for _, p := range g.group.Packages {
		for _, s := range slices.Clone(p.Steps) {
			if status[s.Far] == nil {
				continue
			}
			t := *s
			t.Far, t.Near, t.Hand, t.Custom = status[s.Far], status[s.Near], Hand{}, nil
			t.Parts = slices.Clone(s.Parts)
			if s.Kind == Neighbour {
				t.Hand = g.hands.between(t.Far.Folder(), t.Far.Name, t.Near.Folder(), t.Near.Name, t.Near.Name)
			}
			twin[s] = &t
			p.Steps = append(p.Steps, &t)
		}
	}
	for _, t := range twin {
		for i, part := range t.Parts {
			if t.Parts[i] = part; twin[part] != nil {
				t.Parts[i] = twin[part]
			}
		}
	}
}

// Between returns the step between a struct and one nearer to the hub; nil if there is none.
func (s *Struct) Between(near *Struct) *Step {
	for _, t := range s.Package.Steps {
		if t.Far == s && t.Near == near {
			return t
		}
	}
	return nil
}
