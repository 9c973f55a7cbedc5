package model

import (
	"strconv"
)

// Print writes resources in the text notation.
func Print(resources ...*Resource) []byte {
	p := printer{}
	for i, r := range resources {
		if i > 0 {
			p.buf = append(p.buf, '\n')
		}
		p.resource(r)
	}
	return p.buf
}

// AppendVersion appends one version at the given depth of indentation, as in Print's output. A
// definition for which same returns a version is written as a reference to the equal definition
// of that version.
func AppendVersion(out []byte, v *Version, depth int, same func(*Def) string) []byte {
	p := printer{buf: out, depth: depth, same: same}
	p.version(v)
	return p.buf
}

// AppendDef appends the canonical text of one definition, without indentation.
func AppendDef(out []byte, d *Def) []byte {
	p := printer{buf: out}
	p.def(d)
	return p.buf
}

type printer struct {
	buf   []byte
	depth int
	same  func(*Def) string
}

func (p *printer) indent() {
	for range p.depth {
		p.buf = append(p.buf, ' ', ' ')
	}
}

func (p *printer) str(parts ...string) {
	for _, s := range parts {
		p.buf = append(p.buf, s...)
	}
}

func (p *printer) line(parts ...string) {
	p.indent()
	p.str(parts...)
	p.buf = append(p.buf, '\n')
}

func (p *printer) resource(r *Resource) {
	p.line("resource ", word(r.Type))
	p.depth++
	if r.Kind != "" || r.Plural != "" {
		p.line("kind ", word(r.Kind), " ", word(r.Plural))
	}
	if r.Group != "" {
		p.line("group ", word(r.Group))
	}
	p.factLines(r.Facts)
	for _, v := range r.Versions {
		p.version(v)
	}
	p.depth--
}

func (p *printer) version(v *Version) {
	p.line("version ", word(v.Name))
	p.depth++
	for _, s := range v.Sources {
		p.line("source ", word(s.Kind), " ", word(s.File), " ", word(s.Scope))
	}
	p.factLines(v.Facts)
	switch {
	case v.Spec != nil && v.AtRoot:
		p.field("root", v.Spec)
	case v.Spec != nil:
		p.field("spec", v.Spec)
	}
	if v.Status != nil {
		p.field("status", v.Status)
	}
	for _, d := range v.Defs {
		if p.same != nil {
			if at := p.same(d); at != "" {
				p.line("def ", word(d.Name), " = ", word(at))
				continue
			}
		}
		p.def(d)
	}
	p.depth--
}

// factLines prints each fact on a line.
func (p *printer) factLines(all Facts) {
	for _, f := range all {
		p.line("fact ", word(f.Name), " ", f.Value)
	}
}

// facts prints facts after the name of a type.
func (p *printer) facts(all Facts) {
	for i, f := range all {
		if i == 0 {
			p.str("[")
		} else {
			p.str(", ")
		}
		p.str(word(f.Name), "=", f.Value)
	}
	if len(all) > 0 {
		p.str("]")
	}
}

func (p *printer) field(name string, t Type) {
	p.indent()
	p.str(name, " ")
	p.typ(t, "")
}

func (p *printer) def(d *Def) {
	p.indent()
	p.str("def ", word(d.Name), " ")
	p.typ(d.Type, d.Doc)
}

// typ prints a type expression, the end of its line, and the block below it. The doc is the first
// line of that block.
func (p *printer) typ(t Type, doc string) {
	inner := p.expr(t)
	p.buf = append(p.buf, '\n')
	p.depth++
	if doc != "" {
		p.indent()
		p.buf = AppendQuote(p.buf, doc)
		p.buf = append(p.buf, '\n')
	}
	p.block(inner)
	p.depth--
}

// block prints the lines below the line of a type.
func (p *printer) block(t Type) {
	switch t := t.(type) {
	case *Object:
		p.object(t)
	case *OneOf:
		p.branches(t.Branches)
	case *AllOf:
		p.branches(t.Parts)
	}
}

