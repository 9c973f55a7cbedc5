package openapi

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/jsonschema"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// keywords lists the kinds of values of the keywords that package jsonschema does not have.
// Keywords without kinds do not affect types.
var keywords = map[string][]syntax.Kind{
	"writeOnly": {syntax.Bool}, "nullable": {syntax.Bool}, "discriminator": {syntax.String, syntax.Object},
	"title": nil, "example": nil, "examples": nil, "externalDocs": nil, "xml": nil, "deprecated": nil,
	"$comment": nil, "$id": nil, "$schema": nil, "$anchor": nil, "$defs": nil, "definitions": nil,
	"x-ms-secret": {syntax.Bool}, "x-strata-secret": {syntax.Bool}, "x-ms-mutability": {syntax.List},
	"x-ms-enum": {syntax.Object}, "x-ms-identifiers": {syntax.List}, "x-ms-discriminator-value": {syntax.String},
}

// Keyword reports a keyword that has no effect, or a value of the wrong kind.
func (s *schemas) Keyword(m document.Location) {
	kinds, known := keywords[m.Name()]
	switch {
	case !known && strings.HasPrefix(m.Name(), "x-strata-"):
		s.stray(m)
	case !known && !strings.HasPrefix(m.Name(), "x-"):
		s.notes.Add(m, m.Name(), "the keyword %s cannot be represented by the model and is ignored", m.Name())
	case kinds != nil && !slices.Contains(kinds, m.Kind()):
		s.compiler.Fail(m.Errorf("%s must be %s, not %s", m.Name(), jsonschema.Kinds(kinds), m.Kind()))
	}
}

// stray reports an extension of Strata that has no meaning in a schema.
func (s *schemas) stray(at document.Location) {
	m := diag.Errorf(at.Named(), "%s is not known in a schema", at.Name())
	if near := diag.Nearest(at.Name(), []string{"x-strata-secret"}); near != "" {
		m = m.WithHint("did you mean %q?", near)
	}
	s.compiler.Fail(m)
}
