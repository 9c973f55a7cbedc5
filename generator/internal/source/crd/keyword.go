package crd

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// Keywords that determine the type of a schema.
const (
	preserve    = "x-kubernetes-preserve-unknown-fields"
	embedded    = "x-kubernetes-embedded-resource"
	intOrString = "x-kubernetes-int-or-string"
)

// known are the keywords that API servers accept in schemas, and the kinds of their values.
var known = keywords(
	syntax.String, "type", "description", "title", "format", "pattern", "x-kubernetes-list-type", "x-kubernetes-map-type",
	syntax.Bool, "nullable", "exclusiveMinimum", "exclusiveMaximum", preserve, embedded, intOrString,
	syntax.Number, "minLength", "maxLength", "minimum", "maximum", "multipleOf", "minItems", "maxItems", "minProperties", "maxProperties",
	syntax.List, "enum", "allOf", "anyOf", "oneOf", "required", "x-kubernetes-list-map-keys", "x-kubernetes-validations",
	syntax.Object, "not", "externalDocs", "items", "properties",
	syntax.Absent, "default", "example", "additionalProperties",
)

// table maps keywords of a schema to the kind of their values; Absent means any.
type table map[string]syntax.Kind

// keywords makes a table of kinds, each followed by the keywords that have it.
func keywords(words ...any) table {
	out := table{}
	var kind syntax.Kind
	for _, w := range words {
		switch w := w.(type) {
		case syntax.Kind:
			kind = w
		case string:
			out[w] = kind
		}
	}
	return out
}

// refused are keywords of other JSON schemas, with the reason why API servers refuse them.
var refused = map[string]string{
	"$ref":              "write the schema out where it stands",
	"definitions":       "write schemas out where they stand",
	"patternProperties": "use additionalProperties",
	"uniqueItems":       "set x-kubernetes-list-type: set",
	"additionalItems":   "set the type of all elements in items",
	"dependencies":      "write it as a rule of x-kubernetes-validations",
}

// check reports the keywords of a schema that API servers do not know, and values of the wrong
// kind.
func (r *reader) check(v *syntax.Value) {
	for _, m := range v.All() {
		kind, ok := known[m.Name()]
		switch hint, isRefused := refused[m.Name()]; {
		case isRefused:
			r.hinted(diag.Errorf(r.named(m), "API servers do not accept %s", m.Name()), "%s", hint)
		case !ok:
			r.unknown(m, names(known))
		case kind != syntax.Absent && m.Kind() != kind:
			r.errorf(m, "%s must be %s, not %s", m.Name(), kind, m.Kind())
		}
	}
}

func names(t table) map[string]bool {
	out := map[string]bool{}
	for name := range t {
		out[name] = true
	}
	return out
}

// factsOf returns the keywords of a schema as facts, except for some.
func (r *reader) factsOf(v *syntax.Value, but ...string) model.Facts {
	var out model.Facts
	for _, m := range v.All() {
		if !slices.Contains(but, m.Name()) {
			out = append(out, model.Fact{Name: m.Name(), Value: m.JSON()})
		}
	}
	return out
}

// object builds the JSON text of an object.
type object struct{ members []string }

func (o *object) add(name, value string) {
	o.members = append(o.members, syntax.Quote(name)+":"+value)
}

func (o *object) text() string { return "{" + strings.Join(o.members, ",") + "}" }
