package jsonschema

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// copying is what references have copied into the root of a resource.
type copying struct {
	within []use             // the schemas that are being copied
	from   document.Location // the outermost of the references that lead to them
	copied int               // schemas so far
	size   int               // bytes of those at the root
	full   bool              // the limit was reported
}

// count counts a schema that is being compiled.
func (c *copying) count(at document.Location, r Role) {
	if len(c.within) == 0 {
		return
	}
	c.copied++
	if r == Body {
		c.size += at.Size()
	}
}

// reference compiles a reference as a reference to the definition. At the root of a resource it
// copies the target instead, so that the definition stays unchanged.
func (c *Compiler) reference(at document.Location, u Use) Compiled {
	t := c.target(at)
	switch {
	case t == nil:
		return Compiled{}
	case t.Type != nil:
		return Compiled{Type: t.Type}
	case u.Role == Body:
		return c.copy(at, t, u)
	}
	return Compiled{Type: c.Refer(c.definition(t, u), c.inside == 0), Secret: c.dialect.IsSecret(t.Location)}
}

// RefTo returns a reference to the definition of a target that no keyword names.
func (c *Compiler) RefTo(t *document.Target, u Use) Compiled {
	return Compiled{Type: c.Refer(c.definition(t, u), c.inside == 0)}
}

// target returns the target of a reference; nil after an error.
func (c *Compiler) target(at document.Location) *document.Target {
	if at.Kind() != syntax.String {
		c.Fail(at.Errorf("$ref must be a string, not %s", at.Kind()))
		return nil
	}
	t := c.dialect.Resolve(at)
	if t.Type == nil && !t.Exists() {
		m := t.Problem
		m.Pos = at.Where()
		c.Fail(m)
		return nil
	}
	return t
}

// definition returns the definition of a reference's target. The first call queues it.
func (c *Compiler) definition(t *document.Target, u Use) *Definition {
	u = c.dialect.Define(t, u)
	if d := c.Lookup(t.Location, u); d != nil {
		return d
	}
	return c.Add(t.Location, u, c.dialect.Name(t, u))
}

// copy compiles the target of a reference in its location.
func (c *Compiler) copy(at document.Location, t *document.Target, u Use) Compiled {
	key := use{t.Location, u.View, u.Form}
	if len(c.copying.within) == 0 {
		c.copying.from = at
	}
	switch {
	case slices.Contains(c.copying.within, key):
		c.Fail(at.Errorf("the resource contains itself without end"))
		return Compiled{}
	case c.copying.copied >= maxCopied:
		c.tooMuch("%d schemas", maxCopied)
		return Compiled{}
	case c.copying.size > maxCopiedSize:
		c.tooMuch("%d bytes of schemas", maxCopiedSize)
		return Compiled{}
	}
	c.copying.within = append(c.copying.within, key)
	p := c.Schema(t.Location, u)
	c.copying.within = c.copying.within[:len(c.copying.within)-1]
	p.Doc = ""
	return p
}

// tooMuch reports, once, that references copy more than a limit.
func (c *Compiler) tooMuch(limit string, n int) {
	if !c.copying.full {
		c.copying.full = true
		c.Fail(c.copying.from.Errorf("references at the root of the resource copy more than "+limit, n).
			WithHint("combine fewer schemas there, or refer to them from properties, which are not copied"))
	}
}
