package express

import (
	"slices"
	"strconv"
	"strings"
)

// step is one step of a path: a member or a key, or the index of an element if that is not
// negative.
type step struct {
	name  string
	index int
}

func member(name string) step { return step{name: name, index: -1} }

// Path is the place of a value in an object: a step from the place of what is around it. Nil is the
// object itself. The paths that one inspection finds share what they have in common, so that they
// take no more memory than what was visited, however deep it is.
type Path struct {
	around *Path
	step
}

// to returns the path of a value within the one at a path.
func (p *Path) to(s step) *Path { return &Path{p, s} }

// String spells a path as in spec.phones[2].number.
func (p *Path) String() string {
	var steps []step
	for ; p != nil; p = p.around {
		steps = append(steps, p.step)
	}
	var out strings.Builder
	for i, s := range slices.Backward(steps) {
		switch {
		case s.index >= 0:
			out.WriteString("[" + strconv.Itoa(s.index) + "]")
		case i < len(steps)-1:
			out.WriteString("." + s.name)
		default:
			out.WriteString(s.name)
		}
	}
	return out.String()
}
