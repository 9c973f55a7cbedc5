package bicep

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/jsonschema"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// ofEvery are the members of a body that identify the resource. Every resource has them.
var ofEvery = map[string]bool{"id": true, "name": true, "type": true, "apiVersion": true}

// body compiles the body of a resource. If it is extensible, the file has no more information, and
// its members are free.
func (c *compiler) body(i int, v jsonschema.View) model.Type {
	n := c.file.types[i]
	switch n.Member("$type").Text() {
	case "ObjectType", "DiscriminatedObjectType":
		return c.structure(n, v, "", true)
	case "AnyType":
		return &model.Object{Additional: &model.Any{}}
	}
	c.scope.Fail(n.Errorf("the body of a resource must be an object"))
	return &model.Object{}
}

// structure compiles an object, or a choice of objects, with the given name.
func (c *compiler) structure(n document.Location, v jsonschema.View, name string, isBody bool) model.Type {
	c.known(n)
	if n.Member("$type").Text() == "DiscriminatedObjectType" {
		return c.choice(n, v, name, isBody)
	}
	o := &model.Object{}
	c.properties(o, n, "properties", v, name, isBody)
	if more := n.Member("additionalProperties"); more.Exists() {
		elem := c.refer(more, n, "additionalProperties", v, name+"_additional")
		if o.Additional = elem.typ; elem.secret {
			c.unit.notes.Add(more, "additional secrets", "additional members that are secret are treated as others, also in the status")
		}
	}
	return o
}

// choice compiles objects that a property distinguishes: their common members, and a union of them.
// If the file lists no objects, further members are free.
func (c *compiler) choice(n document.Location, v jsonschema.View, name string, isBody bool) model.Type {
	discriminator := c.text(n.Member("discriminator"))
	if discriminator == "" {
		c.scope.Fail(n.Errorf("a discriminated object needs a discriminator"))
	}
	common := &model.Object{}
	c.properties(common, n, "baseProperties", v, name, isBody)
	var branches []model.Type
	for at := range n.Member("elements").All() {
		i, ok := c.follow(at, n, "element")
		if !ok {
			continue
		}
		if element := c.file.types[i]; element.Member("$type").Text() != "ObjectType" || !c.isStructure(element) {
			c.scope.Fail(at.Errorf("the element %q of a discriminated object is not an object with properties", at.Name()))
			continue
		}
		branches = append(branches, c.branch(i, v, name+"_"+at.Name(), isBody))
	}
	switch {
	case len(branches) == 0:
		if common.Property(discriminator) == nil {
			common.Properties = append(common.Properties, &model.Property{
				Name: discriminator, Type: &model.Scalar{Kind: model.String}, Required: v == jsonschema.Spec, Pos: n.Pos(),
			})
		}
		common.Additional = &model.Any{}
		return common
	case len(common.Properties) == 0:
		return &model.OneOf{Branches: branches}
	}
	return &model.AllOf{Parts: []model.Type{common, &model.OneOf{Branches: branches}}}
}

// branch compiles one of the objects of a choice. The objects of a body are compiled separately
// from their other uses.
func (c *compiler) branch(i int, v jsonschema.View, fallback string, isBody bool) model.Type {
	if isBody {
		return c.structure(c.file.types[i], v, fallback, true)
	}
	if !c.file.twofold[i] {
		v = jsonschema.Spec
	}
	return c.object(i, v, fallback)
}

// properties adds the properties of a list to an object, as far as a view has them.
func (c *compiler) properties(o *model.Object, n document.Location, list string, v jsonschema.View, name string, isBody bool) {
	all := n.Member(list)
	if all.Exists() && all.Kind() != syntax.Object {
		c.scope.Fail(all.Errorf("%s must be an object of properties, not %s", list, all.Kind()))
		return
	}
	for m := range all.All() {
		if isBody && ofEvery[m.Name()] {
			continue
		}
		if p := c.property(m, v, name); p != nil {
			o.Properties = append(o.Properties, p)
		}
	}
}

// property compiles a property. It returns nil if the view does not have it.
func (c *compiler) property(m document.Location, v jsonschema.View, owner string) *model.Property {
	for part := range m.All() {
		if name := part.Name(); name != "type" && name != "flags" && name != "description" {
			c.unit.notes.Add(part, "property "+name, "the member %s of a property is not read", name)
		}
	}
	flags, _ := c.number(m.Member("flags"))
	access := accessOf(flags)
	if !access.Shows(v, false) {
		return nil
	}
	t := c.refer(m.Member("type"), m, "type", v, strings.TrimPrefix(owner+"_"+m.Name(), "_"))
	if !access.Shows(v, t.secret) {
		if access.NoWrite {
			c.unit.notes.Add(m, "secret status", "the secret %s can only be read, and is ignored", m.Name())
		}
		return nil
	}
	return &model.Property{
		Name: m.Name(), Doc: strings.TrimSpace(c.text(m.Member("description"))), Type: t.typ, Pos: m.Pos(),
		Required: v == jsonschema.Spec && flags&isRequired != 0, Secret: t.secret,
	}
}
