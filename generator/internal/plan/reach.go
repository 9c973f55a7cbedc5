package plan

// Reach is what calls the functions of a step.
type Reach uint8

// What reaches steps.
const (
	// Nothing calls the step, directly or through others.
	Nothing Reach = iota
	// Tests alone call the step: they convert neighbour by neighbour what programs convert to the
	// hub at once.
	Tests
	// Programs call the step.
	Programs
)

// reach decides what calls each step. Programs convert between every version and the hub, and tests
// between neighbours, too.
func (g *grouper) reach() {
	for _, k := range g.group.Kinds {
		hub := k.Hub()
		for _, kv := range k.Versions {
			kv.Spec.Between(hub.Spec).reach(Programs)
			kv.Status.Between(hub.Status).reach(Programs)
			if next := kv.Next(); next != nil && k.HasTests {
				kv.Spec.Between(next.Spec).reach(Tests)
				kv.Status.Between(next.Status).reach(Tests)
			}
		}
	}
}

// reach notes that something calls the step, and what the step calls.
func (t *Step) reach(by Reach) {
	if t == nil || t.Reach >= by {
		return
	}
	t.Reach = by
	for _, part := range t.Parts {
		part.reach(by)
	}
	for _, m := range t.Moves {
		m.Way.reach(by)
		for _, entries := range [][]*Entry{m.Up, m.Down} {
			for _, e := range entries {
				for _, way := range e.Way {
					way.reach(by)
				}
			}
		}
	}
}
