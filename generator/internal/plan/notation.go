package plan

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
)

// Notation spells how objects of a version become the hub's, as the runtime's
// plans have it.
type Notation struct {
	Steps string
	// Status is the number of the step between statuses; 0 is that between specs.
	Status int
	Held   []Held // in order of steps
}

// Held is the type that a bag holds on one side of a step.
type Held struct {
	Step int
	Type *Struct
}

// notate spells how the objects of all versions become the hub's.
func (g *grouper) notate() {
	for _, k := range g.group.Kinds {
		for _, kv := range k.Versions {
			if !kv.Version.Pruned && !g.stopped() {
				kv.Notation = kv.notation()
			}
		}
	}
}

func (k *KindVersion) notation() *Notation {
	seen := map[*Struct]bool{}
	if k.Spec.completed(seen) || k.Status.completed(seen) {
		return nil
	}
	hub := k.Kind.Hub()
	if k == hub {
		return &Notation{}
	}
	n := &notation{number: map[*Step]int{}}
	n.of(k.Spec.Between(hub.Spec))
	status, at := k.Status.Between(hub.Status), 0
	switch {
	case !k.Status.Mirror:
		at = n.of(status)
	case status.Completed():
		return nil
	}
	for i := 0; i < len(n.steps); i++ {
		if !n.step(n.steps[i]) {
			return nil
		}
	}
	slices.SortFunc(n.held, func(a, b Held) int { return cmp.Compare(a.Step, b.Step) })
	return &Notation{Steps: strings.Join(n.texts, ";"), Status: at, Held: n.held}
}

// completed reports whether a hand-written step is between an API type, or what it
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

// notation numbers steps in the order in which they are named.
type notation struct {
	steps  []*Step
	number map[*Step]int
	texts  []string
	held   []Held
}

// isSame reports whether two are one type of one step: types that are stored as one have a name in
// several packages.
func (h Held) isSame(o Held) bool {
	return h.Step == o.Step && h.Type.Host == o.Type.Host
}

// holds notes the type that lies in a bag where one step is between it and the
// property.
func (n *notation) holds(e *Entry) {
	if len(e.Way) != 1 || e.Type.Struct == nil {
		return
	}
	h := Held{Step: n.of(e.Way[0]), Type: e.Type.Struct}
	if !slices.ContainsFunc(n.held, h.isSame) {
		n.held = append(n.held, h)
	}
}

func (n *notation) of(t *Step) int {
	i, known := n.number[t]
	if !known {
		i = len(n.steps)
		n.number[t] = i
		n.steps = append(n.steps, t)
	}
	return i
}

// step spells a step, and reports whether it is without hand-written ones.
func (n *notation) step(t *Step) bool {
	var words []string
	for _, m := range t.Moves {
		if word := n.move(m); word != "" {
			words = append(words, word)
		}
	}
	if t.Further != nil && !slices.Contains(words, "*") {
		words = append(words, "*") // what becomes of these depends on their names
	}
	n.texts = append(n.texts, strings.Join(words, " "))
	return !t.Completed() && t.Parts == nil
}

// move spells a move; it is empty for a member that stays as it is.
func (n *notation) move(m *Move) string {
	far, near := fieldName(m.Far), fieldName(m.Near)
	var b strings.Builder
	b.WriteString(far)
	if near != far {
		b.WriteString(">" + near)
	}
	if m.Way != nil {
		b.WriteString("#" + strconv.Itoa(n.of(m.Way)))
	}
	n.entries(&b, "^", m.Up)
	n.entries(&b, "!", m.Down)
	if b.Len() == len(far) {
		return ""
	}
	return b.String()
}

func (n *notation) entries(b *strings.Builder, mark string, entries []*Entry) {
	for i, e := range entries {
		if b.WriteString(mark); i == 0 {
			mark = ","
		}
		b.WriteString(word(e.Key))
		if e.Written && i > 0 {
			b.WriteString("=")
		}
		n.holds(e)
		for _, way := range e.Way {
			b.WriteString("#" + strconv.Itoa(n.of(way)))
		}
	}
}

func fieldName(f *Field) string {
	switch {
	case f == nil:
		return ""
	case f.Property.Name == chain.AdditionalName:
		return "*"
	}
	return word(f.Stored())
}
