package arm

import (
	"cmp"
	"path"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
)

// definition is a schema that is compiled separately: one that is referred to, or a resource's
// body, which has no model.Def of its own.
type definition struct {
	def      *model.Def
	location location
	reached  []*definition // definitions that it refers to, each once, in order
	direct   []*definition // those of reached that it is made of, rather than contains
	problems []diag.Message

	reacher, directReacher *definition // the last definition whose list contains this one
	visit                  int         // the last closure that visited it
}

// reach records a reference to a definition. One definition is compiled at a time, so comparing
// with the last one that reached it is enough to record it once.
func (d *definition) reach(to *definition, direct bool) {
	if to.reacher != d {
		to.reacher = d
		d.reached = append(d.reached, to)
	}
	if direct && to.directReacher != d {
		to.directReacher = d
		d.direct = append(d.direct, to)
	}
}

// define returns the definition of a target. The first call queues it for compilation.
func (u *unit) define(t *target) *definition {
	d := u.defs[t.location]
	if d == nil {
		d = &definition{location: t.location, def: &model.Def{Name: u.name(t), Pos: t.pos()}}
		u.defs[t.location] = d
		u.pending = append(u.pending, d)
	}
	return d
}

// drain compiles the queued definitions, and those that they refer to.
func (u *unit) drain() {
	for len(u.pending) > 0 {
		d := u.pending[len(u.pending)-1]
		u.pending = u.pending[:len(u.pending)-1]
		c := &compiler{unit: u, owner: d}
		p := c.schema(d.location, standing)
		c.discard(p)
		d.def.Type, d.def.Doc = p.solid(), p.doc
	}
}

// name makes a unique name for a definition of the unit. The name of a definition of the file
// itself does not depend on what else is reached.
func (u *unit) name(t *target) string {
	plain := plainName(t)
	if t.doc == u.doc && len(t.tokens) == 2 && t.tokens[0] == "definitions" {
		return plain
	}
	stem := t.doc.stem()
	folder := path.Base(path.Dir(t.doc.path))
	for _, name := range []string{plain, stem + "_" + plain, folder + "_" + stem + "_" + plain} {
		if u.claim(name) {
			return name
		}
	}
	for i := 2; ; i++ {
		if name := plain + "_" + strconv.Itoa(i); u.claim(name) {
			return name
		}
	}
}

// claim takes a name, unless it is taken or the file has a definition of that name.
func (u *unit) claim(name string) bool {
	if u.names == nil {
		u.names = map[string]bool{}
		for member := range u.doc.tree.Root().Member("definitions").All() {
			u.names[member.Name()] = true
		}
	}
	if u.names[name] {
		return false
	}
	u.names[name] = true
	return true
}

// plainName names a definition after its pointer, without the keywords in it:
// /definitions/Pool/properties/size becomes Pool_size. A whole file is named after itself.
func plainName(t *target) string {
	var words []string
	for i, token := range t.tokens {
		if i == len(t.tokens)-1 || !isStructure(token) {
			words = append(words, token)
		}
	}
	return cmp.Or(strings.Join(words, "_"), t.doc.stem())
}

func isStructure(token string) bool {
	switch token {
	case "definitions", "$defs", "properties", "items", "additionalProperties", "oneOf", "anyOf", "allOf":
		return true
	}
	return isSection(token)
}
