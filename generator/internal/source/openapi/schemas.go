package openapi

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/jsonschema"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// schemas is the dialect of the schemas of one resource.
type schemas struct {
	jsonschema.Plain
	*unit
	resource *resource
	compiler *jsonschema.Compiler
}

// The forms of a schema of a family. The usual one is any schema that inherits from it, or itself.
const (
	member jsonschema.Form = 1 + iota // itself, with the value of the discriminator
	base                              // what others inherit from it
)

// suffixes are the name suffixes of definitions by form.
var suffixes = [...]string{"", "_member", "_base"}

var vocabulary = &jsonschema.Vocabulary{
	Types:   jsonschema.Types,
	Without: []string{"patternProperties", "additionalItems"},
	Steps:   []jsonschema.Step{jsonschema.Reference, jsonschema.AllOf, jsonschema.Own, jsonschema.OneOf, jsonschema.AnyOf},
}

// Vocabulary implements [jsonschema.Dialect].
func (s *schemas) Vocabulary() *jsonschema.Vocabulary { return vocabulary }

// Resolve implements [jsonschema.Dialect].
func (s *schemas) Resolve(ref document.Location) *document.Target { return s.references.Resolve(ref) }

// Define returns the use that a definition has. A schema that is the same in both views belongs to
// the spec's. One without a family has no other form than the usual one.
func (s *schemas) Define(t *document.Target, use jsonschema.Use) jsonschema.Use {
	if !s.views[t.Location] {
		use.View = jsonschema.Spec
	}
	if !s.families.founder(t.Location).Exists() {
		use.Form = 0
	}
	return use
}

// sectionNames are members of a document that contain named schemas.
var sectionNames = []string{"components", "schemas"}

// Name makes a unique name for a definition of the resource.
func (s *schemas) Name(t *document.Target, use jsonschema.Use) string {
	plain := jsonschema.PlainName(t, func(token string) bool { return slices.Contains(sectionNames, token) })
	return s.compiler.Names.Unique(suffixes[use.Form]+use.View.Suffix(), plain, t.Document().Stem()+"_"+plain)
}

// besideRef are the keywords that describe a property, and are valid beside a reference in all
// dialects.
var besideRef = []string{"$ref", "description", "title", "readOnly", "writeOnly", "default", "nullable", "deprecated", "example", "examples"}

// Replaces returns true before OpenAPI 3.1, and adds notes for keywords that have no meaning there.
func (s *schemas) Replaces(schema document.Location) bool {
	if s.dialect == openapi31 {
		return false
	}
	for m := range schema.All() {
		if name := m.Name(); !slices.Contains(besideRef, name) && !strings.HasPrefix(name, "x-") {
			s.notes.Add(m, name+" beside $ref", "the keyword %s has no meaning beside $ref and is ignored", name)
		}
	}
	return true
}

// Schema compiles a schema of a family where any of its members may be.
func (s *schemas) Schema(at document.Location, use jsonschema.Use) (model.Type, bool) {
	if use.Form != 0 {
		return nil, false
	}
	founder := s.families.founder(at)
	if !founder.Exists() {
		return nil, false
	}
	return s.family(at, founder, use), true
}

// Conjunct returns the reference to a schema that another one inherits from.
func (s *schemas) Conjunct(part document.Location) (ref document.Location, form jsonschema.Form) {
	if ref := part.Member("$ref"); ref.Exists() && (s.dialect != openapi31 || part.Len() == 1) {
		return ref, base
	}
	return part.None(), 0
}

// Parts removes the discriminator from the own part of a family's founder, and adds its value to a
// member.
func (s *schemas) Parts(schema document.Location, use jsonschema.Use, parts []jsonschema.Compiled) []jsonschema.Compiled {
	if s.families.founder(schema) == schema {
		without(parts, discriminatorOf(schema))
	}
	if use.Form == member {
		parts = append(parts, jsonschema.Compiled{Type: s.tags(schema, use.View)})
	}
	return parts
}

// without removes a property from a schema's own part.
func without(parts []jsonschema.Compiled, name string) {
	for _, p := range parts {
		if o, ok := p.Type.(*model.Object); ok {
			o.Properties = slices.DeleteFunc(o.Properties, func(q *model.Property) bool { return q.Name == name })
			o.Requires = slices.DeleteFunc(o.Requires, func(r string) bool { return r == name })
		}
	}
}

