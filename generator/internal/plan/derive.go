package plan

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/operation"
)

// Function is what a source states about a property since a version: that earlier values convert
// with functions, that it is given a value where there was none, or that some of its values have
// other names. Type and Property are names in that version.
type Function struct {
	Resource, Version, Type, Property string

	Up, Down *Call    // to the version, and back; both nil where values convert by themselves
	Fill     *Call    // what objects of earlier versions get; nil for nothing
	Mark     string   // identifies the fill in bags for ever, also when its version is pruned
	Values   []string // pairs of an earlier value and what it is called since; a permutation
}

// Call is a function that generated code calls, or a value in its place. It is one of the runtime's
// if it has no package.
type Call struct {
	Package, Name string
	Fails         bool   // it returns an error beside its value
	Value         string // in JSON; empty for a function
}

// Derived is a property of a step that functions make of another. A fill has one side only, and its
// first call takes nothing.
type Derived struct {
	Far, Near *Field
	To, From  []Call
	// Mark is the key of a fill, whichever side it fills: under it a bag notes what was filled, or
	// that a client has left the property absent. It stays when other versions or hubs come, since
	// stored objects have it.
	Mark string
	// Operation makes the near property of the far one, and its inverse the far property of the near
	// one, as the user has declared; nil where functions do so.
	Operation *operation.Operation
	// Properties are those of the far side that the near one lacks: the JSON name of each, followed
	// by its key in the near side's bag.
	Properties []string
	// NearKey is the key of the near property in the far side's bag, of declared changes.
	NearKey string
}

// FillsNear reports whether the far side has no such property.
func (d *Derived) FillsNear() bool { return d.Far == nil }

// FillsFar reports whether the near side has no such property.
func (d *Derived) FillsFar() bool { return d.Near == nil }

// Empty is a property of a leaf that the version before lacks, and that the step from there to the
// hub fills: where the leaf has none, it must not. The leaf itself is not filled.
type Empty struct {
	Far   *Field
	Fills *Derived
	Near  *Struct // what is filled
}

// Name is that of the near side's field, or of the only one.
func (d *Derived) Name() string {
	if d.Near == nil {
		return d.Far.Name
	}
	return d.Near.Name
}

// Completed reports whether functions, or hand-written steps, complete what the moves of a step do.
func (t *Step) Completed() bool {
	return t.Hand != (Hand{}) || len(t.Derived)+len(t.Empties) > 0 || t.renamesValues()
}

// derives reports whether hand-written steps or functions derive values in a step, or in one of
// which it consists. Nil does not.
func (t *Step) derives(seen map[*Step]bool) bool {
	if t == nil || seen[t] {
		return false
	}
	seen[t] = true
	within := func(t *Step) bool { return t.derives(seen) }
	return t.Hand != (Hand{}) || len(t.Derived) > 0 || slices.ContainsFunc(t.Parts, within) || slices.ContainsFunc(t.Moves, func(m *Move) bool {
		return within(m.Step) || slices.ContainsFunc(slices.Concat(m.Up, m.Down), func(e *Entry) bool { return slices.ContainsFunc(e.Steps, within) })
	})
}

func (t *Step) renamesValues() bool {
	return slices.ContainsFunc(t.Moves, func(m *Move) bool { return m.Values != nil })
}

// linkDerived is Derived, of members.
type linkDerived struct {
	far, near *member
	to, from  []Call
	operation *operation.Operation
	mark      string // of a fill
}

type functionKey struct{ resource, version, typ, property string }

func newFunctions(all []Function) map[functionKey][]Function {
	out := map[functionKey][]Function{}
	for _, f := range all {
		k := functionKey{strings.ToLower(f.Resource), f.Version, f.Type, f.Property}
		out[k] = append(out[k], f)
	}
	return out
}

// derive finds what functions do between two neighbours.
func (g *grouper) derive(l *link) {
	if len(g.functions) == 0 || !l.steps() {
		return
	}
	for _, mv := range l.moves {
		m := mv.far
		if m == nil {
			m = mv.near
		}
		far, near := l.far.node.of(m.lineage), l.near.node.of(m.lineage)
		if functions := g.functionsOf(l, m); len(functions) > 0 {
			l.deriveMember(mv, far, near, functions)
		}
		if !l.forwards() && l.near.node.next != nil {
			g.deriveEmpty(l, m)
		}
	}
}

