package openapi

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/jsonschema"
)

// compile compiles a resource version, with definitions of its own.
func (u *unit) compile(r *resource) {
	schemas := &schemas{unit: u, resource: r}
	c := jsonschema.NewCompiler(schemas, &u.notes)
	schemas.compiler = c
	root := c.Root(r.path)
	from := u.source(strings.Join(r.scopes, "-"))
	v := &model.Version{Name: r.version, Sources: []model.Source{from}, Pos: r.path.Pos(), Spec: body(c, r.body, jsonschema.Spec)}
	answer := r.answer
	if !answer.Exists() {
		answer = r.body
	}
	v.Status = body(c, answer, jsonschema.Status)
	if limits := u.nameLimits(r); limits != "" {
		v.Facts = model.Facts{{Name: model.NameLimits, Value: limits}}
	}
	for d := c.Oldest(); d != nil; d = c.Oldest() {
		c.Define(d)
	}
	c.Endless()
	if problems := c.Problems(root); len(problems) > 0 {
		u.Reject(source.Broken{Type: r.typ, Version: r.version, Source: from}, problems...)
		return
	}
	v.Defs = model.Closure(v.Spec, v.Status)
	u.Declared = append(u.Declared, source.Declared{Type: r.typ, Version: v})
	u.stated = append(u.stated, stated{v, r.typ, r.stated})
}

// body compiles a body. A missing one has no members.
func body(c *jsonschema.Compiler, at document.Location, v jsonschema.View) model.Type {
	if !at.Exists() {
		return &model.Object{}
	}
	return c.Body(at, v)
}
