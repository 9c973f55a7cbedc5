package convert

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/stratakube/strata/runtime/internal/operation"
)

// Step lists the members of an object that change. Other members do not change.
type Step []Move

// Move describes the change of one member. The name * stands for the additional members of an
// open object.
type Move struct {
	// Name is the JSON name of a member that has the same name in the version and the hub.
	Name string
	// Far is the member's name in the version, and Near its name in the hub. If only one is set,
	// the other side lacks the member.
	Far, Near string
	// Step is the index of the step that converts the objects in the member, also within lists
	// and maps. Zero means that the objects do not change: no move refers to the first step.
	Step int
	// Up are the keys of the hub's member in the version's property bag, and Down those of the
	// version's member in the hub's. A conversion takes the first key that the bag has. If no key
	// is listed for a member that only one side has, its key is its name.
	Up, Down []Key
	// Values are strings in the member that have other names in the hub: each name in the version,
	// followed by that in the hub. They form a permutation.
	Values []string
}

// Key is a key of a property bag.
type Key struct {
	Name string
	// Written marks the key under which a conversion writes the value, if that is not the first.
	// If another value has that key, the conversion writes the first key.
	Written bool
	// Steps are the indices of the steps that the value has gone through between the version and
	// the hub.
	Steps []int
}

// names returns the names of a member in the version and in the hub. A name is empty if that side
// lacks the member.
func (m *Move) names() (far, near string) {
	if m.Name != "" {
		return m.Name, m.Name
	}
	return m.Far, m.Near
}

// up returns the keys of the hub's member in the version's bag.
func (m *Move) up() []Key {
	if far, near := m.names(); far == "" && len(m.Up) == 0 {
		return []Key{{Name: near}}
	}
	return m.Up
}

// down returns the keys of the version's member in the hub's bag.
func (m *Move) down() []Key {
	if far, near := m.names(); near == "" && len(m.Down) == 0 {
		return []Key{{Name: far}}
	}
	return m.Down
}

// sides returns the names of a member in the source and in the result of a direction. Taken are
// the keys from which the member is read, and stow those under which it is stored.
func (m *Move) sides(up bool) (src, dst string, taken, stow []Key) {
	far, near := m.names()
	if up {
		return far, near, m.up(), m.down()
	}
	return near, far, m.down(), m.up()
}

// renames returns the operation that gives strings their names in the result of a direction.
func (m *Move) renames(up bool) *operation.Operation {
	pairs := slices.Clone(m.Values)
	if !up {
		slices.Reverse(pairs)
	}
	return new(operation.Rename(pairs...))
}

// Sequence is a step that consists of others. Each converts to the next one's types.
type Sequence struct {
	// Step is the index of the step, which has no moves. Only specs and statuses have such steps.
	Step int
	// Parts are the indices of the steps, from the version to the hub. None of them is a sequence.
	Parts []int
	// Between are blank objects of the types between the parts.
	Between []any
}

// check returns an error if the sequence is not valid in a plan with the given number of steps.
func (s *Sequence) check(steps int) error {
	if s.Step < 0 || s.Step >= steps || len(s.Parts) != len(s.Between)+1 {
		return fmt.Errorf("there is no sequence for the step %d", s.Step)
	}
	for _, part := range s.Parts {
		if part < 1 || part >= steps || part == s.Step {
			return fmt.Errorf("there is no step %d for a sequence", part)
		}
	}
	return nil
}

// check returns an error if the move is not valid in a plan with the given number of steps.
func (m *Move) check(steps int) error {
	far, near := m.names()
	if far == "" && near == "" || m.Name != "" && m.Far+m.Near != "" {
		return errors.New("a move has no name, or several")
	}
	if m.Step < 0 || m.Step >= steps {
		return fmt.Errorf("there is no step %d for %s", m.Step, cmp.Or(far, near))
	}
	if len(m.Values)%2 != 0 || len(m.Values) > 0 && (far == "" || near == "") {
		return fmt.Errorf("the values of %s have no names", cmp.Or(far, near))
	}
	for _, keys := range [][]Key{m.Up, m.Down} {
		for _, k := range keys {
			for _, step := range k.Steps {
				if step < 1 || step >= steps {
					return fmt.Errorf("there is no step %d for the key %s", step, k.Name)
				}
			}
		}
	}
	return nil
}
