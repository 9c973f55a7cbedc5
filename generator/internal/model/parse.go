package model

// maxNesting is the maximum depth of nested types, and of JSON texts within them.
const maxNesting = 500

// Parse reads resources from the text notation. It is the inverse of Print, and of AppendVersion
// within a resource. A definition in the form "def X = V" is a copy of definition X of version V,
// which must come earlier in the same resource. References in the copy are resolved by name in
// the version that contains it.
//
// Parts that a text lacks are nil in the result, and so are positions. JSON texts are stored
// verbatim. Parse refuses types nested deeper than 500.
//
// The error joins one *SyntaxError for each error in the text, up to twenty. name is the name of
// the file. See testdata/notation.txtar for the notation.
func Parse(name string, text []byte) ([]*Resource, error) {
	p := parser{scanner: newScanner(name, string(text)), seen: map[string]int{}}
	var all []*Resource
	for p.line(0) {
		all = append(all, p.resource())
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return all, nil
}

// A parser reads blocks. Its methods for declarations and types read to the end of the block
// below the line.
type parser struct {
	scanner
	linker
	nest  int               // the depth of the current type
	props []locatedProperty // of the objects that are being read, outermost first
	seen  map[string]int    // property names, with the number of the last object that had them
	turn  int               // counts objects
}

type locatedProperty struct {
	Property
	at int
}

func (p *parser) resource() *Resource {
	if !p.starts("resource") {
		p.expected("resource")
	}
	r := &Resource{Type: p.word()}
	p.end()
	p.earlier = map[string]index{}
	for p.line(1) {
		switch {
		case p.starts("kind"):
			p.kind(r)
		case p.starts("group"):
			p.once(r.Group != "", "group")
			r.Group = p.stated()
		case p.starts("fact"):
			r.Facts = p.factLine(r.Facts)
		case p.starts("version"):
			r.Versions = append(r.Versions, p.version())
		default:
			p.wrong("kind, group, fact or version")
		}
	}
	return r
}

// wrong reports a line that is not allowed here.
func (p *parser) wrong(expected string) {
	p.expected(expected)
	p.end()
}

func (p *parser) kind(r *Resource) {
	p.once(r.Kind != "" || r.Plural != "", "kind")
	r.Kind = p.word()
	p.space()
	r.Plural = p.word()
	p.end()
}

func (p *parser) version() *Version {
	v := &Version{Name: p.word()}
	p.end()
	for p.line(2) {
		p.clause(v)
	}
	p.link(v, &p.faults)
	return v
}

func (p *parser) clause(v *Version) {
	switch {
	case p.starts("source"):
		v.Sources = append(v.Sources, p.source())
	case p.starts("spec"):
		p.once(v.Spec != nil, "spec")
		v.Spec = p.typ()
	case p.starts("root"):
		p.once(v.Spec != nil, "spec")
		v.Spec, v.AtRoot = p.typ(), true
	case p.starts("fact"):
		v.Facts = p.factLine(v.Facts)
	case p.starts("status"):
		p.once(v.Status != nil, "status")
		v.Status = p.typ()
	case p.starts("def"):
		p.def()
	default:
		p.wrong("source, fact, spec, root, status or def")
	}
}

func (p *parser) source() Source {
	kind := p.word()
	p.space()
	file := p.word()
	p.space()
	s := Source{Kind: kind, File: file, Scope: p.word()}
	p.end()
	return s
}

func (p *parser) def() {
	d := locatedDef{at: p.pos, Def: Def{Name: p.word()}}
	p.space()
	switch {
	case p.bad:
		p.end()
		return
	case p.eat("= "):
		d.from = p.word()
		d.copied = p.pos == p.eol && !p.bad
		p.end()
	default:
		d.Type, d.Doc = p.documented()
	}
	p.defs = append(p.defs, d)
}

// typ reads a type: the rest of its line, and the block below it.
func (p *parser) typ() Type {
	depth, nest := p.depth, p.nest
	t, inner := p.expr()
	p.end()
	p.block(inner, depth+1)
	p.nest = nest
	return t
}

// documented reads a type as typ does, with a doc if the block begins with one.
func (p *parser) documented() (t Type, doc string) {
	depth, nest := p.depth, p.nest
	t, inner := p.expr()
	p.end()
	if p.line(depth+1) && p.peek() == '"' {
		doc = p.quoted()
		p.end()
	}
	p.block(inner, depth+1)
	p.nest = nest
	return t, doc
}
