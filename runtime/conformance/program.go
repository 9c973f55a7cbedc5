package conformance

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"
)

// program draws and compares objects of one type.
type program struct {
	of   reflect.Type
	root *object
	slab *slab
}

// draw returns a new object. The same seed results in the same object.
func (p *program) draw(d *drawer, seed uint64, budget int) unsafe.Pointer {
	d.begin(seed, budget)
	object := p.slab.take(1)
	p.root.draw(d, object, true)
	return object
}

// compare returns the first difference between two objects, and nil if there is none.
func (p *program) compare(how comparison, got, want unsafe.Pointer) fmt.Stringer {
	if p.root.equal(&how, got, want) {
		return nil
	}
	return &how
}

// copy returns a copy of an object that edits can change in place.
func (p *program) copy(object unsafe.Pointer) unsafe.Pointer {
	copied := p.slab.copy(object, 1)
	p.root.clone(copied)
	return copied
}

// ignore excludes the field at a path, as in Status.PropertyBag, from comparisons after
// conversions. It applies to all positions of the field's type.
func (p *program) ignore(path string) error {
	found, err := p.find(path)
	if err != nil {
		return fmt.Errorf("ignored field %s: %w", path, err)
	}
	found.ignored = true
	return nil
}

// find returns the field at a path of Go names.
func (p *program) find(path string) (found *field, err error) {
	at := node(p.root)
	for name := range strings.SplitSeq(path, ".") {
		if found = fieldOf(at, name); found == nil {
			return nil, fmt.Errorf("%v has no %s", p.of, name)
		}
		at = found.node
	}
	return found, nil
}

func fieldOf(n node, name string) *field {
	switch n := n.(type) {
	case *pointer:
		return fieldOf(n.elem, name)
	case *object:
		for i := range n.fields {
			if n.fields[i].name == name {
				return &n.fields[i]
			}
		}
		for i := range n.fields {
			if n.fields[i].inline {
				if found := fieldOf(n.fields[i].node, name); found != nil {
					return found
				}
			}
		}
	}
	return nil
}

// keepSpec makes all drawn objects have a spec, if an API root of their kind has its spec's
// members at the root. Such a spec is never absent in JSON.
func (p *program) keepSpec(api reflect.Type) {
	if !reflect.PointerTo(api).Implements(rooted) {
		return
	}
	if spec, err := p.find("Spec"); err == nil {
		spec.always = true
	}
}

func (e *encoder) through(p *program, object unsafe.Pointer, decode func([]byte, any) error) (unsafe.Pointer, error) {
	data, err := e.encode(at(p.of, object))
	if err != nil {
		return nil, fmt.Errorf("write %v: %w", p.of, err)
	}
	read := p.slab.take(1)
	if err := decode(data, at(p.of, read)); err != nil {
		return nil, fmt.Errorf("read %v from %s: %w", p.of, shorten(string(data), 1000), err)
	}
	return read, nil
}
