package crd

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/jsonschema"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// typ reads a schema that is not of a whole object. The caller reads its description.
func (r *reader) typ(v *syntax.Value) model.Type {
	if v.Kind() != syntax.Object {
		r.errorf(v, "a schema must be an object, not %s", v.Kind())
		return &model.Any{}
	}
	r.check(v)
	kind := r.typeOf(v)
	switch {
	case v.Member(intOrString).IsTrue(), v.Member(embedded).IsTrue(), kind == "":
		return &model.Any{Facts: r.factsOf(v, "description")}
	case kind == "object":
		return r.object(v)
	case kind == "array":
		return r.list(v)
	}
	return r.scalar(v, kind)
}

// typeOf returns the value of the keyword type; empty for any type, which a schema must state
// explicitly.
func (r *reader) typeOf(v *syntax.Value) string {
	t := v.Member("type")
	switch {
	case t == nil && (v.Member(intOrString).IsTrue() || v.Member(preserve).IsTrue()):
	case t == nil:
		r.hinted(diag.Errorf(r.at(v), "the schema has no type"), "API servers require one, or %s, or %s", preserve, intOrString)
	case !slices.Contains([]string{"object", "array", "string", "integer", "number", "boolean"}, t.Text()):
		r.hinted(diag.Errorf(r.at(t), "%s is not a type", t.JSON()), "the types are object, array, string, integer, number and boolean")
	}
	return t.Text()
}

func (r *reader) object(v *syntax.Value) model.Type {
	properties, further := v.Member("properties"), v.Member("additionalProperties")
	switch {
	case properties != nil && further != nil:
		r.hinted(diag.Errorf(r.named(further), "additionalProperties beside properties"), "API servers accept one of the two; see also %s", preserve)
	case further.Kind() == syntax.Object:
		return &model.Map{Elem: r.elem(further), Facts: r.factsOf(v, "type", "description", "additionalProperties")}
	case further != nil || properties == nil && v.Member(preserve).IsTrue():
		return &model.Any{Facts: r.factsOf(v, "description")}
	}
	out := &model.Object{Facts: r.factsOf(v, "type", "description", "properties", "required", preserve)}
	required := texts(v.Member("required"))
	requires, declared := setOf(required), map[string]bool{}
	for _, p := range properties.All() {
		declared[p.Name()] = true
		out.Properties = append(out.Properties, r.property(p, requires))
	}
	for _, name := range required {
		if !declared[name] {
			out.Requires = append(out.Requires, name)
		}
	}
	if v.Member(preserve).IsTrue() {
		out.Additional = &model.Any{}
	}
	return out
}

// property reads a member of an object. required has the names that the object's schema requires.
func (r *reader) property(p *syntax.Value, required map[string]bool) *model.Property {
	doc, deprecated := model.SplitDeprecated(p.Member("description").Text())
	return &model.Property{
		Name: p.Name(), Doc: doc, Deprecated: deprecated, Type: r.typ(p), Pos: r.pos(p),
		Required: required[p.Name()],
	}
}

func setOf(names []string) map[string]bool {
	out := map[string]bool{}
	for _, name := range names {
		out[name] = true
	}
	return out
}

func texts(v *syntax.Value) []string {
	var out []string
	for _, e := range v.All() {
		out = append(out, e.Text())
	}
	return out
}

func (r *reader) list(v *syntax.Value) model.Type {
	out := &model.List{
		Limits: jsonschema.Limits(model.Limits{MinItems: v.Member("minItems").Number(), MaxItems: v.Member("maxItems").Number()}),
		Facts:  r.factsOf(v, "type", "description", "items", "minItems", "maxItems"),
	}
	items := r.want(v, "items", syntax.Object)
	if items == nil {
		out.Elem = &model.Any{}
		return out
	}
	out.Elem = r.elem(items)
	return out
}

// elem reads the elements of a list or map. They have no name in the model that could have a
// description, so that it becomes a fact.
func (r *reader) elem(v *syntax.Value) model.Type {
	t := r.typ(v)
	doc := v.Member("description")
	if doc == nil {
		return t
	}
	model.AddFacts(t, model.Fact{Name: "description", Value: doc.JSON()})
	return t
}

// kinds maps kinds of scalars to kinds of values.
var kinds = map[model.Kind]syntax.Kind{model.String: syntax.String, model.Int: syntax.Number, model.Number: syntax.Number, model.Bool: syntax.Bool}

func (r *reader) scalar(v *syntax.Value, word string) model.Type {
	kind := jsonschema.ScalarKinds[word]
	if values := v.Member("enum").All(); len(values) > 0 && !slices.ContainsFunc(values, func(e *syntax.Value) bool { return e.Kind() != kinds[kind] }) {
		e := &model.Enum{Base: kind, Facts: r.factsOf(v, "type", "description", "enum")}
		for _, value := range values {
			e.Values = append(e.Values, value.JSON())
		}
		return e
	}
	known := []string{"type", "description", "format"}
	l := model.Limits{Format: v.Member("format").Text()}
	switch kind {
	case model.String:
		l.Pattern = v.Member("pattern").Text()
		l.MinLength, l.MaxLength = v.Member("minLength").Number(), v.Member("maxLength").Number()
		known = append(known, "pattern", "minLength", "maxLength")
	case model.Int, model.Number:
		l.Minimum, l.Maximum = v.Member("minimum").Number(), v.Member("maximum").Number()
		l.ExclusiveMin, l.ExclusiveMax = v.Member("exclusiveMinimum").IsTrue(), v.Member("exclusiveMaximum").IsTrue()
		known = append(known, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
	}
	return &model.Scalar{Kind: kind, Limits: jsonschema.Limits(l), Facts: r.factsOf(v, known...)}
}
