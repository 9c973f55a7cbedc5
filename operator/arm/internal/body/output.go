package body

import (
	"fmt"
	"strings"

	"github.com/stratakube/strata/operator/plugin/fieldpath"
)

// Output says where a value is that is asked for by a call of its own: listKeys().keys[0].value.
type Output struct {
	Action string
	Path   fieldpath.Path
}

// IsOutput reports whether a path is that of an output.
func IsOutput(text string) bool { return strings.Contains(text, "()") }

// ParseOutput parses the path of an output. As in ARM templates, it allows only actions whose
// names begin with list.
func ParseOutput(text string) (Output, error) {
	action, rest, _ := strings.Cut(text, "()")
	if !isAction(action) {
		return Output{}, fmt.Errorf("path %q: %q is no action that lists, as listKeys", text, action)
	}
	if rest == "" {
		return Output{}, fmt.Errorf("path %q does not name a member of the answer", text)
	}
	path, err := fieldpath.Parse(strings.TrimPrefix(rest, "."))
	if err != nil {
		return Output{}, fmt.Errorf("path %q: %w", text, err)
	}
	return Output{Action: action, Path: path}, nil
}

func isAction(name string) bool {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return false
		}
	}
	return len(name) <= 100 && strings.HasPrefix(strings.ToLower(name), "list")
}
