package plan

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/parallel"
	"github.com/stratakube/strata/generator/internal/refine"
)

// Options configure Decide. First lists resource types in lower case, in the order in which the
// ledger recorded them; their kinds come before all others. Hubs are the labels of former hubs by
// lower-case resource type. Serving reports how clusters serve an API version; nil means that
// every version is served.
type Options struct {
	First   []string
	Hubs    map[string][]string
	Serving func(*chain.Resource, *chain.Version) Serving
	// AddStatus reports whether versions of a resource without a status subresource get one. Nil
	// means never.
	AddStatus     func(*chain.Resource) bool
	Augmentations []augmentation.Method
	Functions     []Function
	// Own are the packages whose types, written by the author, are used as API types unchanged.
	Own []*augmentation.Package
	// Exports are the user's declarations to export from a package of API types, by that
	// package's folder.
	Exports map[string][]Export
	// FreeJSON are the properties that became free JSON because branches of a union cannot be
	// merged.
	FreeJSON []refine.Conflict
	// Names are the Go names that the user has chosen.
	Names refine.Names
}

// Decide makes the plan of a chain. It plans several groups at once, and calls Serving and
// AddStatus concurrently. The plan is incomplete if ctx ends before Decide returns; the caller must
// check ctx.
func Decide(ctx context.Context, c *chain.Chain, opts Options) *Plan {
	out := &Plan{Groups: make([]*Group, len(c.Groups))}
	hands := newHands(opts.Augmentations)
	freeJSON := freeJSONByVersion(opts.FreeJSON)
	parallel.For(ctx, len(c.Groups), runtime.GOMAXPROCS(0), func(i int) {
		if g := decideGroup(ctx, c.Groups[i], opts, hands); g != nil {
			g.FreeJSON = freeJSON.of(c.Groups[i])
			out.Groups[i] = g
		}
	})
	if ctx.Err() != nil {
		return &Plan{}
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
	rootNodes []*node // of specs, and of statuses that do not mirror the spec
	nodes     map[nodeKey]*node
	links     map[linkKey]*link
	classes   int
	structs   []*Struct // by class
	sample    []*node   // by class: its first node
	clones    map[cloneKey]*Struct
	made      map[stepKey][]*link
	furthers  map[*chain.Place]*furthers
	touched   map[*link]bool // completed by hand-written steps, directly or within
	byLabel   map[string]*Package
	chosen    refine.Names
}

// stopped reports whether the context has ended. Nothing uses the plan then.
func (g *grouper) stopped() bool { return g.ctx.Err() != nil }

// decideGroup makes the plan of a group, stage by stage. Each stage requires that all stages
// before it are complete.
func decideGroup(ctx context.Context, c *chain.Group, opts Options, h *hands) *Group {
	g := &grouper{ctx: ctx, group: &Group{Chain: c}, hands: h, functions: newFunctions(opts.Functions), byLabel: map[string]*Package{}, nodes: map[nodeKey]*node{}, links: map[linkKey]*link{}, furthers: map[*chain.Place]*furthers{}, chosen: opts.Names}
	g.kinds(opts.First)
	g.own(opts.Own)
	g.whole()
	for _, p := range g.group.Packages {
		p.Exports = opts.Exports[p.Folder()]
	}
	for _, floor := range []func(){
		g.makeNodes, g.linkNodes, g.declareAll, g.share, g.replace, g.roots, g.makeSteps, g.reach, g.express,
		func() { g.store(opts.Hubs) },
		func() { g.serve(opts.Serving) },
		func() { g.subresources(opts.AddStatus) },
		g.addMembers, g.list, g.shorten, g.markIntegers, g.planJSON, g.dropNarrow,
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

// linkNodes links every node to its neighbour, and every root to the hub.
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

// declareAll groups nodes into structs and names them, and repeats this until no new link
// appears. Hand-written steps are looked up by these names. They cut fused conversions into
// parts, and the parts may require that a struct is split.
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

// isDeclared reports whether the user has declared a change of one of the node's properties.
func (n *node) isDeclared() bool {
	return n.declaresMove() || slices.ContainsFunc(n.members, func(m *member) bool { return n.place.Change(n.version.Index, m.property) != nil })
}

// last returns the place's object that is nearest to the hub.
func (n *node) last() *node {
	for n.onward != nil {
		n = n.onward
	}
	return n
}

// kinds makes the kinds and packages. Kinds whose resource types the ledger recorded come first.
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
		p = &Package{Group: g.group, Label: label, chosen: g.chosen}
		g.byLabel[label] = p
		g.group.Packages = append(g.group.Packages, p)
	}
	return p
}

// declare makes a struct for every class, in the order of each class's first node.
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

// doc returns the source's description of a node's type: that of the definition, or else that of
// the objects in a list or map.
func (n *node) doc() string { return cmp.Or(n.def.Doc, n.def.Object().Facts.Text("description")) }

func (g *grouper) field(m *member, t Type) *Field {
	return &Field{Name: m.ident, Property: m.property, Type: t, Additional: m.property.Name == chain.AdditionalName}
}

// served returns a member's type in the API, which has maps in place of some stored objects.
func (g *grouper) served(m *member, stored Type) Type {
	if m.child == nil || m.child.def.Map == nil {
		stored.Integer = integerOf(m.property.Type)
		if stored.Enum != nil {
			stored.Enum.Integer = stored.Integer
		}
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

// name names the structs of every package: roots first, then the others in order, those of specs
// before those that only statuses have. If a name is taken, the resource's name is put before it.
// Structs that have a map in the API, and so no API type, come last.
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
		for _, kv := range p.Kinds { // types keep these names, whichever structs are added later
			kv.PlanName = names.Unique(kv.Kind.Name + "Plan")
		}
	}
}

func (s *Struct) rename(names refine.Identifiers) {
	if s.Role != Nested {
		s.Name = s.Owner.Kind.Name + s.Role.String()
		return
	}
	name, _, _ := strings.Cut(s.Name, " ") // that of a map is numbered
	if names[name] > 0 && s.observed && !strings.HasSuffix(name, model.StatusSuffix) {
		name += model.StatusSuffix
	}
	if names[name] > 0 {
		name = s.Owner.Kind.Name + refine.Identifier(name)
	}
	s.Name = names.Unique(name)
}

// roots assigns the root structs to their kinds, and makes the status structs that mirror specs.
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

// mirrored makes a status struct that has the spec's fields.
func (kv *KindVersion) mirrored() *Struct {
	s := &Struct{Package: kv.Package, Owner: kv, Role: Status, Mirror: true, Name: kv.Kind.Name + "Status", Fields: kv.Spec.Fields}
	s.Host = s
	return s
}

// store marks the versions that are or have been hubs, and the structs that their objects
// contain.
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
