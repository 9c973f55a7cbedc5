package conformance

import (
	"fmt"
	"reflect"
	"unsafe"
)

// chain has the versions of a kind during the tests of its laws.
type chain struct {
	resource string
	links    []*link
	hub      *link
	// pairs counts, for each pair of versions, how often one read and wrote an object of the
	// other.
	pairs map[[2]*link]int
	// own means that the author wrote the API types.
	own bool
	// refused counts the errors of conversions that are ignored; nil if none is.
	refused *refusals
	// narrow means that generated API types have smaller integers than storage.
	narrow bool
	// json converts the JSON of objects; nil if there is no such conversion.
	json func(version string, up bool, object []byte) ([]byte, bool)
	// named are the names of the properties of all versions.
	named map[string]bool
	// derived are the names of members from which hand-written steps derive other properties.
	derived map[string]bool
	// proving is the law that is being tested.
	proving law
	drawer
	encoder
}

// link is a version in a chain.
type link struct {
	KindVersion
	programs struct{ api, store *program }
	next     *link
	atlas    *atlas
	targets  []*position
	// augmented are the paths from which hand-written steps between this version and the hub
	// derive other values.
	augmented []string
	// steps name the hand-written steps to which augmented belongs.
	steps []string
	// completed means that a step converts a property of this version.
	completed bool
	// status is the field of an API object that is its status, and bag the status's field for the
	// bag; nil if there is none. The bag is at offset bagAt of the status.
	status, bag *field
	bagAt       uintptr
	// alone converts the hub's spec and status separately.
	alone []part
}

// part is a conversion of the hub's spec or status without its object.
type part struct {
	name     string
	api, hub *field
	convert  reflect.Value
}

// link returns the version with a label, and nil if there is none.
func (c *chain) link(label string) *link {
	for _, l := range c.links {
		if l.label == label {
			return l
		}
	}
	return nil
}

// written returns the versions in which users write objects.
func (c *chain) written() []*link {
	var written []*link
	for _, l := range c.links {
		if l.api != nil && len(l.targets) > 0 {
			written = append(written, l)
		}
	}
	return written
}

// others returns up to most other versions. Successive rounds return all in turn.
func (c *chain) others(l *link, round uint64, most int) []*link {
	written := c.written()
	var others []*link
	for i := range min(most, len(written)) {
		other := written[(round*uint64(most)+uint64(i))%uint64(len(written))]
		if other != l {
			others = append(others, other)
		}
	}
	return others
}

// passes reports whether other is this version, or lies between it and the hub.
func (l *link) passes(other *link) bool {
	for at := l; at != nil; at = at.next {
		if at == other {
			return true
		}
	}
	return false
}

// named adds the version and the conversion to an error.
func (l *link) named(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s: %w", l.label, what, err)
}

// parts returns the conversions of the hub's spec and status that are methods of the API type.
func (l *link) parts(hub *link) []part {
	var parts []part
	for _, name := range [...]string{"Spec", "Status"} {
		own, err := l.programs.api.find(name)
		other, err2 := hub.programs.store.find(name)
		if err != nil || err2 != nil {
			continue
		}
		inner, ok := own.node.(*pointer)
		if !ok {
			continue // an author's type has it without a pointer
		}
		method, ok := inner.of.MethodByName("Convert" + name + "From")
		if !ok || method.Type.NumIn() != 2 || !other.node.(*pointer).of.AssignableTo(method.Type.In(1)) {
			continue
		}
		parts = append(parts, part{name, own, other, method.Func})
	}
	return parts
}

// from converts a part of a hub object to a new part of an API object.
func (p part) from(hub unsafe.Pointer) (value unsafe.Pointer, err error) {
	n := p.api.node.(*pointer)
	value = n.slab.take(1)
	result := p.convert.Call([]reflect.Value{
		reflect.NewAt(n.slab.of, value),
		reflect.NewAt(p.hub.node.(*pointer).of, unsafe.Add(hub, p.hub.offset)).Elem(),
	})[0]
	err, _ = result.Interface().(error)
	return value, err
}
