package convert

import (
	"cmp"
	"errors"
	"fmt"
)

// Step lists what becomes of the members of an object. A member that it does not list stays as it
// is.
type Step []Move

// Move is what becomes of one member, by its name in JSON. The additional members of an open object
// are called *.
type Move struct {
	// Name is the member's name where the version and the hub have it under the same name.
	Name string
	// Far is the member's name in the version, Near that in the hub. One of them alone is that of a
	// member that the other side does not have.
	Far, Near string
	// Step is the index of the step that converts the objects in the member, in whatever lists and
	// maps they are. Without it, the objects stay as they are: no move refers to the first step.
	Step int
	// Up are the keys under which the hub's member lies in the version's property bag, Down those
	// under which the version's member lies in the hub's. The first one found is taken. The key of a
	// member that one side alone has is its name, where none is listed.
	Up, Down []Key
}

// Key is a key of a property bag.
type Key struct {
	Name string
	// Written marks the key, other than the first, under which a value is written. Where it is
	// taken, the first one is written.
	Written bool
	// Steps are the indices of the steps between the version and the hub that the value has gone
	// through.
	Steps []int
}

// names are those of a member in the version and in the hub; empty where it has none.
func (m *Move) names() (far, near string) {
	if m.Name != "" {
		return m.Name, m.Name
	}
	return m.Far, m.Near
}

// up are the keys of the hub's member in the version's bag.
func (m *Move) up() []Key {
	if far, near := m.names(); far == "" && len(m.Up) == 0 {
		return []Key{{Name: near}}
	}
	return m.Up
}

// down are the keys of the version's member in the hub's bag.
func (m *Move) down() []Key {
	if far, near := m.names(); near == "" && len(m.Down) == 0 {
		return []Key{{Name: far}}
	}
	return m.Down
}

// sides are the names of a member in the source and in the result of a direction, the keys that it
// is taken from, and those that it goes to.
func (m *Move) sides(up bool) (src, dst string, taken, stow []Key) {
	far, near := m.names()
	if up {
		return far, near, m.up(), m.down()
	}
	return near, far, m.down(), m.up()
}

// check finds what a move lacks in a plan of a number of steps.
func (m *Move) check(steps int) error {
	far, near := m.names()
	if far == "" && near == "" || m.Name != "" && m.Far+m.Near != "" {
		return errors.New("a move has no name, or several")
	}
	if m.Step < 0 || m.Step >= steps {
		return fmt.Errorf("there is no step %d for %s", m.Step, cmp.Or(far, near))
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