// ofEvery are the members of an ARM body that identify the resource. Every resource has them.
var ofEvery = []string{"id", "name", "type", "apiVersion"}

// LeavesOut reports whether a member at the root of a body is omitted because it identifies the
// resource, as the last parameter of its path does.
func (s *schemas) LeavesOut(_ document.Location, name string) bool {
	if s.resource.arm {
		return slices.Contains(ofEvery, name)
	}
	return strings.EqualFold(name, bare(s.resource.name))
}

// Access implements [jsonschema.Dialect].
func (s *schemas) Access(property document.Location) jsonschema.Access { return s.accessOf(property) }

// IsSecret implements [jsonschema.Dialect].
func (s *schemas) IsSecret(at document.Location) bool {
	for range jsonschema.MaxChain {
		if isSecret(at) {
			return true
		}
		if at = s.referredOnce(at); !at.Exists() {
			break
		}
	}
	return false
}

// Property adds the descriptions of single values, and whether null is one.
func (s *schemas) Property(at document.Location, p *model.Property, _ jsonschema.Compiled) {
	p.Nullable = s.hasNull(at) && !isNullable(p.Type)
	if more := meanings(at); more != "" {
		p.Doc = strings.TrimSpace(p.Doc + "\n" + more)
	}
	if isDeprecated(at) {
		p.Deprecated = deprecated
	}
}

// deprecated is the note of deprecated properties and values: OpenAPI has none of its own.
const deprecated = "the document of the API marks it so"

// Type opens enums that allow other values, and adds the keys of lists.
func (s *schemas) Type(schema document.Location, t model.Type) {
	switch t := t.(type) {
	case *model.List:
		t.Facts = s.keys(schema)
	case *model.Enum:
		t.Open = isOpen(schema)
	case *model.OneOf:
		for _, branch := range t.Branches {
			s.Type(schema, branch)
		}
	}
}

// Mismatch returns free JSON for constants that are lists or objects. Others are errors.
func (s *schemas) Mismatch(value document.Location, types []string) model.Type {
	if value.Kind() >= syntax.List {
		s.notes.Add(value, "enum of structures", "constants that are lists or objects are free JSON")
		return &model.Any{}
	}
	s.compiler.Fail(value.Errorf("the value %s is not of type %s", value.JSON(), strings.Join(types, " or ")))
	return nil
}

// Unused adds a note. It ignores format, which describes values of any type.
func (s *schemas) Unused(keyword document.Location) {
	if name := keyword.Name(); name != "format" {
		s.notes.Add(keyword, name, "the keyword %s has no meaning here and is ignored", name)
	}
}

// listKeys is the fact that names the members that identify the elements of a list.
const listKeys = "x-kubernetes-list-map-keys"

// keys returns the members that identify the elements of a list, from x-ms-identifiers: names, or
// paths. The model can represent only paths of one name.
func (s *schemas) keys(at document.Location) model.Facts {
	list := at.Member("x-ms-identifiers")
	var names []string
	for v := range list.All() {
		name := strings.TrimPrefix(v.Text(), "/")
		if name == "" || strings.Contains(name, "/") {
			s.notes.Add(list, "identifiers", "the identifier %s, which is nested in elements, is ignored", v.JSON())
			return nil
		}
		names = append(names, syntax.Quote(name))
	}
	if len(names) == 0 {
		return nil
	}
	return model.Facts{{Name: listKeys, Value: "[" + strings.Join(names, ",") + "]"}}
}

// isOpen reports whether an enum allows other values.
func isOpen(at document.Location) bool {
	return at.Member("x-ms-enum").Member("modelAsString").IsTrue()
}

// meanings returns the descriptions of single values in x-ms-enum, for the documentation.
func meanings(at document.Location) string {
	var lines []string
	for v := range at.Member("x-ms-enum").Member("values").All() {
		if doc := strings.TrimSpace(v.Member("description").Text()); doc != "" {
			lines = append(lines, "- "+word(v.Member("value"))+": "+doc)
		}
	}
	return strings.Join(lines, "\n")
}
