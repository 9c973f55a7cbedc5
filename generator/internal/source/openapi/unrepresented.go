package openapi

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/jsonschema"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// unrepresented are the keywords that limit values, and that neither Go types nor CRDs have. CRDs
// have some of them if their source is a CRD.
var unrepresented = []string{
	"if", "then", "else", "not", "contains", "minContains", "maxContains", "prefixItems", "propertyNames", "patternProperties",
	"dependentRequired", "dependentSchemas", "dependencies", "unevaluatedItems", "unevaluatedProperties", "minProperties", "maxProperties",
	"contentSchema", "contentMediaType", "contentEncoding", "x-extensible-enum",
}

// Own stores the keywords that the model does not have, so that versions can be compared.
func (s *schemas) Own(schema document.Location, t model.Type) {
	if schema.Kind() != syntax.Object {
		return
	}
	var all []string
	for m := range schema.All() {
		if slices.Contains(unrepresented, m.Name()) {
			all = append(all, syntax.Quote(m.Name())+":"+m.JSON())
		}
	}
	if allowsNull(schema) {
		all = append(all, nullable)
	}
	if len(all) == 0 {
		return
	}
	f := model.Fact{Name: model.Unrepresented, Value: "{" + strings.Join(all, ",") + "}"}
	if one, ok := t.(*model.OneOf); ok {
		for _, branch := range one.Branches {
			model.AddFacts(branch, f)
		}
	}
	model.AddFacts(t, f)
}

const nullable = `"nullable":true`

// isNullable reports whether the facts of a type state that null is a value.
func isNullable(t model.Type) bool {
	return strings.Contains(model.FactsOf(t).Get(model.Unrepresented), nullable)
}

// allowsNull reports whether a schema itself allows null beside other values.
func allowsNull(schema document.Location) bool {
	isNull := func(v document.Location) bool { return v.Kind() == syntax.Null || v.Text() == "null" }
	switch typ := schema.Member("type"); {
	case schema.Member("nullable").IsTrue():
		return true
	case typ.Kind() == syntax.List:
		return slices.ContainsFunc(slices.Collect(typ.All()), isNull)
	}
	return false
}

// hasNull reports whether a schema, or one that it refers to, has null beside other values.
func (s *schemas) hasNull(at document.Location) bool {
	for range jsonschema.MaxChain {
		if allowsNull(at) || hasNullBranch(at) {
			return true
		}
		next := s.referredOnce(at)
		if all := at.Member("allOf"); !next.Exists() && all.Len() == 1 {
			for only := range all.All() {
				next = only
			}
		}
		if at = next; !at.Exists() {
			break
		}
	}
	return false
}

// hasNullBranch reports whether one of the alternatives of a schema is null.
func hasNullBranch(schema document.Location) bool {
	for _, keyword := range []string{"oneOf", "anyOf"} {
		for branch := range schema.Member(keyword).All() {
			if branch.Member("type").Text() == "null" {
				return true
			}
		}
	}
	return false
}
