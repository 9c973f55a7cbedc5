package crd

import (
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax"
)

var versionMembers = map[string]bool{
	"name": false, "schema": false, "storage": false, "subresources": false,
	model.Served: true, model.Deprecated: true, model.DeprecationWarning: true, model.Columns: true, model.SelectableFields: true,
}

// version reads one version. The result is not usable if there is a message.
func (r *reader) version(v *syntax.Value, of *model.Resource) *model.Version {
	out := &model.Version{Pos: r.pos(v), Sources: []model.Source{r.source(of.Kind)}}
	if v.Kind() != syntax.Object {
		r.errorf(v, "a version must be an object, not %s", v.Kind())
		return out
	}
	name := r.want(v, "name", syntax.String)
	out.Name = name.Text()
	if fault := source.VersionFault(out.Name); fault.Exists() {
		r.messages = append(r.messages, fault.At(r.at(name)))
	}
	r.want(v, "served", syntax.Bool)
	out.Facts = r.facts(v, versionMembers)
	for _, s := range v.Member("subresources").All() {
		switch s.Name() {
		case model.StatusSubresource, model.Scale:
			out.Facts = append(out.Facts, model.Fact{Name: s.Name(), Value: s.JSON()})
		default:
			r.unknown(s, map[string]bool{model.StatusSubresource: true, model.Scale: true})
		}
	}
	schema := r.want(v, "schema", syntax.Object)
	if schema != nil {
		r.root(out, r.want(schema, "openAPIV3Schema", syntax.Object))
	}
	if r.positions == nil {
		r.positions = positions{}
	}
	r.positions[out] = r.at(v)
	return out
}

// root reads the schema of whole objects: the spec, the status, other members, and the keywords of
// the object itself, which become facts.
func (r *reader) root(out *model.Version, schema *syntax.Value) {
	if schema == nil {
		return
	}
	if t := schema.Member("type"); t.Text() != "object" {
		r.errorf(or(t, schema), "the schema of a version must be of an object")
		return
	}
	if p := schema.Member(preserve); p.IsTrue() {
		r.hinted(diag.Errorf(r.at(p), "objects with members at their root that the schema does not know cannot be converted"),
			"declare the members, or put %s into spec and status", preserve)
	}
	keywords := &object{}
	r.check(schema)
	for _, f := range r.factsOf(schema, "type", "properties") {
		keywords.add(f.Name, f.Value)
	}
	body := &model.Object{}
	properties, required := &object{}, setOf(texts(schema.Member("required")))
	for _, p := range schema.Member("properties").All() {
		switch p.Name() {
		case "apiVersion", "kind", "metadata":
			properties.add(p.Name(), p.JSON())
		case "spec":
			properties.add(p.Name(), "{}")
			out.Spec = r.part(p)
		case "status":
			properties.add(p.Name(), "{}")
			out.Status = r.part(p)
		default:
			properties.add(p.Name(), "{}")
			out.AtRoot = true
			body.Properties = append(body.Properties, r.property(p, required))
		}
	}
	keywords.add("properties", properties.text())
	out.Facts = append(out.Facts, model.Fact{Name: model.Schema, Value: keywords.text()})
	out.RuleSchema = ruleSchema(schema)
	if out.AtRoot {
		if out.Spec != nil {
			spec := schema.Member("properties").Member("spec")
			body.Properties = append(body.Properties, r.property(spec, required))
		}
		out.Spec = body
	}
}

// part reads the spec or the status as a named definition, which preserves its description.
func (r *reader) part(v *syntax.Value) model.Type {
	t := r.typ(v)
	if _, free := t.(*model.Any); free && v.Member("type").Text() == "object" {
		facts := r.factsOf(v, "type", "description", preserve)
		t = &model.Object{Additional: &model.Any{}, Facts: facts}
	}
	return &model.Ref{Def: &model.Def{Name: v.Name(), Doc: v.Member("description").Text(), Type: t, Pos: r.pos(v)}}
}
