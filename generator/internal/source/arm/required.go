package arm

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/jsontree"
)

// required are the names that a schema demands.
type required struct {
	names []string
	taken map[string]bool
}

func (c *compiler) requires(s *schema, r role) *required {
	q := &required{taken: map[string]bool{}}
	if !s.required.Exists() || !c.isList(s.at(s.required), "names") {
		return q
	}
	for n := range s.required.All() {
		name := n.Text()
		switch {
		case n.Kind() != jsontree.String:
			c.fail(s.at(n).errorf("required must list names, not %s", n.Kind()))
		case r == body && s.doc.leavesOut(name) || slices.Contains(q.names, name):
		default:
			q.names = append(q.names, name)
		}
	}
	return q
}

// take tells whether a declared property is required.
func (q *required) take(name string) bool {
	if !slices.Contains(q.names, name) {
		return false
	}
	q.taken[name] = true
	return true
}

// rest are the names that are not declared here.
func (q *required) rest() []string {
	var names []string
	for _, name := range q.names {
		if !q.taken[name] {
			names = append(names, name)
		}
	}
	return names
}
