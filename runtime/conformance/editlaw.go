package conformance

import (
	"fmt"
	"unsafe"
)

// proveEditLaw checks of a write that what users see of the object is what they wrote, and that
// what they do not see is where it was.
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
	if err := c.proveShown(l, w, before, after); err != nil {
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

// proveShown checks that storage shows what the client wrote: what the conversion of the object
// without a bag makes. A status that had nothing but the bag is absent there.
func (c *chain) proveShown(l *link, w *rewrite, before, after unsafe.Pointer) error {
	if c.own {
		return c.proveShownAgain(l, w, after)
	}
	bare := l.programs.api.slab.copy(w.after, 1)
	if l.dropNote(bare); l.bag != nil {
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
	if diff := l.programs.store.compare(comparison{shown: true}, after, want); diff != nil {
		return fmt.Errorf("what users see is not what was written at %v\nread    %s\nwritten %s", diff,
			describeUpTo(l.api, w.y, 2000), describeUpTo(l.api, w.after, 2000))
	}
	return nil
}

// proveShownAgain checks that storage is shown as the client wrote it: it may hold what the Go
// type cannot.
func (c *chain) proveShownAgain(l *link, w *rewrite, after unsafe.Pointer) error {
	shown, err := l.fromOwn(after)
	if err != nil {
		return err
	}
	if diff := l.programs.api.compare(comparison{converted: true, soft: true}, shown, w.after); diff != nil {
		return fmt.Errorf("what users see is not what was written at %v\nread    %s\nwritten %s", diff,
			describeUpTo(l.api, w.y, 2000), describeUpTo(l.api, w.after, 2000))
	}
	return nil
}

// copyStatus gives an API object a status of its own without a bag.
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
