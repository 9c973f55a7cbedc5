package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/operator/plugin/fieldpath"
)

// AnsweredStatus is the status that the external API returned, with the names that users see.
type AnsweredStatus struct{ status map[string]any }

// AnsweredStatusOf decodes the status that the external API returned.
func AnsweredStatusOf(answer []byte, names Names) (AnsweredStatus, error) {
	found, err := members(answer, names)
	if err != nil {
		return AnsweredStatus{}, fmt.Errorf("read the status of the external API: %w", err)
	}
	s := AnsweredStatus{map[string]any{}}
	for name, data := range found {
		if s.status[name], err = decodeAny(data); err != nil {
			return AnsweredStatus{}, fmt.Errorf("read the status of the external API: %w", err)
		}
	}
	return s, nil
}

// Value returns the value at a path as text, and whether there is one. A path to an object or a
// list is an error.
func (s AnsweredStatus) Value(text string) ([]byte, bool, error) {
	path, err := fieldpath.Parse(text)
	if err != nil {
		return nil, false, err
	}
	value, _ := fieldpath.Get(s.status, path)
	switch value := value.(type) {
	case nil:
		return nil, false, nil
	case string:
		return []byte(value), value != "", nil
	case json.Number, bool:
		return fmt.Append(nil, value), true, nil
	}
	return nil, false, fmt.Errorf("path %q leads to an object or a list, which is no value of a key", text)
}

// Meets reports whether a path leads to a secret, into a secret, or to a value that contains one.
func (s SecretPaths) Meets(path fieldpath.Path) bool {
	return slices.ContainsFunc(s, func(pattern []string) bool {
		for i := range min(len(pattern), len(path)) {
			if !isStep(pattern[i], path[i]) {
				return false
			}
		}
		return true
	})
}

// isStep reports whether a step of the path of a secret equals a step of another path. It ignores
// letter case, since services may do so.
func isStep(pattern string, step fieldpath.Step) bool {
	if step.Name == "" {
		return pattern == anyElement
	}
	return pattern == anyMember || strings.EqualFold(pattern, step.Name)
}
