package model

// block reads the lines below a type.
func (p *parser) block(t Type, depth int) {
	switch t := t.(type) {
	case *Object:
		p.object(t, depth)
	case *OneOf:
		t.Branches = p.branches(depth)
	case *AllOf:
		t.Parts = p.branches(depth)
	}
}

func (p *parser) branches(depth int) []Type {
	var all []Type
	for p.line(depth) {
		if !p.starts("-") {
			p.expected("-")
		}
		all = append(all, p.typ())
	}
	return all
}

func (p *parser) object(o *Object, depth int) {
	first := len(p.props)
	for p.line(depth) {
		p.member(o)
	}
	o.Properties = p.properties(first)
}

func (p *parser) member(o *Object) {
	switch {
	case p.peek() == '.':
		p.property()
	case p.starts("*"):
		p.once(o.Additional != nil, "*")
		o.Additional = p.typ()
	case p.eat("requires("):
		p.once(o.Requires != nil, "requires")
		o.Requires = p.words()
		p.end()
	case p.starts("union"):
		p.once(o.Union != nil, "union")
		o.Union = p.union()
	default:
		p.wrong("a property, *, requires(...) or union")
	}
}

func (p *parser) property() {
	q := locatedProperty{at: p.pos}
	p.accept(".")
	q.Name = p.word()
	q.Required = p.eat("!")
	p.space()
	if p.bad {
		p.end()
		return
	}
	q.ReadOnly = p.eat("readonly ")
	q.Secret = p.eat("secret ")
	q.Nullable = p.eat("nullable ")
	if p.eat("deprecated(") {
		q.Deprecated = p.word()
		p.accept(") ")
	}
	if p.eat("wire(") {
		q.Wire = p.word()
		p.accept(") ")
	}
	if p.eat("default(") {
		q.Default = p.json()
		p.accept(") ")
	}
	q.Type, q.Doc = p.documented()
	p.props = append(p.props, q)
}

// properties removes the collected properties from first on, and returns them as those of one
// object.
func (p *parser) properties(first int) []*Property {
	found := p.props[first:]
	p.turn++
	all := make([]Property, len(found))
	for i, q := range found {
		if p.seen[q.Name] == p.turn {
			p.report(q.at, "property %q is declared twice", q.Name)
		}
		p.seen[q.Name] = p.turn
		all[i] = q.Property
	}
	p.props = p.props[:first]
	return pointers(all)
}

func (p *parser) union() *Union {
	depth := p.depth + 1
	u := &Union{Discriminator: p.word()}
	p.end()
	for p.line(depth) {
		u.Cases = append(u.Cases, p.unionCase())
	}
	return u
}

func (p *parser) unionCase() Case {
	var c Case
	p.accept("case (")
	c.Values = p.values()
	p.accept(" allows(")
	c.Allows = p.words()
	p.accept(" requires(")
	c.Requires = p.words()
	p.end()
	return c
}
