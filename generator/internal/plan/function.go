package plan

import "strconv"

// Direction is that of a conversion: to the hub or from it.
type Direction string

// The directions.
const (
	Up   Direction = "To"
	Down Direction = "From"
)

// Back returns the other direction.
func (d Direction) Back() Direction {
	if d == Up {
		return Down
	}
	return Up
}

// Name returns the name of a step in a direction. It is unique among the steps of its package,
// and among those of its tests.
func (t *Step) Name(d Direction) string {
	far, near := t.Far.Name, "V"+t.Near.Package.Label[1:]
	if t.Far.Compat {
		far = "Compat" + far
		if t.Far.Package != t.Home {
			far = "V" + t.Far.Package.Label[1:] + far
		}
	}
	if t.Near.Compat {
		near += "Compat"
	}
	if t.Near.Name != t.Far.Name {
		near += t.Near.Name
	}
	name := far + string(d) + near
	if t.Variant > 0 {
		name += "Variant" + strconv.Itoa(t.Variant+1)
	}
	if t.Reach(d) == Tests {
		return t.Home.Label + name
	}
	return name
}

// Function returns the name of the function of a step in a direction.
func (t *Step) Function(d Direction) string {
	if t.Reach(d) == Tests {
		return t.Name(d)
	}
	return "Convert" + t.Name(d)
}

// IsForTests reports whether only tests convert the storage type of a version to that of near.
// Programs convert directly to the hub.
func (k *KindVersion) IsForTests(near *KindVersion) bool { return !near.IsHub() }

// Function returns the name of the function that converts a resource's storage type to one nearer
// to the hub, or back.
func (k *KindVersion) Function(d Direction, near *KindVersion) string {
	name := k.Kind.Name + string(d) + "V" + near.Package.Label[1:]
	if k.IsForTests(near) {
		return k.Package.Label + name
	}
	return "Convert" + name
}