// deriveEmpty finds what fills a leaf's property on the way to the hub. If the step to the leaf
// fills it too, both fills have one mark, and that step notes what is absent.
func (g *grouper) deriveEmpty(l *link, m *member) {
	fillsLeaf := func(x *linkDerived) bool { return x.near == nil && x.far.lineage == m.lineage }
	if empty := g.fills(g.neighbour(l.near.node), m); empty != nil && !slices.ContainsFunc(l.derived, fillsLeaf) {
		l.empties = append(l.empties, empty)
	}
}

// linkEmpty is Empty, of members.
type linkEmpty struct {
	far   *member
	link  *link
	fills *linkDerived
}

// fills finds what fills a leaf's property, which its neighbour lacks, on the way to the hub.
func (g *grouper) fills(l *link, m *member) *linkEmpty {
	for _, x := range l.derived {
		if x.far == nil && x.near.lineage == m.lineage {
			return &linkEmpty{m, l, x}
		}
	}
	return nil
}

// emptied makes what a step states about properties that are not to be filled.
func (g *grouper) emptied(l *link) []*Empty {
	var out []*Empty
	for _, x := range l.empties {
		near := g.of(x.link.near)
		out = append(out, &Empty{Far: g.of(l.far).field(x.far), Near: near, Fills: &Derived{Near: near.field(x.fills.near), To: x.fills.to, Mark: x.fills.mark}})
	}
	return out
}

// functionsOf are the functions of a member's lineage that come with versions between two
// neighbours, the earliest first.
func (g *grouper) functionsOf(l *link, m *member) []Function {
	from, to := l.far.node.version.Index, l.near.node.version.Index
	var out []Function
	for i := min(from, to) + 1; i <= max(from, to); i++ {
		p, d := m.lineage.Live[i], m.lineage.Place.Defs[i]
		if p == nil {
			continue
		}
		r := m.lineage.Place.Resource
		out = append(out, g.functions[functionKey{strings.ToLower(r.Model.Type), r.Versions[i].Model.Name, d.Name, p.Name}]...)
	}
	return out
}

// forwards reports whether the near end of a link is the later version.
func (l *link) forwards() bool { return l.far.node.version.Index < l.near.node.version.Index }

func (l *link) deriveMember(mv *linkMove, far, near *member, functions []Function) {
	switch {
	case mv.action == Keep:
		for _, f := range functions {
			mv.values = renamedTwice(mv.values, f.Values)
		}
		if !l.forwards() {
			slices.Reverse(mv.values)
		}
	case far != nil && near != nil:
		l.convert(mv, far, near, functions)
	case near != nil && l.forwards():
		if calls := filling(functions); calls != nil {
			l.derived = append(l.derived, &linkDerived{near: near, to: calls, mark: markOf(functions)})
		}
	case far != nil && !l.forwards():
		if calls := filling(functions); calls != nil {
			l.derived = append(l.derived, &linkDerived{far: far, from: calls, mark: markOf(functions)})
		}
	}
}

// applyChanges finds what users have declared between two neighbours. Functions that convert a
// property come first.
func (g *grouper) applyChanges(l *link) {
	if !l.steps() {
		return
	}
	for _, mv := range l.moves {
		m := mv.far
		if m == nil || l.near.node.of(m.lineage) == nil || l.derives(mv) {
			continue
		}
		for _, o := range m.lineage.Changes(l.far.node.version.Index, l.near.node.version.Index) {
			switch {
			case o.Kind == operation.Values && mv.action == Keep:
				mv.values = renamedTwice(mv.values, o.Renames())
			case o.Kind != operation.Values && mv.action != Keep:
				l.derived = append(l.derived, &linkDerived{far: m, near: l.near.node.of(m.lineage), operation: &o})
			}
		}
	}
}

// declares reports what the user has declared about the property of a move; nil for nothing.
func (l *link) declares(mv *linkMove) *operation.Operation {
	for _, x := range l.derived {
		if x.operation != nil && (x.far == mv.far || x.near == mv.near) {
			return x.operation
		}
	}
	return nil
}

// markOf returns the mark of what fills a property. All versions that fill it from one neighbour
// have the same, in both directions, so that each reads what clients of the others have removed,
// also after the hub has moved past them.
func markOf(functions []Function) string {
	i := slices.IndexFunc(functions, func(f Function) bool { return f.Fill != nil })
	return functions[i].Mark
}

