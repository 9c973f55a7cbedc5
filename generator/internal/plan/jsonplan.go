package plan

import (
	"cmp"
	"slices"

	"github.com/stratakube/strata/generator/internal/chain"
)

// JSONPlan lists how a version's objects convert to the hub as JSON, in the form of the runtime's
// plans. Moves refer to steps by their indices.
type JSONPlan struct {
	// Steps begin with the step between specs, to which no move refers. There are none if the
	// JSON does not change.
	Steps [][]JSONMove
	// Status is the index of the step between statuses; 0 means the same step as between specs.
	Status      int
	StoredTypes []StoredType // in order of steps
	// Changes are the declared changes of steps, in order of steps. Sequences are the steps that
	// consist of others, and have no moves.
	Changes   []JSONChange
	Sequences []JSONSequence
}

// JSONChange is a declared change of a step.
type JSONChange struct {
	Step    int
	Of      *Step
	Derived *Derived
}

// JSONSequence is a step that consists of others, from the far side to the near one.
type JSONSequence struct {
	Step  int
	Parts []int
	// Between are the types between the parts.
	Between []*Struct
}

// JSONMove states how a member converts. A side that lacks the member has an empty name.
type JSONMove struct {
	Far, Near string
	// Step converts the objects in the member; 0 means none.
	Step     int
	Up, Down []JSONKey
	// Values are strings with other names on the near side, as in [Move].
	Values []string
}

// JSONKey is a key of a property bag.
type JSONKey struct {
	Name string
	// Written marks the key that is written. If no key is marked, the first one is.
	Written bool
	// Steps are the steps between the sides and the value in the bag.
	Steps []int
}

// StoredType is the type of a value that a bag stores on one side of a step.
type StoredType struct {
	Step int
	Type *Struct
}

// planJSON makes the JSON plans of all versions.
func (g *grouper) planJSON() {
	for _, k := range g.group.Kinds {
		for _, kv := range k.Versions {
			if !kv.Version.Pruned && !g.stopped() {
				kv.JSONPlan, kv.Outline = kv.jsonPlan()
				kv.Derives = k.isInexact(kv.Version) || kv.Spec.Between(kv.Kind.Hub().Spec).derives(map[*Step]bool{})
			}
		}
	}
}

// jsonPlan returns the plan of a version, or else the outline of its conversions: a plan without
// the hand-written steps.
func (k *KindVersion) jsonPlan() (plan, outline *JSONPlan) {
	seen := map[*Struct]bool{}
	isExact := k.OwnWhole == (Hand{}) && !k.Spec.completed(seen) && !k.Status.completed(seen)
	hub := k.Kind.Hub()
	if k == hub {
		return exact(&JSONPlan{}, isExact)
	}
	n := &jsonPlanner{steps: []*Step{k.Spec.Between(hub.Spec)}, number: map[*Step]int{}}
	status, at := k.Status.Between(hub.Status), 0
	switch {
	case !k.Status.Mirror, status.declares():
		at = n.of(status)
	case status.ByHand():
		isExact = false
	}
	for i := 0; i < len(n.steps); i++ {
		isExact = n.step(n.steps[i]) && isExact
	}
	slices.SortFunc(n.storedTypes, func(a, b StoredType) int { return cmp.Compare(a.Step, b.Step) })
	made := &JSONPlan{Steps: n.moves, Status: at, StoredTypes: n.storedTypes, Changes: n.changes, Sequences: n.sequences}
	if len(made.Steps) == 1 && made.Steps[0] == nil && made.Changes == nil {
		made.Steps = nil
	}
	return exact(made, isExact)
}

// exact returns what was planned as a plan if it is exact, and else as an outline.
func exact(made *JSONPlan, isExact bool) (plan, outline *JSONPlan) {
	if isExact {
		return made, nil
	}
	return nil, made
}

// completed reports whether a hand-written step converts between an API type, or a type that it
// contains, and the storage type.
func (s *Struct) completed(seen map[*Struct]bool) bool {
	if seen[s] {
		return false
	}
	seen[s] = true
	return s.Own != (Hand{}) || slices.ContainsFunc(s.Fields, func(f *Field) bool {
		return f.Type.Struct != nil && f.Type.Struct.completed(seen)
	})
}