// expr prints the part of a type that is on one line, and returns the innermost type, which may
// have lines below.
func (p *printer) expr(t Type) Type {
	switch t := t.(type) {
	case *Scalar:
		p.str(t.Kind.String())
		p.limits(t.Limits)
		p.facts(t.Facts)
	case *Enum:
		p.str("enum ")
		if t.Open {
			p.str("open ")
		}
		p.str(t.Base.String(), "(")
		p.list(t.Values)
		p.str(")")
		p.facts(t.Facts)
	case *List:
		p.str("list")
		p.limits(t.Limits)
		p.facts(t.Facts)
		p.str(" ")
		return p.expr(t.Elem)
	case *Map:
		p.str("map")
		p.facts(t.Facts)
		p.str(" ")
		return p.expr(t.Elem)
	case *Ref:
		p.str("&", word(t.Def.Name))
	case *Any:
		p.str("any")
		if t.Reason != "" {
			p.str("(")
			p.buf = AppendQuote(p.buf, t.Reason)
			p.str(")")
		}
		p.facts(t.Facts)
	case *Object:
		p.str("object")
		p.facts(t.Facts)
	case *OneOf:
		p.str("oneof")
	case *AllOf:
		p.str("allof")
	}
	return t
}

func (p *printer) list(values []string) {
	for i, v := range values {
		if i > 0 {
			p.str(", ")
		}
		p.str(v)
	}
}

func (p *printer) branches(types []Type) {
	for _, t := range types {
		p.field("-", t)
	}
}

func (p *printer) object(o *Object) {
	for _, q := range o.Properties {
		p.property(q)
	}
	if o.Additional != nil {
		p.field("*", o.Additional)
	}
	if len(o.Requires) > 0 {
		p.indent()
		p.str("requires(")
		p.words(o.Requires)
		p.str(")\n")
	}
	if o.Union != nil {
		p.union(o.Union)
	}
}

func (p *printer) property(q *Property) {
	p.indent()
	p.str(".", word(q.Name))
	if q.Required {
		p.str("!")
	}
	p.str(" ")
	if q.ReadOnly {
		p.str("readonly ")
	}
	if q.Secret {
		p.str("secret ")
	}
	if q.Nullable {
		p.str("nullable ")
	}
	if q.Deprecated != "" {
		p.str("deprecated(", word(q.Deprecated), ") ")
	}
	if q.Wire != "" {
		p.str("wire(", word(q.Wire), ") ")
	}
	if q.Default != "" {
		p.str("default(", q.Default, ") ")
	}
	p.typ(q.Type, q.Doc)
}

func (p *printer) union(u *Union) {
	p.line("union ", word(u.Discriminator))
	p.depth++
	for _, c := range u.Cases {
		p.indent()
		p.str("case (")
		p.list(c.Values)
		p.str(") allows(")
		p.words(c.Allows)
		p.str(") requires(")
		p.words(c.Requires)
		p.str(")\n")
	}
	p.depth--
}

func (p *printer) words(names []string) {
	for i, n := range names {
		if i > 0 {
			p.str(" ")
		}
		p.str(word(n))
	}
}

func (p *printer) limits(l *Limits) {
	if l == nil {
		return
	}
	sep := "("
	item := func(name, value string) {
		if value != "" {
			p.str(sep, name, "=", value)
			sep = ", "
		}
	}
	text := func(name, value string) {
		if value != "" {
			item(name, string(AppendQuote(nil, value)))
		}
	}
	flag := func(name string, on bool) {
		if on {
			item(name, "true")
		}
	}
	text("format", l.Format)
	text("pattern", l.Pattern)
	item("minLength", l.MinLength)
	item("maxLength", l.MaxLength)
	item("minimum", l.Minimum)
	item("maximum", l.Maximum)
	flag("exclusiveMinimum", l.ExclusiveMin)
	flag("exclusiveMaximum", l.ExclusiveMax)
	item("multipleOf", l.MultipleOf)
	item("minItems", l.MinItems)
	item("maxItems", l.MaxItems)
	flag("unique", l.Unique)
	if sep == ", " {
		p.str(")")
	}
}

// word quotes a name unless it is one token.
func word(s string) string {
	if s == "" {
		return `""`
	}
	for i := range len(s) {
		if !isWord(s[i]) {
			return string(AppendQuote(nil, s))
		}
	}
	return s
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == '/' || c == '$' || c == '@'
}

// AppendQuote appends a quoted string, as Go and the notation write it.
func AppendQuote(dst []byte, s string) []byte {
	if !isPlain(s) {
		return strconv.AppendQuote(dst, s)
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

// isPlain reports whether a string needs no escapes between quotes.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
