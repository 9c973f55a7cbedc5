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

// maxText is the length of the longest text of a path, in bytes. Paths of deep objects share their
// steps, but their texts would grow with the square of the depth.
const maxText = 1024

// String spells a path as in spec.phones[2].number. Of a path with a longer text than maxText, it
// spells the last steps alone, after an ellipsis.
func (p *Path) String() string {
	var texts []string
	for length := 0; p != nil; p = p.around {
		text := p.text()
		if length += len(text); length > maxText && len(texts) > 0 {
			break
		}
		texts = append(texts, text)
	}
	slices.Reverse(texts)
	out := strings.Join(texts, "")
	if p != nil {
		return "…" + out
	}
	return strings.TrimPrefix(out, ".")
}

// text spells a step with what separates it from the step before. It cuts off a name that is longer
// than maxText.
func (s step) text() string {
	switch {
	case s.index >= 0:
		return "[" + strconv.Itoa(s.index) + "]"
	case len(s.name) > maxText:
		return "." + strings.ToValidUTF8(s.name[:maxText], "") + "…"
	default:
		return "." + s.name
	}
}
