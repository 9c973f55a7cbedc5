package model

// Closure returns the definitions that types refer to, directly and through others, each once, in
// the order in which they are first reached.
func Closure(types ...Type) []*Def {
	c := closure{seen: map[*Def]bool{}}
	for _, t := range types {
		c.typ(t)
	}
	return c.defs
}

type closure struct {
	seen map[*Def]bool
	defs []*Def
}

func (c *closure) typ(t Type) {
	switch t := t.(type) {
	case *Ref:
		if !c.seen[t.Def] {
			c.seen[t.Def] = true
			c.defs = append(c.defs, t.Def)
			c.typ(t.Def.Type)
		}
	case *List:
		c.typ(t.Elem)
	case *Map:
		c.typ(t.Elem)
	case *Object:
		for _, p := range t.Properties {
			c.typ(p.Type)
		}
		c.typ(t.Additional)
	case *OneOf:
		c.all(t.Branches)
	case *AllOf:
		c.all(t.Parts)
	}
}

func (c *closure) all(types []Type) {
	for _, t := range types {
		c.typ(t)
	}
}
