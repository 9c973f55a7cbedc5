package openapi

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/document"
)

// keyword says which kinds of values a keyword of a schema has. What has no kinds says
// nothing that types depend on.
var keywords = map[string][]document.Kind{
	"$ref": {document.String}, "type": {document.String, document.List}, "enum": {document.List}, "const": anyKind,
	"properties": {document.Object}, "additionalProperties": anyKind, "required": {document.List},
	"items": anyKind, "allOf": {document.List}, "oneOf": {document.List}, "anyOf": {document.List},
	"description": {document.String}, "default": anyKind, "readOnly": {document.Bool}, "writeOnly": {document.Bool},
	"nullable": {document.Bool}, "discriminator": {document.String, document.Object}, "format": {document.String},
	"pattern": {document.String}, "minLength": aNumber, "maxLength": aNumber, "minimum": aNumber, "maximum": aNumber,
	"exclusiveMinimum": {document.Bool, document.Number}, "exclusiveMaximum": {document.Bool, document.Number},
	"multipleOf": aNumber, "minItems": aNumber, "maxItems": aNumber, "uniqueItems": {document.Bool},
	"title": nil, "example": nil, "examples": nil, "externalDocs": nil, "xml": nil, "deprecated": nil,
	"$comment": nil, "$id": nil, "$schema": nil, "$anchor": nil, "$defs": nil, "definitions": nil,
	"x-ms-secret": {document.Bool}, "x-strata-secret": {document.Bool}, "x-ms-mutability": {document.List},
	"x-ms-enum": {document.Object}, "x-ms-identifiers": {document.List}, "x-ms-discriminator-value": {document.String},
}

var (
	aNumber = []document.Kind{document.Number}
	anyKind = []document.Kind{document.Null, document.Bool, document.Number, document.String, document.List, document.Object}
)

// check says which keywords of a schema are of no use. Only here names are keywords: the
// members of properties are not passed through it.
func (c *compiler) check(at place) {
	for _, m := range at.value.All() {
		kinds, known := keywords[m.Name()]
		switch {
		case !known && strings.HasPrefix(m.Name(), "x-strata-"):
			c.stray(at.at(m))
		case !known && !strings.HasPrefix(m.Name(), "x-"):
			c.note(at.at(m), m.Name(), "the keyword %s cannot be said by the model and is left out", m.Name())
		case kinds != nil && !slices.Contains(kinds, m.Kind()):
			c.fail(at.at(m).errorf("%s must be %s, not %s", m.Name(), alternatives(kinds), m.Kind()))
		}
	}
}

// stray reports an extension of ours that means nothing in a schema.
func (c *compiler) stray(at place) {
	m := diag.Errorf(at.named(), "%s is not known in a schema", at.value.Name())
	if near := diag.Nearest(at.value.Name(), []string{"x-strata-secret"}); near != "" {
		m = m.WithHint("did you mean %q?", near)
	}
	c.fail(m)
}

func alternatives(kinds []document.Kind) string {
	var words []string
	for _, k := range kinds {
		words = append(words, k.String())
	}
	return strings.Join(words, " or ")
}
