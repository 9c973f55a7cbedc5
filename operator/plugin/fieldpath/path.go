package fieldpath

import (
	"fmt"
	"strconv"
	"strings"
)

// Path is the path of a value: properties.keys[0].value, or tags["a.b"].
type Path []Step

// Step is a member of an object or an element of an array.
type Step struct {
	Name  string
	Index int // of an element, if the name is empty
}

// maxSteps exceeds the depth of any schema.
const maxSteps = 100

// Parse parses a path.
func Parse(text string) (Path, error) {
	var path Path
	rest := text
	for first := true; rest != "" || first; first = false {
		step, left, err := nextStep(rest, first)
		if err != nil {
			return nil, fmt.Errorf("path %q: %w", text, err)
		}
		path, rest = append(path, step), left
		if len(path) > maxSteps {
			return nil, fmt.Errorf("path %q has more than %d steps", text, maxSteps)
		}
	}
	return path, nil
}

func nextStep(text string, first bool) (Step, string, error) {
	if strings.HasPrefix(text, "[") {
		return bracket(text)
	}
	if !first {
		var ok bool
		if text, ok = strings.CutPrefix(text, "."); !ok {
			return Step{}, "", fmt.Errorf("a dot or a bracket is wanted before %q", text)
		}
	}
	end := strings.IndexAny(text, ".[")
	if end < 0 {
		end = len(text)
	}
	if end == 0 || strings.ContainsAny(text[:end], `]"() `) {
		return Step{}, "", fmt.Errorf("%q is not the name of a member", text[:end])
	}
	return Step{Name: text[:end]}, text[end:], nil
}

// bracket parses an index, or a quoted name.
func bracket(text string) (Step, string, error) {
	if strings.HasPrefix(text, `["`) {
		quoted, err := strconv.QuotedPrefix(text[1:])
		if err != nil {
			return Step{}, "", fmt.Errorf("a quoted name has no end")
		}
		rest, ok := strings.CutPrefix(text[1+len(quoted):], "]")
		name, err := strconv.Unquote(quoted)
		if !ok || err != nil || name == "" {
			return Step{}, "", fmt.Errorf("%s is not a name in brackets", quoted)
		}
		return Step{Name: name}, rest, nil
	}
	inside, rest, ok := strings.Cut(text[1:], "]")
	index, err := strconv.Atoi(inside)
	if !ok || err != nil || index < 0 {
		return Step{}, "", fmt.Errorf("[%s] is not an index", inside)
	}
	return Step{Index: index}, rest, nil
}

// String returns the path in the syntax of Parse.
func (p Path) String() string {
	var b strings.Builder
	for i, step := range p {
		switch {
		case step.Name == "":
			fmt.Fprintf(&b, "[%d]", step.Index)
		case strings.ContainsAny(step.Name, `.[]"() `):
			fmt.Fprintf(&b, "[%s]", strconv.Quote(step.Name))
		case i > 0:
			b.WriteString("." + step.Name)
		default:
			b.WriteString(step.Name)
		}
	}
	return b.String()
}
