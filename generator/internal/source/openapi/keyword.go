package openapi

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// keywords lists the kinds of values of each keyword. Keywords without kinds do not affect types.
var keywords = map[string][]syntax.Kind{
	"$ref": {syntax.String}, "type": {syntax.String, syntax.List}, "enum": {syntax.List}, "const": anyKind,
	"properties": {syntax.Object}, "additionalProperties": anyKind, "required": {syntax.List},
	"items": anyKind, "allOf": {syntax.List}, "oneOf": {syntax.List}, "anyOf": {syntax.List},
	"description": {syntax.String}, "default": anyKind, "readOnly": {syntax.Bool}, "writeOnly": {syntax.Bool},
	"nullable": {syntax.Bool}, "discriminator": {syntax.String, syntax.Object}, "format": {syntax.String},
	"pattern": {syntax.String}, "minLength": aNumber, "maxLength": aNumber, "minimum": aNumber, "maximum": aNumber,
	"exclusiveMinimum": {syntax.Bool, syntax.Number}, "exclusiveMaximum": {syntax.Bool, syntax.Number},
	"multipleOf": aNumber, "minItems": aNumber, "maxItems": aNumber, "uniqueItems": {syntax.Bool},
	"title": nil, "example": nil, "examples": nil, "externalDocs": nil, "xml": nil, "deprecated": nil,
	"$comment": nil, "$id": nil, "$schema": nil, "$anchor": nil, "$defs": nil, "definitions": nil,
	"x-ms-secret": {syntax.Bool}, "x-strata-secret": {syntax.Bool}, "x-ms-mutability": {syntax.List},
	"x-ms-enum": {syntax.Object}, "x-ms-identifiers": {syntax.List}, "x-ms-discriminator-value": {syntax.String},
}

var (
	aNumber = []syntax.Kind{syntax.Number}
	anyKind = []syntax.Kind{syntax.Null, syntax.Bool, syntax.Number, syntax.String, syntax.List, syntax.Object}
)

// check reports keywords of a schema that have no effect. It is not called for the members of
// properties, whose names are not keywords.
func (c *compiler) check(at location) {
	for _, m := range at.value.All() {
		kinds, known := keywords[m.Name()]
		switch {
		case !known && strings.HasPrefix(m.Name(), "x-strata-"):
			c.stray(at.at(m))
		case !known && !strings.HasPrefix(m.Name(), "x-"):
			c.note(at.at(m), m.Name(), "the keyword %s cannot be represented by the model and is ignored", m.Name())
		case kinds != nil && !slices.Contains(kinds, m.Kind()):
			c.fail(at.at(m).errorf("%s must be %s, not %s", m.Name(), alternatives(kinds), m.Kind()))
		}
	}
}

// stray reports an extension of Strata that has no meaning in a schema.
func (c *compiler) stray(at location) {
	m := diag.Errorf(at.named(), "%s is not known in a schema", at.value.Name())
	if near := diag.Nearest(at.value.Name(), []string{"x-strata-secret"}); near != "" {
		m = m.WithHint("did you mean %q?", near)
	}
	c.fail(m)
}

func alternatives(kinds []syntax.Kind) string {
	var words []string
	for _, k := range kinds {
		words = append(words, k.String())
	}
	return strings.Join(words, " or ")
}
