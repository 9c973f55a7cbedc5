package model

// expr reads the part of a type that is on one line. inner is the type that the lines below
// describe; nil if there can be none.
func (p *parser) expr() (t, inner Type) {
	if p.nest++; p.nest > maxNesting {
		p.fail("nested deeper than %d", maxNesting)
		return nil, nil
	}
	if p.peek() == '&' {
		return p.ref(), nil
	}
	start := p.pos
	switch p.key() {
	case "string":
		return p.scalar(String), nil
	case "int":
		return p.scalar(Int), nil
	case "number":
		return p.scalar(Number), nil
	case "bool":
		return p.scalar(Bool), nil
	case "enum":
		return p.enum(), nil
	case "any":
		return p.any(), nil
	case "list":
		l := &List{Limits: p.limits(), Facts: p.facts()}
		p.space()
		l.Elem, inner = p.expr()
		return l, inner
	case "map":
		m := &Map{Facts: p.facts()}
		p.space()
		m.Elem, inner = p.expr()
		return m, inner
	case "object":
		o := &Object{Facts: p.facts()}
		return o, o
	case "oneof":
		o := &OneOf{}
		return o, o
	case "allof":
		a := &AllOf{}
		return a, a
	}
	if !p.bad {
		p.pos = start
		p.expected("a type")
	}
	return nil, nil
}

func (p *parser) scalar(k Kind) *Scalar {
	return p.store.scalars.add(Scalar{k, p.limits(), p.facts()})
}

func (p *parser) ref() *Ref {
	r := pendingRef{ref: p.store.refs.add(Ref{}), at: p.pos}
	p.accept("&")
	r.name = p.word()
	if !p.bad {
		p.refs = append(p.refs, r)
	}
	return r.ref
}

func (p *parser) enum() *Enum {
	p.space()
	open := p.eat("open ")
	start := p.pos
	base, ok := kindOf(p.key())
	if !ok && !p.bad {
		p.pos = start
		p.expected("string, int, number or bool")
	}
	p.accept("(")
	return &Enum{Base: base, Values: p.values(), Open: open, Facts: p.facts()}
}

func kindOf(name string) (Kind, bool) {
	for k, n := range kindNames {
		if n == name {
			return Kind(k), true
		}
	}
	return 0, false
}

func (p *parser) any() *Any {
	a := &Any{}
	if p.eat("(") {
		a.Reason = p.quoted()
		p.accept(")")
	}
	a.Facts = p.facts()
	return a
}

func (p *parser) limits() *Limits {
	if !p.eat("(") {
		return nil
	}
	l := p.store.limits.add(Limits{})
	p.limit(l)
	for !p.bad && !p.eat(")") {
		p.accept(", ")
		p.limit(l)
	}
	return l
}

func (p *parser) limit(l *Limits) {
	start := p.pos
	switch p.key() {
	case "format":
		p.limitText(&l.Format)
	case "pattern":
		p.limitText(&l.Pattern)
	case "minLength":
		p.limitNumber(&l.MinLength)
	case "maxLength":
		p.limitNumber(&l.MaxLength)
	case "minimum":
		p.limitNumber(&l.Minimum)
	case "maximum":
		p.limitNumber(&l.Maximum)
	case "exclusiveMinimum":
		p.limitFlag(&l.ExclusiveMin)
	case "exclusiveMaximum":
		p.limitFlag(&l.ExclusiveMax)
	case "multipleOf":
		p.limitNumber(&l.MultipleOf)
	case "minItems":
		p.limitNumber(&l.MinItems)
	case "maxItems":
		p.limitNumber(&l.MaxItems)
	case "unique":
		p.limitFlag(&l.Unique)
	default:
		if !p.bad {
			p.pos = start
			p.expected("a limit")
		}
	}
}

func (p *parser) limitText(to *string) {
	p.limitOnce(*to != "")
	if *to = p.quoted(); *to == "" {
		p.fail("limit is empty")
	}
}

func (p *parser) limitNumber(to *string) {
	p.limitOnce(*to != "")
	*to = p.number()
}

func (p *parser) limitFlag(to *bool) {
	p.limitOnce(*to)
	p.accept("true")
	*to = true
}

// limitOnce reads up to the value of a limit, and fails if the limit was given before.
func (p *parser) limitOnce(given bool) {
	if given {
		p.fail("limit is given twice")
	}
	p.accept("=")
}
