package openapi

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// compiler compiles the types of one resource's bodies.
type compiler struct {
	*unit
	resource *resource
	names    map[string]bool // of definitions
	defs     map[defKey]*model.Def
	pending  []pending
	within   []defKey // the parts of the root that are being compiled
	depth    int
	copies   int
	problems []diag.Message
	taken    map[fault]bool
}

// fault is a recorded error.
type fault struct {
	file   string
	offset int
	text   string
}

// form is the meaning of a schema of a family.
type form uint8

const (
	whole  form = iota // any schema that inherits from it, or itself
	member             // itself, with the value of the discriminator
	base               // what others inherit from it
)

// defKey is a schema in a view and a form. A schema that is the same in both views belongs to the
// spec's. One without a family has the form whole.
type defKey struct {
	schema *syntax.Value
	view   view
	form   form
}

// pending is a definition that remains to be compiled.
type pending struct {
	key defKey
	at  location
	def *model.Def
}

// The limits of a resource: the number of definitions that it reaches, and the nesting of schemas.
const (
	maxDefinitions = 20000
	maxDepth       = 150
)

// fail records an error once, since an error in one view is usually in the other too.
func (c *compiler) fail(m diag.Message) {
	at := fault{m.Pos.File, m.Pos.Offset, m.Text}
	if !c.taken[at] {
		c.taken[at] = true
		c.problems = append(c.problems, m)
	}
}

// compile compiles a resource version.
func (u *unit) compile(r *resource) {
	c := &compiler{unit: u, resource: r, names: map[string]bool{}, defs: map[defKey]*model.Def{}, taken: map[fault]bool{}}
	from := u.source(strings.Join(r.scopes, "-"))
	v := &model.Version{Name: r.version, Sources: []model.Source{from}, Pos: r.path.pos(), Spec: c.root(r.body, spec)}
	if v.Status = c.root(r.answer, status); !r.answer.exists() {
		v.Status = c.root(r.body, status)
	}
	if limits := u.nameLimits(r); limits != "" {
		v.Facts = model.Facts{{Name: model.NameLimits, Value: limits}}
	}
	c.drain()
	c.endless()
	if len(c.problems) > 0 {
		slices.SortStableFunc(c.problems, byPlace)
		u.broken = append(u.broken, source.Broken{Type: r.typ, Version: r.version, Source: from, Messages: c.problems})
		return
	}
	v.Defs = model.Closure(v.Spec, v.Status)
	u.declared = append(u.declared, declared{source.Declared{Type: r.typ, Version: v}, r.stated})
}

// root compiles a body. A missing body has no members.
func (c *compiler) root(at location, v view) model.Type {
	if !at.exists() {
		return &model.Object{}
	}
	if t := c.schema(at, v, "", root).typ; t != nil {
		return t
	}
	return &model.Object{}
}

// drain compiles the pending definitions, and those that they refer to.
func (c *compiler) drain() {
	for i := 0; i < len(c.pending); i++ {
		p := c.pending[i]
		made := c.formed(p.at, p.key.view, p.def.Name, p.key.form, standing)
		p.def.Type, p.def.Doc = made.solid(), made.doc
	}
}

// define returns the definition of a reference's target. The first call queues it.
func (c *compiler) define(t *target, v view, f form) *model.Def {
	if !c.views[t.value] {
		v = spec
	}
	if !c.families.founder(t.location).exists() {
		f = whole
	}
	key := defKey{t.value, v, f}
	d := c.defs[key]
	if d == nil {
		if len(c.defs) == maxDefinitions {
			c.fail(t.errorf("the resource reaches more than %d definitions", maxDefinitions))
		}
		d = &model.Def{Name: c.name(t, v, f), Pos: t.pos(), Type: &model.Object{}}
		c.defs[key] = d
		if len(c.defs) <= maxDefinitions {
			c.pending = append(c.pending, pending{key, t.location, d})
		}
	}
	return d
}

// suffixes are the name suffixes of definitions for forms other than whole.
var suffixes = map[form]string{whole: "", member: "_member", base: "_base"}

// name makes a unique name for a definition of the resource.
func (c *compiler) name(t *target, v view, f form) string {
	suffix := suffixes[f]
	if v == status {
		suffix += "_" + model.StatusSuffix
	}
	stem := strings.TrimSuffix(path.Base(t.file.path), path.Ext(t.file.path))
	plain := plainName(t.tokens, stem)
	for _, name := range []string{plain, stem + "_" + plain} {
		if c.claim(name + suffix) {
			return name + suffix
		}
	}
	for i := 2; ; i++ {
		if name := plain + "_" + strconv.Itoa(i) + suffix; c.claim(name) {
			return name
		}
	}
}

func (c *compiler) claim(name string) bool {
	if c.names[name] {
		return false
	}
	c.names[name] = true
	return true
}

// structural are the members of pointers that are not used as names, unless they are the last.
var structural = []string{"definitions", "$defs", "components", "schemas", "properties", "items", "additionalProperties", "oneOf", "anyOf", "allOf"}

// plainName names a definition after its pointer, and a whole file after itself.
func plainName(tokens []string, stem string) string {
	var words []string
	for i, token := range tokens {
		if i == len(tokens)-1 || !slices.Contains(structural, token) {
			words = append(words, token)
		}
	}
	if len(words) == 0 {
		return stem
	}
	return strings.Join(words, "_")
}

// endless reports definitions that consist of themselves: through references, unions and
// conjunctions only, so that no finite value exists.
func (c *compiler) endless() {
	state := map[*model.Def]int{} // 1: being visited, 2: done
	for _, p := range c.pending {
		if !c.ends(p.def.Type, p.def, state) {
			c.fail(p.at.errorf("the schema %q contains itself without end", p.def.Name))
			return
		}
	}
}

// ends reports whether the parts of a type end.
func (c *compiler) ends(t model.Type, in *model.Def, state map[*model.Def]int) bool {
	all := func(types []model.Type) bool {
		return !slices.ContainsFunc(types, func(t model.Type) bool { return !c.ends(t, in, state) })
	}
	switch t := t.(type) {
	case *model.Ref:
		if state[t.Def] != 0 {
			return state[t.Def] == 2
		}
		state[t.Def] = 1
		ok := c.ends(t.Def.Type, t.Def, state)
		state[t.Def] = 2
		return ok
	case *model.AllOf:
		return all(t.Parts)
	case *model.OneOf:
		return all(t.Branches)
	}
	return true
}
