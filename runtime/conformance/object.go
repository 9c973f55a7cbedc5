package conformance

import (
	"reflect"
	"unsafe"
)

// object is a struct.
type object struct {
	of     reflect.Type
	fields []field
	// open is how many values of this type are being drawn, one within the other.
	open int
}

// deepest is how often a type may be entered again within itself.
const deepest = 2

type field struct {
	name   string // Go's
	tag    string // JSON's
	offset uintptr
	node   node
	// ignored fields are left out when an object is compared with what its conversions made of it.
	ignored bool
	// hidden fields hold what users do not see: property bags and the original version.
	hidden bool
	// always fields are never absent.
	always bool
	// inline fields are embedded structs, whose members are those of the object around them.
	inline bool
	// keys are the members that identify the elements of a list, where its schema names some.
	keys []string
	// rare fields need more cases to be drawn.
	rare bool
	// retyped fields have another type in another version, which brings free JSON back in another
	// spelling.
	retyped bool
	// drawn is how often the field was more than absent or empty.
	drawn int
}

// draw starts at another field each time, so that all of them come before the end of the budget now
// and then.
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
		if f.ignored && c.converted || f.hidden && c.shown {
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

// copy returns a second object like the one at p, with memory of its own.
func (p *program) copy(object unsafe.Pointer) unsafe.Pointer {
	copied := p.slab.copy(object, 1)
	p.root.clone(copied)
	return copied
}
