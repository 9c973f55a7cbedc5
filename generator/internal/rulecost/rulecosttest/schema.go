// Package rulecosttest draws schemas with rules (CEL) for tests.
package rulecosttest

import (
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"pgregory.net/rapid"
)

// rules are rules that fit values of a type, and some that do not compile. The last ones are
// message expressions of any type.
var rules = map[string][]string{
	"string": {
		"self.size() > 1", "self.matches('^[a-z]+(/[a-z]+)*$')", "self.contains('abcdefghijklmnopqrstuvwxyz')", "self == oldSelf",
		"self.split('a').all(x, x.matches('^b+c*d+$'))", "self > 1", "self.size(",
	},
	"integer": {"self > 3", "self >= oldSelf", "self.size() > 1"},
	"array": {
		"self.all(x, self.exists(y, x == y))", "self.size() < 9", "self.all(x, self.all(y, self.all(z, x == y || y == z)))", "self == oldSelf",
		"self.map(x, string(x)).join('').matches('^a*b$')",
	},
	"map":    {"self.all(k, k.matches('^[a-z]+$'))", "self.size() < 9", "self.exists(k, self[k] == self['a'])"},
	"object": {"has(self.a)", "!has(self.a) || self.a == self.a", "self == oldSelf", "has(self.missing)", "!has(self.a) || !has(self.b) || self.a == self.b"},
	"":       {"", "'no ' + string(self.size())", "'no'", "self.size() > 1"},
}

// Schema draws a schema with rules, and with others within it to a depth. Many schemas have rules
// that API servers refuse.
func Schema(t *rapid.T, depth int) v1.JSONSchemaProps {
	limit := func(label string) *int64 {
		return rapid.SampledFrom([]*int64{nil, new(int64(0)), new(int64(3)), new(int64(40)), new(int64(5000)), new(int64(1 << 40))}).Draw(t, label)
	}
	kinds := []string{"string", "integer", "object"}
	if depth > 0 {
		kinds = append(kinds, "array", "array", "map", "object", "object")
	}
	kind := rapid.SampledFrom(kinds).Draw(t, "type")
	s := v1.JSONSchemaProps{Type: kind}
	switch kind {
	case "string":
		s.MaxLength = limit("maxLength")
		s.Format = rapid.SampledFrom([]string{"", "", "byte", "date-time"}).Draw(t, "format")
	case "array":
		elem := Schema(t, depth-1)
		s.Items, s.MaxItems = &v1.JSONSchemaPropsOrArray{Schema: &elem}, limit("maxItems")
		if elem.Type == "object" && elem.AdditionalProperties == nil && rapid.Bool().Draw(t, "keyed") {
			elem.Properties["k"], elem.Required = v1.JSONSchemaProps{Type: "string", MaxLength: new(int64(8))}, append(elem.Required, "k")
			s.XListType, s.XListMapKeys = new("map"), []string{"k"}
		}
	case "map":
		elem := Schema(t, depth-1)
		s.Type, s.AdditionalProperties, s.MaxProperties = "object", &v1.JSONSchemaPropsOrBool{Allows: true, Schema: &elem}, limit("maxProperties")
	case "object":
		s.Properties = map[string]v1.JSONSchemaProps{}
		if rapid.Bool().Draw(t, "atomic") {
			s.XMapType = new("atomic")
		}
		for _, name := range []string{"a", "b", "c-d", "namespace"}[:rapid.IntRange(1, 4).Draw(t, "members")] {
			s.Properties[name] = Schema(t, depth-1)
			if rapid.Bool().Draw(t, "required") {
				s.Required = append(s.Required, name)
			}
		}
	}
	for range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "rules") {
		rule := v1.ValidationRule{
			Rule:              rapid.SampledFrom(rules[kind]).Draw(t, "rule"),
			MessageExpression: rapid.SampledFrom(rules[""]).Draw(t, "messageExpression"),
		}
		if strings.Contains(rule.Rule, "oldSelf") && rapid.Bool().Draw(t, "optional") {
			rule.OptionalOldSelf = new(false)
		}
		s.XValidations = append(s.XValidations, rule)
	}
	return s
}
