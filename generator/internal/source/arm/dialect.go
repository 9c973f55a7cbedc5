package arm

import (
	"path"
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/jsonschema"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// dialect is the dialect of ARM templates: draft 4 of JSON Schema with const, expressions of
// templates, and files that refer to each other by URL.
type dialect struct {
	jsonschema.Plain
	*unit
}

var vocabulary = &jsonschema.Vocabulary{
	Types: append(slices.Clone(jsonschema.Types), jsonschema.TypeAny),
	Steps: []jsonschema.Step{jsonschema.Own, jsonschema.Reference, jsonschema.AllOf, jsonschema.OneOf, jsonschema.AnyOf},
}

// Vocabulary implements [jsonschema.Dialect].
func (d dialect) Vocabulary() *jsonschema.Vocabulary { return vocabulary }

// Resolve implements [jsonschema.Dialect].
func (d dialect) Resolve(ref document.Location) *document.Target { return d.references.Resolve(ref) }

// Name makes a unique name for a definition of the unit. The name of a definition of the file
// itself does not depend on what else is reached.
func (d dialect) Name(t *document.Target, _ jsonschema.Use) string {
	plain := jsonschema.PlainName(t, isSection)
	doc := t.Document()
	if doc == d.doc && len(t.Tokens) == 2 && t.Tokens[0] == "definitions" {
		return plain
	}
	stem := doc.Stem()
	folder := path.Base(path.Dir(doc.Path))
	return d.compiler.Names.Unique("", plain, stem+"_"+plain, folder+"_"+stem+"_"+plain)
}

// claimOwn takes the names of the definitions of the file itself.
func (u *unit) claimOwn() {
	for member := range u.doc.Root().Member("definitions").All() {
		u.compiler.Names.Claim(member.Name())
	}
}

// silent are keywords that do not affect types.
var silent = []string{"title", "$comment", "example", "examples", "$schema", "id", "$id", "definitions", "$defs"}

// Keyword adds a note for a keyword that affects types.
func (d dialect) Keyword(m document.Location) {
	if name := m.Name(); !slices.Contains(silent, name) {
		d.notes.Add(m, name, "the keyword %s cannot be represented by the model and is ignored", name)
	}
}

// Placeholder returns a string for the template expression.
func (d dialect) Placeholder(branch document.Location) model.Type {
	if d.isExpression(branch, expressionDepth) {
		return &model.Scalar{Kind: model.String}
	}
	return nil
}

// LeavesOut implements [jsonschema.Dialect].
func (d dialect) LeavesOut(schema document.Location, name string) bool {
	return resourceOnly[name] || templateOnly[name] && isCommonFile(schema.Document())
}

// Property marks read-only properties, which the spec has too: there is no other view.
func (d dialect) Property(_ document.Location, p *model.Property, from jsonschema.Compiled) {
	p.ReadOnly = from.ReadOnly.IsTrue()
}

// Mismatch adds a note: published schemas have such values.
func (d dialect) Mismatch(value document.Location, _ []string) model.Type {
	if value.Kind() >= syntax.List {
		d.notes.Add(value, "enum of lists", "a value that is a list or an object cannot be represented by the model; the values are ignored")
	} else {
		d.notes.Add(value, "enum of others", "the value %s is not of the type that the schema names; the type is used, and the values are ignored", value.JSON())
	}
	return nil
}

// Unused implements [jsonschema.Dialect].
func (d dialect) Unused(keyword document.Location) {
	d.notes.Add(keyword, keyword.Name(), "the keyword %s has no meaning here and is ignored", keyword.Name())
}

// Discard adds notes for keywords that only a property can have.
func (d dialect) Discard(p jsonschema.Compiled) {
	if p.Default.Exists() {
		d.notes.Add(p.Default, "default", "the keyword default has a meaning on properties only")
	}
	if p.ReadOnly.IsTrue() {
		d.notes.Add(p.ReadOnly, "readOnly", "the keyword readOnly has a meaning on properties only")
	}
}
