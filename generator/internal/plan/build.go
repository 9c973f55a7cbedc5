package plan

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/refine"
)

// Options of planning. First are resource types, lower case, whose names stand
// before those of others: the ledger's, in order of arrival.
// Hubs are the labels of former hubs by lower-case resource type.
type Options struct {
	First []string
	Hubs  map[string][]string
}

// Decide makes the plan of a chain.
func Decide(c *chain.Chain, opts Options) *Plan {
	out := &Plan{}
	for _, g := range c.Groups {
		out.Groups = append(out.Groups, decideGroup(g, opts))
	}
	return out
}

// grouper plans one group.
type grouper struct {
	group   *Group
	all     []*node
	classes int
	structs []*Struct // by class
	sample  []*node   // by class: its first node
	byLabel map[string]*Package
}

func decideGroup(c *chain.Group, opts Options) *Group {
	g := &grouper{group: &Group{Chain: c}, byLabel: map[string]*Package{}}
	g.kinds(opts.First)
	g.nodes()
	for _, n := range g.all {
		if n.spec {
			n.onwards(n.last()).fuse()
		}
	}
	g.classify()
	g.declare()
	g.name()
	g.steps()
	g.share()
	g.fuses()
	g.roots()
	g.store(opts.Hubs)
	slices.SortStableFunc(g.group.Kinds, func(a, b *Kind) int {
		return strings.Compare(strings.ToLower(a.Resource.Model.Type), strings.ToLower(b.Resource.Model.Type))
	})
	return g.group
}

// last is the place's object that is nearest to the hub.
func (n *node) last() *node {
	for n.onward != nil {
		n = n.onward
	}
	return n
}

// kinds makes kinds and packages, those first that have arrived first.
func (g *grouper) kinds(first []string) {
	rank := map[string]int{}
	for i, t := range first {
		rank[t] = i - len(first)
	}
	resources := slices.Clone(g.group.Chain.Resources)
	slices.SortStableFunc(resources, func(a, b *chain.Resource) int {
		x, y := strings.ToLower(a.Model.Type), strings.ToLower(b.Model.Type)
		if d := rank[x] - rank[y]; d != 0 {
			return d
		}
		return strings.Compare(x, y)
	})
	for _, r := range resources {
		k := &Kind{Group: g.group, Resource: r, Name: r.Model.Kind}
		for _, v := range r.Versions {
			kv := &KindVersion{Kind: k, Version: v, Package: g.pkg(v.Label)}
			kv.Package.Kinds = append(kv.Package.Kinds, kv)
			k.Versions = append(k.Versions, kv)
		}
		g.group.Kinds = append(g.group.Kinds, k)
	}
	slices.SortFunc(g.group.Packages, func(a, b *Package) int { return strings.Compare(a.Label, b.Label) })
}

func (g *grouper) pkg(label string) *Package {
	p := g.byLabel[label]
	if p == nil {
		p = &Package{Group: g.group, Label: label}
		g.byLabel[label] = p
		g.group.Packages = append(g.group.Packages, p)
	}
	return p
}

// declare makes a struct of every class, in order of first reach.
func (g *grouper) declare() {
	g.structs = make([]*Struct, g.classes)
	g.sample = make([]*node, g.classes)
	for _, n := range g.all {
		if g.structs[n.class] != nil {
			continue
		}
		p := g.byLabel[n.version.Label]
		s := &Struct{Package: p, Owner: n.kind.Versions[n.version.Index], Name: n.def.Name, Doc: n.def.Doc}
		s.Host = s
		if n.spec {
			s.Role = Spec
		}
		g.structs[n.class], g.sample[n.class] = s, n
		p.Structs = append(p.Structs, s)
	}
	for class, s := range g.structs {
		for _, m := range g.sample[class].members {
			s.Fields = append(s.Fields, &Field{Name: m.ident, Property: m.property, Type: g.typ(m), Additional: m.property.Name == chain.AdditionalName})
		}
	}
}

func (g *grouper) typ(m *member) Type {
	var t Type
	var inner model.Type
	t.Wrap, inner = chain.Unwrap(m.property.Type)
	switch u := inner.(type) {
	case *model.Scalar:
		t.Kind = u.Kind
	case *model.Enum:
		t.Kind, t.Enum = u.Base, newEnum(u)
	case *model.Ref:
		t.Struct = g.structs[m.child.class]
	default:
		t.Any = true
	}
	return t
}

// name gives the structs of every package their names: roots first, then in
// order. A name that is taken is made longer by its resource.
func (g *grouper) name() {
	for _, p := range g.group.Packages {
		names := p.reserveKinds()
		for _, s := range p.Structs {
			if s.Role == Spec {
				s.Name = s.Owner.Kind.Name + "Spec"
				continue
			}
			name := s.Name
			if names[name] {
				name = s.Owner.Kind.Name + refine.Identifier(name)
			}
			s.Name = names.unique(name)
		}
		p.enums(names)
	}
}

