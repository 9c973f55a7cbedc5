package conformance

import (
	"fmt"
	"strings"
	"unsafe"
)

// proveCreator checks an object that only clients of its creator's version have seen. A client
// edits a value from which hand-written steps derive others. Storage must then have what it has if
// a client creates the edited object: no value stays that a step derived before the edit. Absent,
// empty and zero values count as equal, because a step may derive the same from each of them. An
// object with a conversion that a step refused is left out: its restored values stay.
func (c *chain) proveCreator(l *link, target *position, h unsafe.Pointer) error {
	if original, known := c.original(h); c.own || !known || original != l.label || len(l.augmented) == 0 {
		return nil
	}
	c.proving = editLaw
	before := c.refused.count()
	w, err := c.write(l, h, target)
	if err != nil || w.edit.derived == 0 {
		return err
	}
	created := l.programs.api.slab.copy(w.after, 1)
	if l.dropAnnotation(created); l.bag != nil {
		l.programs.api.copyStatus(l, created)
	}
	want, err := l.up(c, created)
	if err != nil || c.refused.count() > before {
		return err
	}
	if status, err := c.hub.programs.store.find("Status"); err == nil && w.edit.steps[0].tag != "status" {
		if *(*unsafe.Pointer)(unsafe.Add(h, status.offset)) == nil {
			*(*unsafe.Pointer)(unsafe.Add(want, status.offset)) = nil
		}
	}
	if diff := c.hub.programs.store.compare(comparison{soft: true}, w.hubNext, want); diff != nil {
		return l.edited(&w, fmt.Errorf("the hub has another value than if the edited object is created, at %v; "+
			"a step towards the hub must always assign what it derives, or make it absent; see %s\nread    %s\nwritten %s",
			diff, strings.Join(l.steps, ", and "), describeUpTo(l.api, w.y, 2000), describeUpTo(l.api, w.after, 2000)))
	}
	return nil
}
