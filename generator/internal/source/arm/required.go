package arm

import (
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// required is the list of names that a schema requires.
type required struct {
	names []string
	taken map[string]bool // all names; true if a property of the name is declared
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
		case r == body && s.doc.leavesOut(name) || q.has(name):
		default:
			q.names = append(q.names, name)
			q.taken[name] = false
		}
	}
	return q
}

// take reports whether a declared property is required.
func (q *required) take(name string) bool {
	if !q.has(name) {
		return false
	}
	q.taken[name] = true
	return true
}

func (q *required) has(name string) bool {
	_, has := q.taken[name]
	return has
}

// rest returns the required names that are not declared here.
func (q *required) rest() []string {
	var names []string
	for _, name := range q.names {
		if !q.taken[name] {
			names = append(names, name)
		}
	}
	return names
}