// field returns the field of a class's member.
func (s *Struct) field(m *member) *Field {
	if m == nil {
		return nil
	}
	for _, f := range s.Fields {
		if f.Name == m.ident {
			return f
		}
	}
	return nil
}

// steps decides the steps of every struct to its neighbours.
func (g *grouper) steps() {
	for _, n := range g.all {
		if n.next == nil {
			continue
		}
		far, near := g.structs[n.class], g.structs[n.next.class]
		if far.Between(near) != nil {
			continue
		}
		step := &Step{Far: far, Near: near}
		for _, mv := range n.moves() {
			step.Moves = append(step.Moves, &Move{Action: mv.action, Far: far.field(mv.far), Near: near.field(mv.near), Keys: mv.keys, Why: mv.why(n)})
		}
		far.Steps = append(far.Steps, step)
	}
}

// why explains a move in words.
func (mv nodeMove) why(n *node) string {
	switch {
	case mv.action == Keep && mv.far.property.Name == mv.near.property.Name:
		return "same name"
	case mv.action == Keep && strings.EqualFold(mv.far.property.Name, mv.near.property.Name):
		return "same name but for letter case"
	case mv.action == Keep:
		return "renamed by nameInNextVersion"
	case mv.action == Stow && n.next.of(mv.far.lineage) != nil, mv.action == Fetch && n.of(mv.near.lineage) != nil:
		return "of another type in the neighbour"
	}
	return "absent from the neighbour"
}

// fuses decides the fused conversions that go beyond a struct's own storage
// type. Their near sides are hosts.
func (g *grouper) fuses() {
	for _, n := range g.all {
		for _, id := range sortedKeys(n.fused) {
			g.fuse(n, n.fused[id])
		}
	}
}

func (g *grouper) fuse(n *node, f *fused) {
	far, near := g.structs[n.class], g.structs[f.target.class].Host
	if far.Host == near || far.FusedTo(near) != nil {
		return
	}
	step := &Step{Far: far, Near: near}
	for i, m := range n.members {
		at := f.at[i]
		mv := &Move{Action: Keep, Far: far.field(m)}
		if at.via == nil {
			mv.Near = near.field(at.member)
		} else {
			mv.Action, mv.Keys = Stow, at.keys
			mv.Via = g.viaField(n, at.via)
		}
		step.Moves = append(step.Moves, mv)
	}
	far.Fused = append(far.Fused, step)
}

// viaField is the field whose storage type a bag entry has.
func (g *grouper) viaField(n *node, m *member) *Field {
	for at := n; at != nil; at = at.onward {
		if at.of(m.lineage) == m {
			return g.structs[at.class].field(m)
		}
	}
	return nil
}

// FusedTo returns the fused conversion to a struct's storage type, nil if there
// is none.
func (s *Struct) FusedTo(near *Struct) *Step {
	for _, t := range s.Fused {
		if t.Near == near {
			return t
		}
	}
	return nil
}

// roots makes the status structs, which mirror the specs, and ties the roots to
// their kinds.
func (g *grouper) roots() {
	mirror := map[*Struct]*Struct{}
	for _, n := range g.all {
		if !n.spec {
			continue
		}
		kv := n.kind.Versions[n.version.Index]
		kv.Spec = g.structs[n.class]
		kv.Status = &Struct{Package: kv.Package, Owner: kv, Role: Status, Name: n.kind.Name + "Status", Fields: kv.Spec.Fields}
		kv.Status.Host = kv.Status
		mirror[kv.Spec] = kv.Status
	}
	for spec, status := range mirror {
		status.Steps = mirrored(spec.Steps, mirror)
		status.Fused = mirrored(spec.Fused, mirror)
	}
	for _, p := range g.group.Packages {
		for _, kv := range p.Kinds {
			p.Structs = append(p.Structs, kv.Status)
		}
	}
}

func mirrored(steps []*Step, mirror map[*Struct]*Struct) []*Step {
	var out []*Step
	for _, s := range steps {
		out = append(out, &Step{Far: mirror[s.Far], Near: mirror[s.Near], Moves: s.Moves})
	}
	return out
}

// store marks the versions that are or have been hubs, and what they hold.
func (g *grouper) store(former map[string][]string) {
	for _, k := range g.group.Kinds {
		labels := former[strings.ToLower(k.Resource.Model.Type)]
		for _, kv := range k.Versions {
			if kv.Hub = kv.Version.Next == nil || slices.Contains(labels, kv.Version.Label); kv.Hub {
				kv.Spec.store()
				kv.Status.store()
			}
		}
	}
}

func (s *Struct) store() {
	if s.Stored {
		return
	}
	s.Stored = true
	for _, f := range s.Fields {
		if f.Type.Struct != nil {
			f.Type.Struct.Host.store()
		}
	}
}
