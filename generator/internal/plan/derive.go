package plan

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/operation"
)

// Function is a change that a source declares for a property as of a version. It is a pair of
// functions that convert values, a value for objects that have none, or new names of some values.
// Type and Property are names in that version.
type Function struct {
	Resource, Version, Type, Property string

	Up, Down *Call    // to the version, and back; both nil where no function converts values
	Fill     *Call    // the value for objects of earlier versions; nil for none
	ID       string   // identifies the fill in bags; never changes, even after pruning
	Values   []string // pairs of an earlier value and its name as of the version; a permutation
}

// Call is a function that generated code calls, or a constant value. If Package is empty, the
// function belongs to the runtime.
type Call struct {
	Package, Name string
	Fails         bool   // it returns an error beside its value
	Value         string // in JSON; empty for a function
}

// Derived is a property of a step that functions derive from another property. A fill has only
// one of Far and Near, and its first call has no argument.
type Derived struct {
	Far, Near *Field
	To, From  []Call
	// ID is the key of a fill, in both directions. A bag records under it the value that was
	// filled in, or that a client has left the property absent. It stays the same when versions
	// or hubs are added, because stored objects contain it.
	ID string
	// Operation derives the near property from the far one, and its inverse does the reverse, as
	// the user has declared; nil where functions do both.
	Operation *operation.Operation
	// Properties are the properties that the far side has and the near side lacks. Each is its
	// JSON name, followed by its key in the near side's bag.
	Properties []string
	// NearKey is the key of the near property in the far side's bag. It is set for declared
	// changes only.
	NearKey string
	// Moved is nil unless the operation moves the property to another object. Far and Near are
	// then fields of objects within those of the step.
	Moved *Moved
}

// FillsNear reports whether the far side lacks the property, so that the near side is filled.
func (d *Derived) FillsNear() bool { return d.Far == nil }

// FillsFar reports whether the near side lacks the property, so that the far side is filled.
func (d *Derived) FillsFar() bool { return d.Near == nil }

// Empty is a property of a leaf version that the version before it lacks, and that the step from
// that version to the hub fills. If a leaf's object lacks the property, the hub must not be
// filled either. The leaf itself is not filled.
type Empty struct {
	Far   *Field
	Fills *Derived
	Near  *Struct // the struct that is filled
}

// Name returns the name of the near side's field, or of the far side's if there is no near one.
func (d *Derived) Name() string {
	if d.Near == nil {
		return d.Far.Name
	}
	return d.Near.Name
}

// Completed reports whether functions or hand-written steps run in addition to a step's moves.
func (t *Step) Completed() bool {
	return t.ByHand() || len(t.Derived)+len(t.Empties) > 0 || t.renamesValues()
}

// ByHand reports whether hand-written steps of the object, or of its whole resource, complete a
// step.
func (t *Step) ByHand() bool { return t.Hand != (Hand{}) || t.Whole != (Hand{}) }

// derives reports whether hand-written steps or functions derive values in a step or in one that
// it contains. It is false for nil.
func (t *Step) derives(seen map[*Step]bool) bool {
	if t == nil || seen[t] {
		return false
	}
	seen[t] = true
	within := func(t *Step) bool { return t.derives(seen) }
	return t.ByHand() || len(t.Derived) > 0 || slices.ContainsFunc(t.Parts, within) || slices.ContainsFunc(t.Moves, func(m *Move) bool {
		return within(m.Step) || slices.ContainsFunc(slices.Concat(m.Up, m.Down), func(e *Entry) bool { return slices.ContainsFunc(e.Steps, within) })
	})
}

func (t *Step) renamesValues() bool {
	return slices.ContainsFunc(t.Moves, func(m *Move) bool { return m.Values != nil })
}

