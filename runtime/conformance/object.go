package conformance

import "unsafe"

// draw starts at a random field, so that each field is sometimes drawn before the budget is used
// up.
func (o *object) draw(d *drawer, p unsafe.Pointer, _ bool) bool {
	if len(o.fields) == 0 {
		return true
	}
	o.open++
	first := d.below(len(o.fields))
	drawFields(d, p, o.fields[first:])
	drawFields(d, p, o.fields[:first])
	o.open--
	return true
}

func drawFields(d *drawer, p unsafe.Pointer, fields []field) {
	for i := range fields {
		f := &fields[i]
		if d.drawField(f, unsafe.Add(p, f.offset)) {
			f.drawn++
		}
	}
}

func (o *object) equal(c *comparison, a, b unsafe.Pointer) bool {
	for i := range o.fields {
		f := &o.fields[i]
		if f.ignored && c.converted || f.hidden && c.onlyVisible {
			continue
		}
		outer := c.loose
		c.loose = outer || c.converted && f.retyped
		same := f.node.equal(c, unsafe.Add(a, f.offset), unsafe.Add(b, f.offset))
		if c.loose = outer; !same {
			return c.within("." + f.name)
		}
	}
	return true
}

func (o *object) clone(p unsafe.Pointer) {
	for i := range o.fields {
		o.fields[i].node.clone(unsafe.Add(p, o.fields[i].offset))
	}
}

func (o *object) within(p unsafe.Pointer, visit func(unsafe.Pointer)) bool {
	visit(p)
	return true
}

// has reports whether an object has a member.
func (o *object) has(tag string) bool {
	for i := range o.fields {
		if o.fields[i].tag == tag || o.fields[i].inline && inlined(o, i).has(tag) {
			return true
		}
	}
	return false
}

// member returns the object in a member, and nil if there is none.
func (o *object) member(tag string) *object {
	if o == nil {
		return nil
	}
	for i := range o.fields {
		switch f := &o.fields[i]; {
		case f.tag == tag:
			inner, _ := objectIn(f.node)
			return inner
		case f.inline:
			if inner := inlined(o, i); inner.has(tag) {
				return inner.member(tag)
			}
		}
	}
	return nil
}

func inlined(o *object, i int) *object {
	inner, _ := objectIn(o.fields[i].node)
	if inner == nil {
		return &object{}
	}
	return inner
}
