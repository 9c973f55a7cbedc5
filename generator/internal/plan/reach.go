package plan

// Reach states which code calls the function of a step in one direction.
type Reach uint8

// The values of Reach.
const (
	// Nothing calls the function, directly or through others.
	Nothing Reach = iota
	// Tests means that only tests call the function: they convert between neighbours, and
	// programs convert directly to the hub.
	Tests
	// Programs means that programs call the function.
	Programs
)

// Reach returns which code calls the function of a step in a direction.
func (t *Step) Reach(d Direction) Reach { return t.reached[d] }

// reach computes the Reach of each step. Programs convert between every version and the hub.
// Tests convert between neighbours too.
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

// reach records that the function of a step is called in a direction, and so are the functions
// that it calls.
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

// isApart reports whether a step's two functions are independent: neither calls the other, and
// they share nothing.
func (t *Step) isApart() bool {
	return t.Kind == Compat && t.Hand == Hand{} && t.Parts == nil && t.Derived == nil && t.Empties == nil && t.Further == nil
}

// calls returns the steps that a move calls in a direction. If the target side has the property,
// its value may come from any of its bag entries. Else the value is stored under the first key or
// the marked one.
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