// linkDerived is a [Derived] in terms of members.
type linkDerived struct {
	far, near *member
	to, from  []Call
	operation *operation.Operation
	id        string     // of a fill
	moved     *linkMoved // nil unless the operation moves the property
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

// derive finds the functions that convert or fill properties between two neighbours.
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

// deriveEmpty finds the fill of a leaf's property on the path to the hub. If the step to the leaf
// fills the property too, both fills have one mark. That step then records absent values.
func (g *grouper) deriveEmpty(l *link, m *member) {
	fillsLeaf := func(x *linkDerived) bool { return x.near == nil && x.far.lineage == m.lineage }
	if empty := g.fills(g.neighbour(l.near.node), m); empty != nil && !slices.ContainsFunc(l.derived, fillsLeaf) {
		l.empties = append(l.empties, empty)
	}
}

// linkEmpty is an [Empty] in terms of members.
type linkEmpty struct {
	far   *member
	link  *link
	fills *linkDerived
}

// fills finds the fill of a leaf's property that its neighbour lacks, on the path to the hub.
func (g *grouper) fills(l *link, m *member) *linkEmpty {
	for _, x := range l.derived {
		if x.far == nil && x.near.lineage == m.lineage {
			return &linkEmpty{m, l, x}
		}
	}
	return nil
}

// emptied returns the Empties of a step: the properties that it must leave absent.
func (g *grouper) emptied(l *link) []*Empty {
	var out []*Empty
	for _, x := range l.empties {
		near := g.of(x.link.near)
		out = append(out, &Empty{Far: g.of(l.far).field(x.far), Near: near, Fills: &Derived{Near: near.field(x.fills.near), To: x.fills.to, ID: x.fills.id}})
	}
	return out
}

// functionsOf returns the functions declared for a member's lineage in the versions between two
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
			l.derived = append(l.derived, &linkDerived{near: near, to: calls, id: fillID(functions)})
		}
	case far != nil && !l.forwards():
		if calls := filling(functions); calls != nil {
			l.derived = append(l.derived, &linkDerived{far: far, from: calls, id: fillID(functions)})
		}
	}
}

// applyChanges applies the changes that the user has declared between two neighbours. Where
// functions convert a property, its declared changes are ignored.
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
	g.applyMoves(l)
}

// declares returns the operation that the user has declared for the property of a move; nil for
// none.
func (l *link) declares(mv *linkMove) *operation.Operation {
	if mv.declared != nil {
		return mv.declared
	}
	for _, x := range l.derived {
		if x.operation != nil && x.moved == nil && (x.far == mv.far || x.near == mv.near) {
			return x.operation
		}
	}
	return nil
}

// fillID returns the mark of a property's fill. All versions that fill the property from one
// neighbour share it, in both directions. So each version sees which values clients of the others
// have removed, also after the hub has moved past them.
func fillID(functions []Function) string {
	i := slices.IndexFunc(functions, func(f Function) bool { return f.Fill != nil })
	return functions[i].ID
}

// filling returns the calls that give a value to a property that earlier versions lack; nil for
// none. Functions that rename values do not apply to it.
func filling(functions []Function) []Call {
	var out []Call
	for _, f := range functions {
		switch {
		case f.Fill != nil:
			out = []Call{*f.Fill} // of the version that adds it again, if it was removed
		case f.Up != nil && out != nil:
			out = append(out, *f.Up)
		}
	}
	return out
}

// renamedTwice composes two permutations of values, and returns pairs of a first and a last name.
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

// convert lets functions derive each of two values from the other. Both sides have a move for
// them; convert handles that of the far side, and ignores the other.
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

// isConverted reports whether functions derive a move's near property from one that the far side
// has, on every step that does not hand the property over. Then the far side can represent it.
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
// Declared changes do not count: one side has values that the other cannot represent. The runtime
// compares each of these with the value that the other side derives from it.
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

// isDerived reports whether functions complete a link. Empties do not count: the next link of the
// route fills, and is completed itself.
func (l *link) isDerived() bool {
	return len(l.derived) > 0 || slices.ContainsFunc(l.moves, func(mv *linkMove) bool { return mv.values != nil })
}

// derivations returns the Deriveds of a step.
func (g *grouper) derivations(l *link, far, near *Struct, moves []*Move) []*Derived {
	var out []*Derived
	for _, x := range l.derived {
		if x.moved != nil {
			out = append(out, g.movedDerivation(x))
			continue
		}
		d := &Derived{Far: far.field(x.far), Near: near.field(x.near), To: x.to, From: x.from, Operation: x.operation, ID: x.id}
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

// appendText appends a text of the functions to out, to compare links by.
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
		out = append(append(append(append(out, ' '), x.operation.From...), ' '), x.operation.String()...)
	}
	return append(append(out, ' '), x.id...)
}
