package openapi

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// role is the relation of a schema to the schemas around it.
type role uint8

const (
	standing role = iota // stands alone
	joined               // holds together with others
	branch               // one of several
	root                 // the body of a resource, or a part of it
)

// part is the result of compiling a schema. The type is nil if the schema states none.
type part struct {
	typ     model.Type
	doc     string
	initial string
	null    bool // allows null only
	secret  bool
}

// solid returns the type, or free JSON if there is none.
func (p part) solid() model.Type {
	if p.typ == nil {
		return &model.Any{}
	}
	return p.typ
}

// schema compiles any schema. name is its name in messages and definitions.
func (c *compiler) schema(at location, v view, name string, r role) part {
	return c.formed(at, v, name, whole, r)
}

// formed compiles a schema in one of its forms.
func (c *compiler) formed(at location, v view, name string, f form, r role) part {
	if c.depth == maxDepth {
		c.fail(at.errorf("schemas are nested deeper than %d", maxDepth))
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

// initial returns the JSON of a default; null counts as none.
func initial(v *syntax.Value) string {
	if v == nil || v.Kind() == syntax.Null {
		return ""
	}
	return v.JSON()
}

// combine compiles a schema's own keywords, and the schemas that it combines.
func (c *compiler) combine(p *part, at, founder location, v view, name string, f form, r role) {
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

// parts returns the parts of a schema that hold together. Inherited ones come first, and its own
// keywords last, except for unions.
func (c *compiler) parts(at location, v view, name string, f form, r role) []part {
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

// inherited compiles a part of an allOf. The target of its reference is compiled as the base of a
// family.
func (c *compiler) inherited(at location, v view, name string, r role) part {
	if ref := at.member("$ref"); ref.exists() && c.dialect != openapi31 || len(at.value.All()) == 1 && ref.exists() {
		return c.ref(ref, v, base, r)
	}
	return c.schema(at, v, name, r)
}

// besideRef are the keywords that describe a property, and are valid beside a reference in all
// dialects.
var besideRef = []string{"$ref", "description", "title", "readOnly", "writeOnly", "default", "nullable", "deprecated", "example", "examples"}

// beside adds notes for keywords that have no meaning beside a reference.
func (c *compiler) beside(at location, p part) part {
	for _, m := range at.value.All() {
		if name := m.Name(); !slices.Contains(besideRef, name) && !strings.HasPrefix(name, "x-") {
			c.note(at.at(m), name+" beside $ref", "the keyword %s has no meaning beside $ref and is ignored", name)
		}
	}
	return p
}

// ref compiles a reference as a reference to the definition. At the root of a resource it copies
// the target instead, so that the definition stays unchanged.
func (c *compiler) ref(at location, v view, f form, r role) part {
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
	p := part{typ: &model.Ref{Def: c.define(t, v, f)}, secret: c.isSecretBehind(t.location)}
	return p
}

// isSecretBehind reports whether the values of a definition are secrets.
func (c *compiler) isSecretBehind(at location) bool {
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

// maxCopies is the largest number of references at the root of a resource that are replaced by
// copies. Some may have the same target.
const maxCopies = 5000

// copied compiles the target of a reference in its location.
func (c *compiler) copied(at location, t *target, v view, f form) part {
	key := defKey{t.value, v, f}
	switch {
	case slices.Contains(c.within, key):
		c.fail(at.errorf("the resource contains itself without end"))
		return part{}
	case c.copies == maxCopies:
		c.fail(c.resource.path.errorf("the resource is made of more than %d references", maxCopies))
		return part{}
	}
	c.copies++
	c.within = append(c.within, key)
	p := c.formed(t.location, v, "", f, root)
	c.within = c.within[:len(c.within)-1]
	p.doc = ""
	return p
}

// list returns the schemas of a combining keyword.
func (c *compiler) list(at location) []location {
	if !at.exists() {
		return nil
	}
	if at.value.Kind() == syntax.List && len(at.value.All()) == 0 {
		c.fail(at.errorf("%s has no schemas", at.value.Name()))
	}
	if at.value.Kind() != syntax.List {
		return nil
	}
	var locations []location
	for _, v := range at.value.All() {
		locations = append(locations, at.at(v))
	}
	return locations
}
