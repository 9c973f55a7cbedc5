package plan

// Reach is what calls the function of a step in one direction.
type Reach uint8

// What reaches functions of steps.
const (
	// Nothing calls the function, directly or through others.
	Nothing Reach = iota
	// Tests alone call the function: they convert neighbour by neighbour what programs convert to the
	// hub at once.
	Tests
	// Programs call the function.
	Programs
)

// Reach is what calls the function of a step in a direction.
func (t *Step) Reach(d Direction) Reach { return t.reached[d] }

// reach decides what calls each step. Programs convert between every version and the hub, and tests
// between neighbours, too.
func (g *grouper) reach() {
	for _, k := range g.group.Kinds {
		hub := k.Hub()
		for _, kv := range k.Versions {
			for _, d := range []Direction{Up, Down} {
				kv.Spec.Between(hub.Spec).reach(Programs, d)
				kv.Status.Between(hub.Status).reach(Programs, d)
				if next := kv.Next(); next != nil && k.HasTests {
					kv.Spec.Between(next.Spec).reach(Tests, d)
					kv.Status.Between(next.Status).reach(Tests, d)
				}
			}
		}
	}
}

// reach notes that something calls the function of a step in a direction, and what that calls.
func (t *Step) reach(by Reach, d Direction) {
	if t == nil || t.reached[d] >= by {
		return
	}
	if t.reached == nil {
		t.reached = map[Direction]Reach{}
	}
	t.reached[d] = by
	if !t.isApart() {
		t.reach(by, d.Back())
	}
	for _, part := range t.Parts {
		part.reach(by, d)
	}
	for _, m := range t.Moves {
		for _, step := range m.calls(d) {
			step.reach(by, d)
		}
	}
}

// isApart reports whether the functions of both directions can stand apart: neither calls the
// other, nor do they share anything.
func (t *Step) isApart() bool {
	return t.Kind == Compat && t.Hand == Hand{} && t.Parts == nil && t.Derived == nil && t.Empties == nil && t.Further == nil
}

// calls are the steps that a move calls in a direction. A property that the other side has may come
// from any of its entries in the bag. One that the other side does not have goes to the first, or
// to the one that is written.
func (m *Move) calls(d Direction) []*Step {
	dst, read, back := m.Near, m.Up, m.Down
	if d == Down {
		dst, read, back = m.Far, m.Down, m.Up
	}
	if dst == nil && len(back) > 0 {
		read = []*Entry{back[0], Written(back)}
	}
	calls := []*Step{m.Step}
	for _, e := range read {
		calls = append(calls, e.Steps...)
	}
	return calls
}
