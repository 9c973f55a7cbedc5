package openapi

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// role is how a schema stands to those around it.
type role uint8

const (
	standing role = iota // for itself
	joined               // beside others that hold as well
	branch               // one of several
	root                 // the body of a resource, or a part of it
)

// part is what a schema says. The type is nil if it says nothing of one.
type part struct {
	typ     model.Type
	doc     string
	initial string
	null    bool // only null is allowed
	secret  bool
}

// solid gives the type, free JSON if there is none.
func (p part) solid() model.Type {
	if p.typ == nil {
		return &model.Any{}
	}
	return p.typ
}

// schema compiles any schema. Name is what stands for it in messages and definitions.
func (c *compiler) schema(at place, v view, name string, r role) part {
	return c.formed(at, v, name, whole, r)
}

// formed compiles a schema in one of its forms.
func (c *compiler) formed(at place, v view, name string, f form, r role) part {
	if c.depth == maxDepth {
		c.fail(at.errorf("schemas stand deeper than %d within each other", maxDepth))
		return part{}
	}
	c.depth++
	defer func() { c.depth-- }()
	switch at.value.Kind() {
	case syntax.Object:
	case syntax.Bool:
		return part{}
	default:
		c.fail(at.errorf("a schema must be an object, not %s", at.value.Kind()))
		return part{}
	}
	c.check(at)
	p := part{
		doc: strings.TrimSpace(at.member("description").value.Text()), secret: isSecret(at.value),
		initial: initial(at.member("default").value),
	}
	founder := c.families.founder(at)
	if founder.exists() && f == whole {
		p.typ = c.family(at, founder, v, name, r)
		return p
	}
	c.combine(&p, at, founder, v, name, f, r)
	return p
}

// initial is the JSON of a default; null is none.
func initial(v *syntax.Value) string {
	if v == nil || v.Kind() == syntax.Null {
		return ""
	}
	return v.JSON()
}

// combine compiles what a schema says itself, and what it is combined of.
func (c *compiler) combine(p *part, at, founder place, v view, name string, f form, r role) {
	parts := c.parts(at, v, name, f, r)
	if f != whole && founder == at {
		parts = without(parts, discriminatorOf(at))
	}
	if f == member {
		parts = append(parts, part{typ: c.tags(at, v)})
	}
	if len(parts) == 1 {
		q := parts[0]
		p.typ, p.null, p.secret = q.typ, q.null, p.secret || q.secret
		if p.doc == "" && r != root {
			p.doc = q.doc
		}
		if p.initial == "" {
			p.initial = q.initial
		}
		return
	}
	p.typ = conjunction(parts)
	for _, q := range parts {
		p.secret = p.secret || q.secret
	}
}

// parts gives what holds together in a schema, the own keywords last but for unions: what
// is inherited comes first.
func (c *compiler) parts(at place, v view, name string, f form, r role) []part {
	ref, all := at.member("$ref"), at.member("allOf")
	combined := ref.exists() || all.exists() || at.member("oneOf").exists() || at.member("anyOf").exists()
	inner := r
	if combined && r != root {
		inner = joined
	}
	var parts []part
	if ref.exists() {
		p := c.ref(ref, v, whole, r)
		if c.dialect != openapi31 {
			return []part{c.beside(at, p)}
		}
		parts = append(parts, p)
	}
	for _, q := range c.list(all) {
		parts = append(parts, c.inherited(q, v, name, inner))
	}
	if own := c.own(at, v, name, inner); own.typ != nil || own.null || !combined {
		parts = append(parts, own)
	}
	for _, key := range [...]string{"oneOf", "anyOf"} {
		if list := at.member(key); list.exists() {
			parts = append(parts, c.union(at, list, v, name, inner))
		}
	}
	return parts
}

// inherited compiles a part of an allOf. What it refers to is the base of a family.
func (c *compiler) inherited(at place, v view, name string, r role) part {
	if ref := at.member("$ref"); ref.exists() && c.dialect != openapi31 || len(at.value.All()) == 1 && ref.exists() {
		return c.ref(ref, v, base, r)
	}
	return c.schema(at, v, name, r)
}

// besideRef are the keywords that speak of a property, and mean something beside a
// reference in all dialects.
var besideRef = []string{"$ref", "description", "title", "readOnly", "writeOnly", "default", "nullable", "deprecated", "example", "examples"}

// beside notes what has no meaning beside a reference.
func (c *compiler) beside(at place, p part) part {
	for _, m := range at.value.All() {
		if name := m.Name(); !slices.Contains(besideRef, name) && !strings.HasPrefix(name, "x-") {
			c.note(at.at(m), name+" beside $ref", "the keyword %s means nothing beside $ref and is left out", name)
		}
	}
	return p
}

// ref compiles a reference: to the definition, or at the root of a resource to a copy of
// what it leads to, so that the definition stays as it is.
func (c *compiler) ref(at place, v view, f form, r role) part {
	if at.value.Kind() != syntax.String {
		c.fail(at.errorf("$ref must be a string, not %s", at.value.Kind()))
		return part{}
	}
	t := c.resolve(at)
	switch {
	case !t.exists():
		m := t.problem
		m.Pos = at.where()
		c.fail(m)
		return part{}
	case r == root:
		return c.copied(at, t, v, f)
	}
	p := part{typ: &model.Ref{Def: c.define(t, v, f)}, secret: c.isSecretBehind(t.place)}
	return p
}

// isSecretBehind reports whether a definition is of secrets.
func (c *compiler) isSecretBehind(at place) bool {
	for range maxChain {
		if isSecret(at.value) {
			return true
		}
		if at = c.referredOnce(at); !at.exists() {
			break
		}
	}
	return false
}

// maxCopies bounds how many references at the root of a resource are replaced by what
// they lead to: some may lead to the same.
const maxCopies = 5000

// copied compiles what a reference leads to in its place.
func (c *compiler) copied(at place, t *target, v view, f form) part {
	key := defKey{t.value, v, f}
	switch {
	case slices.Contains(c.within, key):
		c.fail(at.errorf("the resource is made of itself, without end"))
		return part{}
	case c.copies == maxCopies:
		c.fail(c.resource.path.errorf("the resource is made of more than %d references", maxCopies))
		return part{}
	}
	c.copies++
	c.within = append(c.within, key)
	p := c.formed(t.place, v, "", f, root)
	c.within = c.within[:len(c.within)-1]
	p.doc = ""
	return p
}

// list gives the schemas of a combining keyword.
func (c *compiler) list(at place) []place {
	if !at.exists() {
		return nil
	}
	if at.value.Kind() == syntax.List && len(at.value.All()) == 0 {
		c.fail(at.errorf("%s has no schemas", at.value.Name()))
	}
	if at.value.Kind() != syntax.List {
		return nil
	}
	var places []place
	for _, v := range at.value.All() {
		places = append(places, at.at(v))
	}
	return places
}
