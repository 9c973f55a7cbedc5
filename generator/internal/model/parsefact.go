package model

// stated reads the rest of a line as a name that must not be empty.
func (p *parser) stated() string {
	name := p.word()
	if name == "" && !p.bad {
		p.fail("an empty name")
	}
	p.end()
	return name
}

// factLine reads the rest of a fact's line, and appends the fact.
func (p *parser) factLine(all Facts) Facts {
	all = p.fact(all, " ")
	p.end()
	return all
}

// facts reads the facts after the name of a type, if there are any.
func (p *parser) facts() Facts {
	if !p.eat("[") {
		return nil
	}
	all := p.fact(nil, "=")
	for !p.bad && !p.eat("]") {
		p.accept(", ")
		all = p.fact(all, "=")
	}
	return all
}

func (p *parser) fact(all Facts, separator string) Facts {
	start := p.pos
	f := Fact{Name: p.word()}
	if all.Get(f.Name) != "" {
		p.failAt(start, "fact %q is given twice", f.Name)
	}
	p.accept(separator)
	f.Value = p.json()
	return append(all, f)
}
