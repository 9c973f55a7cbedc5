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

// compiler makes types of one resource's bodies.
type compiler struct {
	*unit
	resource *resource
	names    map[string]bool // of definitions
	defs     map[defKey]*model.Def
	pending  []pending
	within   []defKey // what the root is made of, that is being compiled
	depth    int
	copies   int
	problems []diag.Message
	taken    map[fault]bool
}

// fault is an error that was taken.
type fault struct {
	file   string
	offset int
	text   string
}

// form is what a schema of a family stands for.
type form uint8

const (
	whole  form = iota // any of those that inherit from it, or itself
	member             // itself, with the value of the discriminator
	base               // what others inherit of it
)

// defKey is a schema in a view and a form. What is the same in both views is in the
// spec's, and what is of no family is whole.
type defKey struct {
	schema *syntax.Value
	view   view
	form   form
}

// pending is a definition that is to be made of a schema.
type pending struct {
	key defKey
	at  place
	def *model.Def
}

// The limits of a resource: the definitions that it reaches, and how deep schemas may
// stand within each other.
const (
	maxDefinitions = 20000
	maxDepth       = 150
)

// fail takes an error, once: what is wrong in one view mostly is in the other.
func (c *compiler) fail(m diag.Message) {
	at := fault{m.Pos.File, m.Pos.Offset, m.Text}
	if !c.taken[at] {
		c.taken[at] = true
		c.problems = append(c.problems, m)
	}
}

// compile takes a resource version.
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
	u.declared = append(u.declared, declared{source.Declared{Type: r.typ, Version: v}, r.said})
}

// root compiles a body. One that is not there has no members.
func (c *compiler) root(at place, v view) model.Type {
	if !at.exists() {
		return &model.Object{}
	}
	if t := c.schema(at, v, "", root).typ; t != nil {
		return t
	}
	return &model.Object{}
}

// drain makes what is pending, and what that refers to.
func (c *compiler) drain() {
	for i := 0; i < len(c.pending); i++ {
		p := c.pending[i]
		made := c.formed(p.at, p.key.view, p.def.Name, p.key.form, standing)
		p.def.Type, p.def.Doc = made.solid(), made.doc
	}
}

// define gives the definition of what a reference leads to; the first time it is put on
// the list of what is to be made.
func (c *compiler) define(t *target, v view, f form) *model.Def {
	if !c.views[t.value] {
		v = spec
	}
	if !c.families.founder(t.place).exists() {
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
			c.pending = append(c.pending, pending{key, t.place, d})
		}
	}
	return d
}

// suffixes of the names of definitions that are not the whole of a schema.
var suffixes = map[form]string{whole: "", member: "_member", base: "_base"}

// name makes a name that no other definition of the resource has.
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

// structural are the members of pointers that name nothing, unless they are the last.
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

// endless reports definitions that are made of themselves: through references, unions
// and conjunctions only, so that no value has an end.
func (c *compiler) endless() {
	state := map[*model.Def]int{} // 1: being visited, 2: done
	for _, p := range c.pending {
		if !c.ends(p.def.Type, p.def, state) {
			c.fail(p.at.errorf("the schema %q is made of itself, without end", p.def.Name))
			return
		}
	}
}

// ends reports whether what a type is made of ends.
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
