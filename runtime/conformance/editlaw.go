package conformance

import (
	"fmt"
	"unsafe"
)

// proveEditLaw checks that a write stores the visible values that the client wrote, and does not
// change the hidden values.
func (c *chain) proveEditLaw(l *link, w *rewrite) error {
	c.proving = editLaw
	before, err := l.descend(w.hub)
	if err != nil {
		return err
	}
	after, err := l.descend(w.hubNext)
	if err != nil {
		return err
	}
	if err := c.proveVisible(l, w, before, after); err != nil {
		return l.edited(w, err)
	}
	hidden := &hiding{edit: &w.edit, comparison: comparison{soft: c.own}}
	if !hidden.same(l.programs.store.root, before, after, 0) {
		return l.edited(w, fmt.Errorf("what users do not see has changed at %v\nbefore %s\nafter  %s", &hidden.comparison,
			describeUpTo(l.store, before, 2000), describeUpTo(l.store, after, 2000)))
	}
	return l.edited(w, c.proveOriginal(l, w, before, after))
}

func (l *link) edited(w *rewrite, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %v: %w", l.label, &w.edit, err)
}

// proveVisible checks that the storage object has the values that the client wrote: those of the
// converted object without a bag. A status that had only the bag must be absent.
func (c *chain) proveVisible(l *link, w *rewrite, before, after unsafe.Pointer) error {
	if c.own || c.narrow {
		return c.proveVisibleAgain(l, w, after)
	}
	bare := l.programs.api.slab.copy(w.after, 1)
	if l.dropAnnotation(bare); l.bag != nil {
		l.programs.api.copyStatus(l, bare)
	}
	want, err := l.toOwn(bare)
	if err != nil {
		return err
	}
	if status, err := l.programs.store.find("Status"); err == nil && w.edit.steps[0].tag != "status" {
		if *(*unsafe.Pointer)(unsafe.Add(before, status.offset)) == nil {
			*(*unsafe.Pointer)(unsafe.Add(want, status.offset)) = nil
		}
	}
	if diff := l.programs.store.compare(comparison{onlyVisible: true}, after, want); diff != nil {
		return fmt.Errorf("what users see is not what was written at %v\nread    %s\nwritten %s", diff,
			describeUpTo(l.api, w.y, 2000), describeUpTo(l.api, w.after, 2000))
	}
	return nil
}

// proveVisibleAgain checks that the API object has the values that the client wrote after another
// conversion from storage. The storage object may have values that the Go type cannot represent.
func (c *chain) proveVisibleAgain(l *link, w *rewrite, after unsafe.Pointer) error {
	visible, err := l.fromOwn(after)
	if err != nil {
		return err
	}
	if diff := l.programs.api.compare(comparison{converted: true, soft: c.own}, visible, w.after); diff != nil {
		return fmt.Errorf("what users see is not what was written at %v\nread    %s\nwritten %s", diff,
			describeUpTo(l.api, w.y, 2000), describeUpTo(l.api, w.after, 2000))
	}
	return nil
}

// copyStatus replaces the status of an API object by a copy without a bag.
func (p *program) copyStatus(l *link, object unsafe.Pointer) {
	if n, ok := l.status.node.(*pointer); ok {
		at := (*unsafe.Pointer)(unsafe.Add(object, l.status.offset))
		if *at == nil {
			return
		}
		*at = n.slab.copy(*at, 1)
	}
	*l.bagOf(object) = nil
}
