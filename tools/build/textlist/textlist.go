package textlist

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Lines returns the entries of a list, without the space around them.
func Lines(text string) []string {
	var entries []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			entries = append(entries, line)
		}
	}
	return entries
}

// Accepted are findings that a test accepts, and the reason of each.
type Accepted map[string]string

// ReadAccepted reads a file whose entries have the names of findings, separated by spaces, then a
// tab and the reason. An entry without a reason is an error.
func ReadAccepted(file string) (Accepted, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read accepted findings: %w", err)
	}
	a := Accepted{}
	for _, entry := range Lines(string(text)) {
		names, reason, found := strings.Cut(entry, "\t")
		if !found {
			return nil, fmt.Errorf("%s: %q has no reason", file, entry)
		}
		for _, name := range strings.Fields(names) {
			a[name] = reason
		}
	}
	return a, nil
}

// Compare returns the findings that the list does not accept, in their order, and the accepted ones
// that were not found, sorted.
func (a Accepted) Compare(found []string) (fresh, gone []string) {
	left := maps.Clone(a)
	for _, finding := range found {
		if _, ok := a[finding]; !ok {
			fresh = append(fresh, finding)
		}
		delete(left, finding)
	}
	return fresh, slices.Sorted(maps.Keys(left))
}
