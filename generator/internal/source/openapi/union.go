package openapi

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/jsonschema"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// family compiles a schema of a family where any of its members may be: the schema itself, if it is
// a kind of its own, and all that inherit from it. One without heirs preserves undeclared members.
func (s *schemas) family(at, founder document.Location, use jsonschema.Use) model.Type {
	heirs, more := s.families.heirs(at)
	if more {
		s.compiler.Fail(at.Errorf("more than %d schemas inherit from %s", jsonschema.MaxFamily, at.Name()).
			WithHint("in its place, additionalProperties: true without a discriminator preserves the members of all of them"))
		return &model.Any{}
	}
	members := append([]document.Location{at}, heirs...)
	if at == founder && s.valueOf(at, founder) == "" {
		members = members[1:]
	}
	if len(members) == 0 {
		return s.lonely(at, use)
	}
	use.Form = member
	var branches []model.Type
	for _, m := range members {
		if use.Role == jsonschema.Body || len(members) == 1 {
			branches = append(branches, s.compiler.Schema(m, use).Solid())
			continue
		}
		branches = append(branches, s.compiler.RefTo(&document.Target{Location: m, Tokens: []string{m.Name()}}, use).Type)
	}
	return jsonschema.Union(branches)
}

// lonely compiles the founder of a family without members.
func (s *schemas) lonely(at document.Location, use jsonschema.Use) model.Type {
	use.Form = base
	inherited := s.compiler.Keywords(at, use)
	discriminator := discriminatorOf(at)
	kind := &model.Property{
		Name: discriminator, Doc: at.Member("properties").Member(discriminator).Member("description").Text(),
		Type: &model.Scalar{Kind: model.String}, Required: use.View == jsonschema.Spec, Pos: at.Member("discriminator").Pos(),
	}
	open := &model.Object{Properties: []*model.Property{kind}, Additional: &model.Any{}}
	return jsonschema.Conjunction([]jsonschema.Compiled{inherited, {Type: open}})
}

// tags returns the discriminator values of a member of a family, for all families above it.
func (s *schemas) tags(at document.Location, v jsonschema.View) model.Type {
	out, member := &model.Object{}, at
	for founder := s.families.founder(at); founder.Exists(); founder = s.families.above(founder) {
		if value := s.valueOf(at, founder); value != "" {
			out.Properties = append(out.Properties, tag(founder, member, value, v))
		}
		at = founder
	}
	return out
}

// tag returns the property of a discriminator with the value of an heir.
func tag(founder, heir document.Location, value string, v jsonschema.View) *model.Property {
	discriminator := discriminatorOf(founder)
	at := founder.Member("properties").Member(discriminator)
	p := &model.Property{
		Name: discriminator, Doc: at.Member("description").Text(), Pos: founder.Member("discriminator").Pos(),
		Type: kindOf(isDeprecated(heir), value), Required: v == jsonschema.Spec,
	}
	if at.Exists() {
		p.Pos = at.Pos()
	}
	return p
}

// kindOf returns the type of a discriminator that has some values.
func kindOf(deprecated bool, values ...string) *model.Enum {
	e := &model.Enum{}
	for _, value := range values {
		e.Values = append(e.Values, syntax.Quote(value))
	}
	if deprecated {
		deprecate(e)
	}
	return e
}

// deprecate marks all values of an enum as deprecated.
func deprecate(e *model.Enum) {
	notes := map[string]string{}
	for _, value := range e.Values {
		notes[value] = deprecated
	}
	e.Deprecate(notes)
}

func isDeprecated(schema document.Location) bool { return schema.Member("deprecated").IsTrue() }

// Branch marks the values of a deprecated branch of a union. It adds the discriminator's value to a
// branch, unless the branch has it already.
func (s *schemas) Branch(schema, branch document.Location, use jsonschema.Use, t model.Type) model.Type {
	discriminator := schema.Member("discriminator")
	property := propertyOf(discriminator)
	target := s.referredBy(branch)
	outdated := isDeprecated(branch) || isDeprecated(target)
	if outdated && isConstant(s.behindRef(branch)) {
		if target.Exists() {
			t = s.compiler.Keywords(target, use).Type // the definition stays as it is for others
		}
		return deprecatedConstants(t)
	}
	if property == "" || !target.Exists() || s.hasConstant(target, property, map[document.Location]bool{}) {
		return t
	}
	values := s.mapped(discriminator, target)
	if len(values) == 0 {
		values = []string{target.Name()}
	}
	tag := &model.Object{Properties: []*model.Property{{
		Name: property, Type: kindOf(outdated, values...), Required: use.View == jsonschema.Spec, Pos: discriminator.Pos(),
	}}}
	return &model.AllOf{Parts: []model.Type{jsonschema.Compiled{Type: t}.Solid(), tag}}
}

// hasConstant reports whether a schema has a property with constants, itself or in its parts.
func (s *schemas) hasConstant(at document.Location, property string, seen map[document.Location]bool) bool {
	if !at.Exists() || seen[at] {
		return false
	}
	seen[at] = true
	if isConstant(s.behindRef(at.Member("properties").Member(property))) {
		return true
	}
	return slices.ContainsFunc(slices.Collect(at.Member("allOf").All()), func(part document.Location) bool {
		return s.hasConstant(s.behindRef(part), property, seen)
	})
}

func isConstant(schema document.Location) bool {
	return schema.Member("enum").Exists() || schema.Member("const").Exists()
}

// deprecatedConstants marks the values of an enum, or of a union of enums.
func deprecatedConstants(t model.Type) model.Type {
	kinds := []model.Type{t}
	if one, ok := t.(*model.OneOf); ok {
		kinds = one.Branches
	}
	for _, kind := range kinds {
		if e, ok := kind.(*model.Enum); ok {
			deprecate(e)
		}
	}
	return t
}

// behindRef returns the schema that a schema refers to, or itself.
func (s *schemas) behindRef(at document.Location) document.Location {
	if target := s.referredBy(at); target.Exists() {
		return target
	}
	return at
}
