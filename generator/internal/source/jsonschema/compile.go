package jsonschema

import (
	"iter"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// Compiler compiles the schemas of a scope.
type Compiler struct {
	Scope
	dialect    Dialect
	vocabulary *Vocabulary
	notes      *document.Notes

	inside  int // depth of properties, elements and members within the definition
	depth   int // of schemas within the definition
	copying copying
	doubled map[document.Location]bool // members that were reported
}

// NewCompiler returns a compiler without definitions. It records notes in notes.
func NewCompiler(d Dialect, notes *document.Notes) *Compiler {
	return &Compiler{dialect: d, vocabulary: d.Vocabulary(), notes: notes, doubled: map[document.Location]bool{}}
}

// Compiled is the result of compiling a schema. The type is nil if the schema states none.
type Compiled struct {
	Type     model.Type
	Doc      string
	Default  document.Location
	ReadOnly document.Location
	Null     bool // allows null only
	Secret   bool
}

// Solid returns the type, or free JSON if there is none.
func (p Compiled) Solid() model.Type {
	if p.Type == nil {
		return &model.Any{}
	}
	return p.Type
}

// inherit adds what a schema that was merged into this one states, where this one does not.
func (p *Compiled) inherit(from Compiled) {
	p.Type, p.Null, p.Secret = from.Type, from.Null, p.Secret || from.Secret
	if p.Doc == "" {
		p.Doc = from.Doc
	}
	if !p.Default.Exists() {
		p.Default = from.Default
	}
	if !p.ReadOnly.Exists() {
		p.ReadOnly = from.ReadOnly
	}
}

// Body compiles the root of a resource, which root owns. It returns an object without members if
// the schema states no type.
func (c *Compiler) Body(at document.Location, v View) model.Type {
	c.copying = copying{}
	if t := c.Schema(at, Use{Role: Body, View: v}).Type; t != nil {
		return t
	}
	return &model.Object{}
}

// Define compiles a definition.
func (c *Compiler) Define(d *Definition) {
	p := c.Schema(d.At, d.Use)
	c.dialect.Discard(p)
	d.Def.Type, d.Def.Doc = p.Solid(), p.Doc
}

// Schema compiles any schema.
func (c *Compiler) Schema(at document.Location, use Use) Compiled {
	if c.depth == MaxDepth {
		c.Fail(at.Errorf("schemas are nested deeper than %d", MaxDepth))
		return Compiled{}
	}
	c.depth++
	defer func() { c.depth-- }()
	c.copying.count(at, use.Role)
	switch at.Kind() {
	case syntax.Object:
		var s schema
		c.read(at, &s)
		return c.object(&s, use)
	case syntax.Bool:
	default:
		c.Fail(at.Errorf("a schema must be an object, not %s", at.Kind()))
	}
	return Compiled{}
}

// object compiles a schema of keywords.
func (c *Compiler) object(s *schema, use Use) Compiled {
	p := Compiled{
		Doc: strings.TrimSpace(s.description.Text()), Default: s.initial, ReadOnly: s.readOnly,
		Secret: c.dialect.IsSecret(s.Location),
	}
	if t, ok := c.dialect.Schema(s.Location, use); ok {
		p.Type = t
		return p
	}
	return c.combine(s, p, use)
}

// Keywords compiles a schema by its keywords, without a rule of the dialect for whole schemas.
func (c *Compiler) Keywords(at document.Location, use Use) Compiled {
	var s schema
	c.read(at, &s)
	return c.combine(&s, Compiled{}, use)
}

// combine adds to p the parts of a schema that hold together.
func (c *Compiler) combine(s *schema, p Compiled, use Use) Compiled {
	count := s.combined()
	if count == 0 && use.Form == 0 {
		p.inherit(c.own(s, use))
		return p
	}
	parts := c.parts(s, use, count)
	if use.Form != 0 {
		parts = c.dialect.Parts(s.Location, use, parts)
	}
	if len(parts) == 1 {
		p.inherit(parts[0])
		return p
	}
	for _, q := range parts {
		c.dialect.Discard(q)
		p.Secret = p.Secret || q.Secret
	}
	p.Type = Conjunction(parts)
	return p
}

// Conjunction returns the type of parts that hold together. It omits parts that add nothing.
func Conjunction(parts []Compiled) model.Type {
	var types []model.Type
	var empty model.Type
	for _, p := range parts {
		switch {
		case p.Type == nil:
		case isEmpty(p.Type):
			empty = p.Type
		default:
			types = append(types, p.Type)
		}
	}
	switch len(types) {
	case 0:
		return empty
	case 1:
		return types[0]
	}
	return &model.AllOf{Parts: types}
}

// isEmpty reports whether a type adds nothing to a conjunction.
func isEmpty(t model.Type) bool {
	o, ok := t.(*model.Object)
	return ok && len(o.Properties) == 0 && o.Additional == nil && len(o.Requires) == 0
}

// Union returns the union of types: nil for none, the type itself for one.
func Union(types []model.Type) model.Type {
	switch len(types) {
	case 0:
		return nil
	case 1:
		return types[0]
	}
	return &model.OneOf{Branches: types}
}

// parts compiles the parts of a schema that hold together, in the order of the dialect. count is
// the number of schemas that it combines.
func (c *Compiler) parts(s *schema, use Use, count int) []Compiled {
	if s.ref.Exists() && c.dialect.Replaces(s.Location) {
		return []Compiled{c.reference(s.ref, use)}
	}
	inner := use.in(use.Role)
	if count > 0 && use.Role != Body {
		inner.Role = Joined
	}
	stated, own := s.states(), 0
	parts := make([]Compiled, 0, count)
	if stated {
		parts = make([]Compiled, 0, count+1)
	}
	for _, step := range c.vocabulary.Steps {
		switch step {
		case Own:
			if p := c.own(s, inner); p.Type != nil || p.Null || count == 0 {
				parts, own = append(parts, p), 1
			}
			stated = false
		case Reference:
			if s.ref.Exists() {
				parts = append(parts, c.reference(s.ref, use.in(use.Role)))
			}
		case AllOf:
			parts = c.conjuncts(parts, s, c.alone(inner, use.Role, count == 1 && own == 0 && !stated))
		case OneOf:
			parts = c.union(parts, s, s.oneOf, c.alone(inner, use.Role, count == 1 && own == 0 && !stated))
		case AnyOf:
			parts = c.union(parts, s, s.anyOf, c.alone(inner, use.Role, count == 1 && own == 0 && !stated))
		}
	}
	return parts
}

// alone returns the use of a part: that of the whole schema if there is no other part.
func (c *Compiler) alone(inner Use, whole Role, alone bool) Use {
	if alone {
		inner.Role = whole
	}
	return inner
}

// conjuncts appends the parts of an allOf.
func (c *Compiler) conjuncts(parts []Compiled, s *schema, use Use) []Compiled {
	for at := range c.schemas(s.allOf) {
		if ref, form := c.dialect.Conjunct(at); ref.Exists() {
			inherited := use
			inherited.Form = form
			parts = append(parts, c.reference(ref, inherited))
			continue
		}
		parts = append(parts, c.Schema(at, use))
	}
	return parts
}

// schemas yields the schemas of a combining keyword, and reports wrong ones.
func (c *Compiler) schemas(list document.Location) iter.Seq[document.Location] {
	return func(yield func(document.Location) bool) {
		if !list.Exists() || !c.isList(list, "schemas") {
			return
		}
		n := 0
		for at := range list.All() {
			if n++; n > MaxBranches {
				c.Fail(list.Errorf("%s has more than %d schemas", list.Name(), MaxBranches))
				return
			}
			if !yield(at) {
				return
			}
		}
		if n == 0 {
			c.Fail(list.Errorf("%s has no schemas", list.Name()))
		}
	}
}

// isList checks that the value of a keyword is a list.
func (c *Compiler) isList(at document.Location, of string) bool {
	if at.Kind() == syntax.List {
		return true
	}
	c.Fail(at.Errorf("%s must be a list of %s, not %s", at.Name(), of, at.Kind()))
	return false
}