// jsonPlanner numbers steps in the order in which moves refer to them. The first step has no
// number. If its objects contain objects of the same type, the step is listed again for these.
type jsonPlanner struct {
	steps       []*Step
	number      map[*Step]int
	moves       [][]JSONMove // of the steps
	storedTypes []StoredType

	changes   []JSONChange
	sequences []JSONSequence
}

// isSame reports whether both have the same step and storage type. A shared storage type has a
// name in several packages.
func (h StoredType) isSame(o StoredType) bool {
	return h.Step == o.Step && h.Type.Host == o.Type.Host
}

// holds records the type of a value in a bag if exactly one step is between the value and the
// property.
func (n *jsonPlanner) holds(e *Entry) {
	if len(e.Steps) != 1 || e.Type.Struct == nil {
		return
	}
	h := StoredType{Step: n.of(e.Steps[0]), Type: e.Type.Struct}
	if !slices.ContainsFunc(n.storedTypes, h.isSame) {
		n.storedTypes = append(n.storedTypes, h)
	}
}

func (n *jsonPlanner) of(t *Step) int {
	i, known := n.number[t]
	if !known {
		i = len(n.steps)
		n.number[t] = i
		n.steps = append(n.steps, t)
	}
	return i
}

// step lists the moves of a step. It reports false if the step has hand-written steps, or functions
// of the author.
func (n *jsonPlanner) step(t *Step) bool {
	at := len(n.moves)
	if t.Parts != nil {
		return n.sequence(t, at)
	}
	var moves []JSONMove
	further := t.Further != nil // what becomes of these depends on their names
	for _, m := range t.Moves {
		move := JSONMove{Far: memberOf(m.Far), Near: memberOf(m.Near), Values: m.Values}
		if m.Step != nil {
			move.Step = n.of(m.Step)
		}
		move.Up, move.Down = n.keys(m.Up), n.keys(m.Down)
		if move.changes() {
			moves = append(moves, move)
			further = further && (move.Far != anyMember || move.Near != anyMember)
		}
	}
	if further {
		moves = append(moves, JSONMove{Far: anyMember, Near: anyMember})
	}
	n.moves = append(n.moves, moves)
	isExact := !t.ByHand() && t.Empties == nil
	for _, x := range t.Derived {
		if x.Operation == nil {
			isExact = false
			continue
		}
		n.changes = append(n.changes, JSONChange{at, t, x})
	}
	return isExact
}

// sequence lists the parts of a step. It reports false if the step has hand-written steps beside.
func (n *jsonPlanner) sequence(t *Step, at int) bool {
	n.moves = append(n.moves, nil)
	s := JSONSequence{Step: at}
	for i, part := range t.Parts {
		s.Parts = append(s.Parts, n.of(part))
		if i > 0 {
			s.Between = append(s.Between, part.Far)
		}
	}
	n.sequences = append(n.sequences, s)
	return !t.ByHand()
}

// declares reports whether a step has parts, or declared changes. Those of a status that mirrors
// the spec have marks of their own.
func (t *Step) declares() bool { return t != nil && (t.Parts != nil || len(t.Derived) > 0) }

// changes reports whether the move changes a member.
func (m JSONMove) changes() bool {
	return m.Far != m.Near || m.Step != 0 || m.Up != nil || m.Down != nil || m.Values != nil
}

func (n *jsonPlanner) keys(entries []*Entry) (keys []JSONKey) {
	for i, e := range entries {
		k := JSONKey{Name: e.Key, Written: e.Written && i > 0}
		n.holds(e)
		for _, step := range e.Steps {
			k.Steps = append(k.Steps, n.of(step))
		}
		keys = append(keys, k)
	}
	return keys
}

// anyMember is the name of additional members.
const anyMember = "*"

func memberOf(f *Field) string {
	switch {
	case f == nil:
		return ""
	case f.Property.Name == chain.AdditionalName:
		return anyMember
	}
	return f.Stored()
}
