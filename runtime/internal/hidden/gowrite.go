package hidden

import (
	"sync"
	"unsafe"

	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// GoWriter writes bags for Go values.
type GoWriter struct {
	writer[unsafe.Pointer]
	goValues
}

var goWriters = sync.Pool{New: func() any {
	w := new(GoWriter)
	w.from = &w.goValues
	return w
}}

// NewGoWriter returns a writer for one object. Until ends it; nil for no limit. The caller must
// call Done.
func NewGoWriter(until *watch.Watch) *GoWriter {
	w := goWriters.Get().(*GoWriter)
	w.until, w.printer.until = until, until
	w.printer.collects, w.printer.remembers = true, true
	return w
}

// Done returns the writer to the pool, without references to the object.
func (w *GoWriter) Done() {
	if w.isLong() || w.printer.isLong() {
		return
	}
	w.forget()
	w.printer.forget()
	goWriters.Put(w)
}

// Bag returns a bag with the hidden values of a spec and a status, which are at p and q. Both may
// be nil. Written reports whether there are hidden values.
func (w *GoWriter) Bag(h *Header, spec, status *shape.Shape, p, q unsafe.Pointer) (bag string, written bool) {
	w.bag(h)
	written = w.section(`"spec":`, goNode{spec, p})
	written = w.section(`"status":`, goNode{status, q}) || written
	w.out = append(w.out, '}')
	return w.text(), written
}

// text returns the output. Output that is too long to be reused is not copied: the writer gives it
// away.
func (w *GoWriter) text() string {
	if cap(w.out) <= maxKept {
		return string(w.out)
	}
	text := jsontext.Borrow(w.out)
	w.out = nil
	return text
}