// filling returns the calls that give a value to a property that earlier versions lack; nil for
// none. Functions that rename values do not apply to it.
func filling(functions []Function) []Call {
	var out []Call
	for _, f := range functions {
		switch {
		case f.Fill != nil:
			out = []Call{*f.Fill} // of the version that has the property again, if it was away
		case f.Up != nil && out != nil:
			out = append(out, *f.Up)
		}
	}
	return out
}

// renamedTwice is what values are called after two permutations.
func renamedTwice(first, second []string) []string {
	var out []string
	for pair := range slices.Chunk(first, 2) {
		out = append(out, pair[0], called(second, pair[1]))
	}
	for pair := range slices.Chunk(second, 2) {
		if called(first, pair[0]) == pair[0] {
			out = append(out, pair...)
		}
	}
	return out
}

func called(pairs []string, value string) string {
	for pair := range slices.Chunk(pairs, 2) {
		if pair[0] == value {
			return pair[1]
		}
	}
	return value
}

// convert lets functions make one value of the other. Both moves speak of them; that of the far
// side is asked.
func (l *link) convert(mv *linkMove, far, near *member, functions []Function) {
	if mv.far == nil {
		return
	}
	x := &linkDerived{far: far, near: near}
	for _, f := range functions {
		if f.Up == nil {
			continue
		}
		x.to, x.from = append(x.to, *f.Up), append([]Call{*f.Down}, x.from...)
	}
	if !l.forwards() {
		x.to, x.from = x.from, x.to
	}
	if len(x.to) > 0 {
		l.derived = append(l.derived, x)
	}
}

// isConverted reports whether functions make the near property of a move of one that the far side
// has, on every step that does not hand it over: then the far side can express it.
func (g *grouper) isConverted(l *link, mv *linkMove) bool {
	if mv.action != Fetch || l.far.node.of(mv.near.lineage) == nil {
		return false
	}
	if l.route == nil {
		return l.converts(mv.near.lineage)
	}
	for i, near := range l.route[1:] {
		far := l.route[i]
		if !mv.near.lineage.Transfers(far.version.Index, near.version.Index) && !(far.next == near && g.neighbour(far).converts(mv.near.lineage)) {
			return false
		}
	}
	return true
}

// converts reports whether functions convert the property of a lineage that both sides have.
// Declared changes do not count: one side has values that the other cannot express, and the runtime
// compares each value with what the other side makes of it.
func (l *link) converts(lineage *chain.Lineage) bool {
	return slices.ContainsFunc(l.derived, func(x *linkDerived) bool {
		return x.operation == nil && x.far != nil && x.near != nil && x.near.lineage == lineage
	})
}

// derives reports whether functions convert the property of a move.
func (l *link) derives(mv *linkMove) bool {
	return slices.ContainsFunc(l.derived, func(x *linkDerived) bool {
		return x.far != nil && x.near != nil && (x.far == mv.far || x.near == mv.near)
	})
}

// isDerived reports whether functions complete a link. What is not to be filled is of a link whose
// next one is completed.
func (l *link) isDerived() bool {
	return len(l.derived) > 0 || slices.ContainsFunc(l.moves, func(mv *linkMove) bool { return mv.values != nil })
}

// derivations makes what functions do in a step.
func (l *link) derivations(far, near *Struct, moves []*Move) []*Derived {
	var out []*Derived
	for _, x := range l.derived {
		d := &Derived{Far: far.field(x.far), Near: near.field(x.near), To: x.to, From: x.from, Operation: x.operation, Mark: x.mark}
		for _, m := range moves {
			if m.Action == Stow && m.Far == d.Far {
				d.Properties = []string{m.Far.Stored(), Written(m.Down).Key}
			}
			if m.Action == Fetch && m.Near == d.Near && d.Operation != nil {
				d.NearKey = Written(m.Up).Key
			}
		}
		out = append(out, d)
	}
	return out
}

// appendText spells what functions do.
func (x *linkDerived) appendText(out []byte) []byte {
	for _, m := range [...]*member{x.far, x.near} {
		if m != nil {
			out = append(append(out, " derive "...), m.ident...)
		}
	}
	for _, c := range slices.Concat(x.to, x.from) {
		out = append(append(append(append(out, ' '), c.Package...), c.Name...), c.Value...)
	}
	if x.operation != nil {
		out = append(append(out, ' '), x.operation.String()...)
	}
	return append(append(out, ' '), x.mark...)
}
