package convert

import (
	"errors"
	"fmt"

	"github.com/stratakube/strata/runtime/internal/declared"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// Change is a change of a property that the user declares between the sides of a step. The moves of
// the step store the property of each side in the other's bag. The change then sets it on both.
type Change struct {
	// Step is the index of the step.
	Step int
	// Moves means that another object has the property on the other side. Else both paths are one
	// name.
	Moves bool
	// Property is where the property is on both sides, and how its value converts.
	Property declared.Moved
}

// check returns an error if the change is not valid in a plan with the given number of steps.
func (c *Change) check(steps int) error {
	if c.Step < 0 || c.Step >= steps {
		return fmt.Errorf("there is no step %d for the change %s", c.Step, c.Property.ID)
	}
	for _, end := range []declared.MovedEnd{c.Property.Far, c.Property.Near} {
		if len(end.Path) <= len(end.Objects) || end.Key == "" || !c.Moves && len(end.Path) > 1 {
			return errors.New("the change " + c.Property.ID + " has no path, or no key")
		}
	}
	if !c.Moves && c.Property.Far.Key == c.Property.Near.Key {
		return errors.New("the change " + c.Property.ID + " has one key for the values of both sides, of which a bag may have both")
	}
	return nil
}

// keys returns the keys of a property that stays in its object.
func (c *Change) keys() declared.Keys {
	return declared.Keys{ID: c.Property.ID, Far: c.Property.Far.Key, Near: c.Property.Near.Key}
}

// changing has the declared changes of a recast.
type changing struct {
	up    bool
	to    *shape.Shape
	inner []*Change         // of properties that stay in their object
	moves []*declared.Moved // of the others
}
