package rulecost

import (
	"regexp"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// Bound is a keyword that would bound a cost, and the path of the schema that lacks it.
type Bound struct {
	Path    Path
	Keyword string
}

// The largest number of bounds that are listed for a rule, and of schemas that are visited for
// them.
const (
	maxBounds  = 10
	maxVisited = 1000
)

// missing lists the bounds that the schemas around a rule lack, if they do not bound how often the
// rule is evaluated, and those of the values that the rule reads.
func (n *node) missing(rule string) []Bound {
	var out []Bound
	add := func(of *node) {
		if keyword := unbounded(of.schema); keyword != "" && len(out) < maxBounds {
			out = append(out, Bound{of.path(), keyword})
		}
	}
	if n.context.MaxCardinality == nil {
		var around []*node
		for of := n.parent; of != nil; of = of.parent {
			around = append(around, of)
		}
		for i := range around {
			add(around[len(around)-1-i])
		}
	}
	reads := map[string]bool{}
	for _, word := range words.FindAllString(rule, -1) {
		reads[word] = true
	}
	queue := []*node{n}
	for visited := 0; len(queue) > 0 && visited < maxVisited && len(out) < maxBounds; visited++ {
		of := queue[0]
		queue = queue[1:]
		add(of)
		for _, c := range of.children {
			name, ok := apiservercel.Escape(c.step.name)
			if c.step.kind != property || ok && reads[name] {
				queue = append(queue, c)
			}
		}
	}
	return out
}

// words matches the identifiers in a rule.
var words = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

// unbounded returns the keyword that would bound the size of a value; empty if the schema bounds
// it.
func unbounded(s *apiextensions.JSONSchemaProps) string {
	switch {
	case s.XIntOrString && s.MaxLength == nil:
		return "maxLength"
	case s.Type == "array" && s.MaxItems == nil:
		return "maxItems"
	case s.Type == "object" && s.AdditionalProperties != nil && s.MaxProperties == nil:
		return "maxProperties"
	case s.Type != "string" || s.MaxLength != nil || len(s.Enum) > 0:
		return ""
	case s.Format == "duration" || s.Format == "date" || s.Format == "date-time":
		return ""
	}
	return "maxLength"
}
