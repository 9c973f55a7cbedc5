package openapi

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// family compiles a schema of a family where any of its members may be: the schema itself, if it is
// a kind of its own, and all that inherit from it. One without heirs preserves undeclared members.
func (c *compiler) family(at, founder location, v view, name string, r role) model.Type {
	members := append([]location{at}, c.families.heirs(at)...)
	if at == founder && c.valueOf(at, founder) == "" {
		members = members[1:]
	}
	if len(members) == 0 {
		return c.lonely(at, founder, v, name, r)
	}
	var branches []model.Type
	for _, m := range members {
		if r == root || len(members) == 1 {
			branches = append(branches, c.formed(m, v, name, member, r).solid())
			continue
		}
		t := &target{location: m, tokens: []string{m.value.Name()}}
		branches = append(branches, &model.Ref{Def: c.define(t, v, member)})
	}
	return oneOf(branches)
}

// lonely compiles the founder of a family without members.
func (c *compiler) lonely(at, founder location, v view, name string, r role) model.Type {
	var p part
	c.combine(&p, at, founder, v, name, base, r)
	discriminator := discriminatorOf(at)
	kind := &model.Property{
		Name: discriminator, Doc: at.member("properties").member(discriminator).member("description").value.Text(),
		Type: &model.Scalar{Kind: model.String}, Required: v == spec, Pos: at.member("discriminator").pos(),
	}
	open := &model.Object{Properties: []*model.Property{kind}, Additional: &model.Any{}}
	return conjunction([]part{p, {typ: open}})
}

// tags returns the discriminator values of a member of a family, for all families above it.
func (c *compiler) tags(at location, v view) model.Type {
	out := &model.Object{}
	for founder := c.families.founder(at); founder.exists(); founder = c.families.above(founder) {
		if value := c.valueOf(at, founder); value != "" {
			out.Properties = append(out.Properties, tag(founder, value, v))
		}
		at = founder
	}
	return out
}

// tag returns the property of a discriminator with one value.
func tag(founder location, value string, v view) *model.Property {
	discriminator := discriminatorOf(founder)
	at := founder.member("properties").member(discriminator)
	p := &model.Property{
		Name: discriminator, Doc: at.member("description").value.Text(), Pos: founder.member("discriminator").pos(),
		Type: &model.Enum{Values: []string{syntax.Quote(value)}}, Required: v == spec,
	}
	if at.exists() {
		p.Pos = at.pos()
	}
	return p
}

// union compiles oneOf or anyOf. It omits null and branches that allow nothing. If one branch is
// left, the result is that branch.
func (c *compiler) union(at, list location, v view, name string, r role) part {
	discriminator := at.member("discriminator")
	property := propertyOf(discriminator)
	inner := r
	if r == joined {
		inner = branch
	}
	out := part{}
	var types []model.Type
	for _, one := range c.list(list) {
		if one.value.Kind() == syntax.Bool && !one.value.IsTrue() {
			continue
		}
		b := c.schema(one, v, name, inner)
		out.secret = out.secret || b.secret
		if b.null {
			out.null = true
			continue
		}
		types = append(types, c.tagged(b.solid(), one, discriminator, property, v))
	}
	if out.typ = oneOf(types); out.typ != nil {
		out.null = false
	}
	return out
}

// tagged adds the discriminator's value to a branch, unless the branch has it already.
func (c *compiler) tagged(t model.Type, at, discriminator location, property string, v view) model.Type {
	schema := c.referredBy(at)
	if property == "" || !schema.exists() || c.tells(schema, property, map[*syntax.Value]bool{}) {
		return t
	}
	values := c.mapped(discriminator, schema)
	if len(values) == 0 {
		values = []string{schema.value.Name()}
	}
	e := &model.Enum{}
	for _, value := range values {
		e.Values = append(e.Values, syntax.Quote(value))
	}
	tag := &model.Object{Properties: []*model.Property{{Name: property, Type: e, Required: v == spec, Pos: discriminator.pos()}}}
	return &model.AllOf{Parts: []model.Type{t, tag}}
}

// tells reports whether a schema has a property with constants, itself or in its parts.
func (c *compiler) tells(at location, property string, seen map[*syntax.Value]bool) bool {
	if !at.exists() || seen[at.value] {
		return false
	}
	seen[at.value] = true
	p := at.member("properties").member(property)
	if target := c.referredBy(p); target.exists() {
		p = target
	}
	if p.member("enum").exists() || p.member("const").exists() {
		return true
	}
	return slices.ContainsFunc(at.member("allOf").value.All(), func(part *syntax.Value) bool {
		in := at.at(part)
		if target := c.referredBy(in); target.exists() {
			in = target
		}
		return c.tells(in, property, seen)
	})
}
