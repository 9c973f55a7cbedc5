package express

import (
	"strconv"
	"strings"
)

// step is one step of a path: a member or a key, or the index of an element where index is not
// negative.
type step struct {
	name  string
	index int
}

func member(name string) step { return step{name: name, index: -1} }

// Path is the place of a value in an object.
type Path []step

// String spells a path as in spec.phones[2].number.
func (p Path) String() string {
	var out strings.Builder
	for i, s := range p {
		switch {
		case s.index >= 0:
			out.WriteString("[" + strconv.Itoa(s.index) + "]")
		case i > 0:
			out.WriteString("." + s.name)
		default:
			out.WriteString(s.name)
		}
	}
	return out.String()
}
