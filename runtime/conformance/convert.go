package conformance

import (
	"encoding/json"
	"unsafe"
)

// up, down, toOwn and fromOwn call the conversions of a version. Each returns a new object.

func (l *link) up(c *chain, a unsafe.Pointer) (unsafe.Pointer, error) {
	h := c.hub.programs.store.slab.take(1)
	return h, l.named("ConvertTo", l.convertTo(at(l.api, a), at(c.hub.store, h)))
}

func (l *link) down(c *chain, h unsafe.Pointer) (unsafe.Pointer, error) {
	a := l.programs.api.slab.take(1)
	return a, l.named("ConvertFrom", l.convertFrom(at(l.api, a), at(c.hub.store, h)))
}

func (l *link) toOwn(a unsafe.Pointer) (unsafe.Pointer, error) {
	s := l.programs.store.slab.take(1)
	return s, l.named("ConvertToStorage", l.toStorage(at(l.api, a), at(l.store, s)))
}

func (l *link) fromOwn(s unsafe.Pointer) (unsafe.Pointer, error) {
	a := l.programs.api.slab.take(1)
	return a, l.named("ConvertFromStorage", l.fromStorage(at(l.api, a), at(l.store, s)))
}

// climb converts a storage object to the hub, step by step.
func (l *link) climb(s unsafe.Pointer) (unsafe.Pointer, error) {
	if l.next == nil {
		return s, nil
	}
	n := l.next.programs.store.slab.take(1)
	if err := l.named("step to "+l.next.label, l.stepTo(at(l.store, s), at(l.next.store, n))); err != nil {
		return nil, err
	}
	return l.next.climb(n)
}

// descend converts a hub object to a version's storage object, step by step.
func (l *link) descend(h unsafe.Pointer) (unsafe.Pointer, error) {
	if l.next == nil {
		return h, nil
	}
	n, err := l.next.descend(h)
	if err != nil {
		return nil, err
	}
	s := l.programs.store.slab.take(1)
	return s, l.named("step from "+l.next.label, l.stepFrom(at(l.next.store, n), at(l.store, s)))
}

// through writes an object as JSON, and returns the object read from it.
func (c *chain) through(p *program, object unsafe.Pointer) (unsafe.Pointer, error) {
	return c.encoder.through(p, object, json.Unmarshal)
}

// viaJSON returns an object of an API version after writing and reading its JSON. It returns
// objects of generated types unchanged.
func (c *chain) viaJSON(l *link, object unsafe.Pointer) (unsafe.Pointer, error) {
	if !c.own {
		return object, nil
	}
	return c.through(l.programs.api, object)
}
