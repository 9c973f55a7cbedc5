package crd

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// costing are the members of a rule that its cost depends on.
var costing = []string{"rule", "messageExpression", "optionalOldSelf"}

// counting are the keywords around a rule that determine how often it is evaluated, and whether it
// may use oldSelf.
var counting = []string{"type", "maxItems", "maxProperties", "x-kubernetes-list-type", "x-kubernetes-map-type", "additionalProperties", intOrString}

// ruleSchema returns the schema of whole objects, without what the rules in it do not depend on;
// empty without rules. Schemas that are equal to each other have equal rules with equal costs.
func ruleSchema(schema *syntax.Value) string {
	s := ruled{}
	if !s.find(schema) {
		return ""
	}
	var out strings.Builder
	s.write(&out, schema, false)
	return out.String()
}

// ruled has the schemas that have rules, or that contain such schemas.
type ruled map[*syntax.Value]bool

// find reports whether a schema has rules within it, and adds those that have.
func (s ruled) find(schema *syntax.Value) bool {
	has := len(schema.Member(model.RuleKeyword).All()) > 0
	for _, v := range within(schema) {
		has = s.find(v) || has
	}
	if has {
		s[schema] = true
	}
	return has
}

// within returns the schemas of the members, elements and values of a schema.
func within(schema *syntax.Value) []*syntax.Value {
	out := schema.Member("properties").All()
	for _, name := range []string{"items", "additionalProperties"} {
		if v := schema.Member(name); v.Kind() == syntax.Object {
			out = append(slices.Clip(out), v)
		}
	}
	return out
}

// write writes a schema as JSON. Below a rule, it writes everything that a rule may read.
func (s ruled) write(out *strings.Builder, schema *syntax.Value, below bool) {
	below = below || len(schema.Member(model.RuleKeyword).All()) > 0
	members(out, schema, func(m *syntax.Value) func() {
		name, isSchema := m.Name(), m.Kind() == syntax.Object
		switch {
		case name == "properties" && isSchema:
			return func() {
				members(out, m, func(p *syntax.Value) func() {
					return only(below || s[p], func() { s.write(out, p, below) })
				})
			}
		case (name == "items" || name == "additionalProperties") && isSchema:
			return only(below || s[m], func() { s.write(out, m, below) })
		case name == model.RuleKeyword:
			return func() { writeRules(out, m) }
		}
		return only(below && !slices.Contains(model.ForPeople, name) || slices.Contains(counting, name), func() { out.WriteString(m.JSON()) })
	})
}

// writeRules writes rules as JSON, without what their costs do not depend on.
func writeRules(out *strings.Builder, rules *syntax.Value) {
	out.WriteByte('[')
	for i, rule := range rules.All() {
		if i > 0 {
			out.WriteByte(',')
		}
		members(out, rule, func(m *syntax.Value) func() {
			return only(slices.Contains(costing, m.Name()), func() { out.WriteString(m.JSON()) })
		})
	}
	out.WriteByte(']')
}

// members writes an object with some members of v. writer returns the function that writes the
// value of a member; nil for a member that is left out.
func members(out *strings.Builder, v *syntax.Value, writer func(m *syntax.Value) func()) {
	out.WriteByte('{')
	first := true
	for _, m := range v.All() {
		write := writer(m)
		if write == nil {
			continue
		}
		if !first {
			out.WriteByte(',')
		}
		first = false
		out.WriteString(syntax.Quote(m.Name()) + ":")
		write()
	}
	out.WriteByte('}')
}

// only returns a function if a condition holds, and nil otherwise.
func only(holds bool, write func()) func() {
	if !holds {
		return nil
	}
	return write
}
