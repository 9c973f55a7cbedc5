package plan

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/refine"
)

// Options of planning. First are resource types, lower case, whose names stand
// before those of others: the ledger's, in order of arrival.
// Hubs are the labels of former hubs by lower-case resource type.
// Serving reports what clusters do with an API version; nil serves all.
type Options struct {
	First   []string
	Hubs    map[string][]string
	Serving func(*chain.Resource, *chain.Version) Serving
	// AddStatus reports whether versions without a status subresource are given one.
	// Nil is never.
	AddStatus     func(*chain.Resource) bool
	Augmentations []augmentation.Method
	Functions     []Function
	// Own are the packages whose types are API types as they are.
	Own []*augmentation.Package
	// Exports are what users want among the API types of a package, by the folder of that.
	Exports map[string][]Export
	// FreeJSON are the properties that are free JSON since branches of a union cannot be merged.
	FreeJSON []refine.Conflict
}

// Decide makes the plan of a chain. A plan that is returned once the context has
// ended is incomplete.
func Decide(ctx context.Context, c *chain.Chain, opts Options) *Plan {
	out := &Plan{}
	hands := newHands(opts.Augmentations)
	freeJSON := freeJSONByVersion(opts.FreeJSON)
	for _, g := range c.Groups {
		decided := decideGroup(ctx, g, opts, hands)
		if ctx.Err() != nil {
			return out
		}
		decided.FreeJSON = freeJSON.of(g)
		out.Groups = append(out.Groups, decided)
	}
	out.Unused = hands.unused()
	return out
}

// grouper plans one group.
type grouper struct {
	ctx       context.Context
	group     *Group
	hands     *hands
	functions map[functionKey][]Function
	all       []*node
	rootNodes []*node // those of specs and of statuses of their own
	nodes     map[nodeKey]*node
	links     map[linkKey]*link
	classes   int
	structs   []*Struct // by class
	sample    []*node   // by class: its first node
	clones    map[cloneKey]*Struct
	made      map[stepKey][]*link
	furthers  map[*chain.Place]*furthers
	farSides  map[*link]*farSide
	touched   map[*link]bool // by hand-written steps, its own or of what it contains
	byLabel   map[string]*Package
}

// stopped reports whether the context has ended: then nobody uses the plan.
func (g *grouper) stopped() bool { return g.ctx.Err() != nil }

// decideGroup makes the plan of a group, floor by floor. Each floor relies on those
// before it to be complete.
func decideGroup(ctx context.Context, c *chain.Group, opts Options, h *hands) *Group {
	g := &grouper{ctx: ctx, group: &Group{Chain: c}, hands: h, functions: newFunctions(opts.Functions), byLabel: map[string]*Package{}, nodes: map[nodeKey]*node{}, links: map[linkKey]*link{}, furthers: map[*chain.Place]*furthers{}, farSides: map[*link]*farSide{}}
	g.kinds(opts.First)
	g.own(opts.Own)
	for _, p := range g.group.Packages {
		p.Exports = opts.Exports[p.Folder()]
	}
	for _, floor := range []func(){
		g.makeNodes, g.linkNodes, g.declareAll, g.share, g.replace, g.roots, g.makeSteps, g.reach, g.express,
		func() { g.store(opts.Hubs) },
		func() { g.serve(opts.Serving) },
		func() { g.subresources(opts.AddStatus) },
		g.addMembers, g.list, g.shorten, g.planJSON, g.dropNarrow,
	} {
		if floor(); g.stopped() {
			return nil
		}
	}
	slices.SortStableFunc(g.group.Kinds, func(a, b *Kind) int {
		return strings.Compare(strings.ToLower(a.Resource.Model.Type), strings.ToLower(b.Resource.Model.Type))
	})
	return g.group
}

// linkNodes links all nodes with their neighbours, and roots with the hub.
func (g *grouper) linkNodes() {
	for _, n := range g.all {
		if n.next != nil {
			g.neighbour(n)
		}
	}
	for _, n := range g.rootNodes {
		g.fuse(n.onwards(n.last()))
	}
}

// declareAll sorts nodes into structs and names them. Hand-written steps are
// found by these names, and cut fused conversions into parts, for which types may
// have to be told apart.
func (g *grouper) declareAll() {
	for !g.stopped() {
		g.classify()
		g.declare()
		g.name()
		if len(g.hands.all) == 0 && len(g.functions) == 0 && !slices.ContainsFunc(g.all, (*node).isDeclared) {
			return
		}
		before := len(g.links)
		g.touch()
		g.cutAll()
		if before == len(g.links) {
			return
		}
	}
}

