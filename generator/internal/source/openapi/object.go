package openapi

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// ofEvery are the members of an ARM body that identify the resource. Every resource has them.
var ofEvery = []string{"id", "name", "type", "apiVersion"}

// leavesOut reports whether a member at the root of a body is omitted because it identifies the
// resource, as the last parameter of its path does.
func (r *resource) leavesOut(name string) bool {
	if r.arm {
		return slices.Contains(ofEvery, name)
	}
	return strings.EqualFold(name, bare(r.name))
}

// members compiles a schema as an object. With declared properties it is an object, closed unless
// the schema says otherwise. Without them it is a map. There is no type if the schema only states
// that it is an object, and others that hold together with it state which.
func (c *compiler) members(at location, v view, name string, r role) part {
	o := &model.Object{}
	required, declared := c.required(at), map[string]bool{}
	requires := setOf(required)
	for _, m := range at.member("properties").value.All() {
		if r == root && c.resource.leavesOut(m.Name()) {
			declared[m.Name()] = true
			continue
		}
		p, known := c.property(at.member("properties").at(m), v, name)
		if p != nil {
			p.Required = v == spec && requires[p.Name] && !declared[p.Name]
			o.Properties = append(o.Properties, p)
		}
		declared[m.Name()] = declared[m.Name()] || known
	}
	o.Requires = slices.DeleteFunc(required, func(q string) bool { return declared[q] || r == root && c.resource.leavesOut(q) })
	more := c.additional(at, v, name)
	if more != nil {
		o.Additional = more.typ
	}
	out := part{typ: c.shaped(at, o, r), secret: more != nil && more.secret && len(o.Properties) == 0}
	if v == status {
		o.Requires = nil
	}
	return out
}

// shaped returns the object, the map or nothing that a schema's members determine.
func (c *compiler) shaped(at location, o *model.Object, r role) model.Type {
	properties := at.member("properties")
	switch {
	case r == root || len(o.Properties) > 0 || properties.exists() && o.Additional == nil:
		return o
	case len(o.Requires) > 0:
		if o.Additional == nil && r == standing && !at.member("additionalProperties").exists() {
			o.Additional = &model.Any{}
		}
		return o
	case o.Additional != nil:
		return &model.Map{Elem: o.Additional}
	case at.member("additionalProperties").exists() && r != joined, r == branch:
		return o
	case r == joined:
		return nil
	}
	return &model.Map{Elem: &model.Any{}}
}

// required returns the names that a schema requires, each once.
func (c *compiler) required(at location) []string {
	var names []string
	known := map[string]bool{}
	for _, v := range at.member("required").value.All() {
		switch {
		case v.Kind() != syntax.String:
			c.fail(at.at(v).errorf("required must list names, not %s", v.Kind()))
		case !known[v.Text()]:
			known[v.Text()] = true
			names = append(names, v.Text())
		}
	}
	return names
}

func setOf(names []string) map[string]bool {
	out := map[string]bool{}
	for _, name := range names {
		out[name] = true
	}
	return out
}

// additional returns the type of members that are not declared; nil if there are none.
func (c *compiler) additional(at location, v view, name string) *part {
	more := at.member("additionalProperties")
	switch {
	case !more.exists() || more.value.Kind() == syntax.Bool && !more.value.IsTrue():
		return nil
	case more.value.Kind() == syntax.Bool:
		return &part{typ: &model.Any{}}
	}
	p := c.schema(more, v, name+"_additional", standing)
	p.typ = p.solid()
	return &p
}

// property compiles a property. It returns nil if the view does not have it. known is false if the
// schema says that the property never exists.
func (c *compiler) property(at location, v view, owner string) (p *model.Property, known bool) {
	if at.value.Kind() == syntax.Bool && !at.value.IsTrue() {
		c.note(at, "false", "a schema that allows nothing is ignored")
		return nil, true
	}
	access := c.accessOf(at)
	if access.hides(v) {
		return nil, true
	}
	made := c.schema(at, v, strings.TrimPrefix(owner+"_"+at.value.Name(), "_"), standing)
	if made.secret && v == status {
		if access.noWrite {
			c.note(at, "secret status", "the secret %s can only be read, and is ignored", at.value.Name())
		}
		return nil, true
	}
	if made.null {
		c.note(at, "null", "null is the only value; it becomes free JSON")
	}
	p = &model.Property{Name: at.value.Name(), Doc: made.doc, Type: made.solid(), Secret: made.secret, Default: made.initial, Pos: at.pos()}
	if more := meanings(at); more != "" {
		p.Doc = strings.TrimSpace(p.Doc + "\n" + more)
	}
	return p, true
}
