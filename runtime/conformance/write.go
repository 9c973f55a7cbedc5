package conformance

import "unsafe"

// rewrite has the objects of one write through a version.
type rewrite struct {
	edit         edit
	y, after     unsafe.Pointer // as the client read and as it wrote it
	hub, hubNext unsafe.Pointer // the hub before and after
}

// write reads h through a version, edits it at a position, and writes it.
func (c *chain) write(l *link, h unsafe.Pointer, at *position) (w rewrite, err error) {
	w.hub = h
	if w.y, err = l.down(c, h); err != nil {
		return w, err
	}
	w.after = l.programs.api.copy(w.y)
	w.edit = c.edit(w.after, at)
	l.keepAnnotation(w.y, w.after)
	if fields := l.derived(at, w.edit.fields()); fields > 0 {
		w.edit.deriving(fields)
	}
	if w.after, err = c.viaJSON(l, w.after); err != nil {
		return w, err
	}
	w.hubNext, err = l.up(c, w.after)
	return w, err
}