// isDeclared reports whether users have declared changes of a node's properties.
func (n *node) isDeclared() bool {
	return slices.ContainsFunc(n.members, func(m *member) bool { return n.place.Change(n.version.Index, m.property) != nil })
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
		return cmp.Or(cmp.Compare(rank[x], rank[y]), strings.Compare(x, y))
	})
	for _, r := range resources {
		k := newKind(g.group, r)
		for _, v := range r.Versions {
			kv := newKindVersion(k, v, g.pkg(v.Label))
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
	g.clones = map[cloneKey]*Struct{}
	for _, p := range g.group.Packages {
		p.Structs, p.Enums, p.Clones = nil, nil, nil
	}
	for _, n := range g.all {
		if g.structs[n.class] != nil {
			continue
		}
		p := g.home(n)
		s := &Struct{Package: p, Owner: n.kind.Versions[n.version.Index], Name: n.def.Name, Doc: n.doc(), Union: n.def.Object().Union, Facts: n.def.Object().Facts, Map: n.def.Map != nil}
		s.Host, s.Role, s.observed = s, n.role, n.place.Observed
		g.structs[n.class], g.sample[n.class] = s, n
		p.Structs = append(p.Structs, s)
	}
	for class, s := range g.structs {
		for _, m := range g.sample[class].members {
			f := g.field(m, g.typ(m))
			f.API = g.served(m, f.Type)
			s.Fields = append(s.Fields, f)
		}
	}
}

// doc is what the source states about a node's type, as such or of what stands in a list or map.
func (n *node) doc() string { return cmp.Or(n.def.Doc, n.def.Object().Facts.Text("description")) }

func (g *grouper) field(m *member, t Type) *Field {
	return &Field{Name: m.ident, Property: m.property, Type: t, Additional: m.property.Name == chain.AdditionalName}
}

// served is a member's type in the API, where that has maps in place of some objects.
func (g *grouper) served(m *member, stored Type) Type {
	if m.child == nil || m.child.def.Map == nil {
		return stored
	}
	further := m.child.open()
	inner := g.served(further, g.typ(further))
	inner.Wrap = stored.Wrap + inner.Wrap
	return inner
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
// order, those of specs before those that only statuses have. A name that is taken
// is made longer by its resource. What only generated code uses comes last.
func (g *grouper) name() {
	for _, p := range g.group.Packages {
		names := p.reserveKinds()
		for _, observed := range []bool{false, true} {
			for _, s := range p.Structs {
				if s.observed == observed && !s.Map {
					s.rename(names)
				}
			}
			p.enums(names, observed)
		}
		for _, s := range p.Structs {
			if s.Map {
				s.rename(names)
			}
		}
		for _, kv := range p.Kinds { // types keep their names, whatever else there comes to be
			kv.PlanName = names.unique(kv.Kind.Name + "Plan")
		}
	}
}

func (s *Struct) rename(names idents) {
	if s.Role != Nested {
		s.Name = s.Owner.Kind.Name + s.Role.String()
		return
	}
	name, _, _ := strings.Cut(s.Name, " ") // that of a map is numbered
	if names[name] && s.observed && !strings.HasSuffix(name, model.StatusSuffix) {
		name += model.StatusSuffix
	}
	if names[name] {
		name = s.Owner.Kind.Name + refine.Identifier(name)
	}
	s.Name = names.unique(name)
}

// roots ties the roots to their kinds, and makes the status structs that mirror
// specs.
func (g *grouper) roots() {
	for _, n := range g.all {
		kv := n.kind.Versions[n.version.Index]
		switch n.role {
		case Spec:
			kv.Spec = g.structs[n.class]
		case Status:
			kv.Status = g.structs[n.class]
		}
	}
	for _, p := range g.group.Packages {
		for _, kv := range p.Kinds {
			if kv.Status == nil {
				kv.Status = kv.mirrored()
				kv.Status.Own = g.hands.own(kv.Status)
				p.Structs = append(p.Structs, kv.Status)
			}
		}
	}
}

// mirrored makes a status of the spec's fields.
func (kv *KindVersion) mirrored() *Struct {
	s := &Struct{Package: kv.Package, Owner: kv, Role: Status, Mirror: true, Name: kv.Kind.Name + "Status", Fields: kv.Spec.Fields}
	s.Host = s
	return s
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

func (g *grouper) serve(serving func(*chain.Resource, *chain.Version) Serving) {
	for _, k := range g.group.Kinds {
		for _, kv := range k.Versions {
			switch {
			case kv.Package.Pruned():
			case serving == nil:
				kv.Serving = Current
			default:
				kv.Serving = serving(k.Resource, kv.Version)
			}
		}
	}
}

func (g *grouper) subresources(add func(*chain.Resource) bool) {
	for _, k := range g.group.Kinds {
		added := add != nil && add(k.Resource)
		for _, kv := range k.Versions {
			kv.Subresource = added || k.Resource.Model.HasStatusSubresource(kv.Version.Model)
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
