package hidden

import (
	"sync"

	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// JSONWriter writes bags for JSON of storage types. They have the same bytes as those of a
// [GoWriter] for the decoded values.
type JSONWriter struct {
	writer[span]
	jsonSource
	// sections are the indices of the spec and the status.
	sections [2]section
}

// section is a section of an object, and its index.
type section struct {
	indexed
	shape *shape.Shape
}

var jsonWriters = sync.Pool{New: func() any {
	w := new(JSONWriter)
	w.from, w.printer.collects = &w.jsonSource, true
	return w
}}

// NewJSONWriter returns a writer for one object. The caller must call Done.
func NewJSONWriter() *JSONWriter { return jsonWriters.Get().(*JSONWriter) }

// Done returns the writer to the pool, without references to the object.
func (w *JSONWriter) Done() {
	if w.writer.isLong() || w.jsonSource.isLong() || max(cap(w.sections[0].names), cap(w.sections[1].names)) > maxKept {
		return
	}
	w.writer.forget()
	w.jsonSource.forget()
	for i := range w.sections {
		w.sections[i].shape = nil
		w.sections[i].index(nil)
	}
	jsonWriters.Put(w)
}

// Bag returns a bag with the hidden values in the JSON of a spec and a status, which may be empty.
// Top has the ends of long members of the spec, and may be nil. Written reports whether there are
// hidden values. The bag is valid until Done.
func (w *JSONWriter) Bag(h *Header, spec, status *shape.Shape, p, q []byte, top *jsontext.Jumps) (bag []byte, written bool) {
	w.bag(h)
	w.repeats = false
	written = w.in(&w.sections[0], `"spec":`, spec, p, top)
	written = w.in(&w.sections[1], `"status":`, status, q, nil) || written
	return append(w.out, '}'), written
}

// in writes the hidden values of a section.
func (w *JSONWriter) in(at *section, name string, s *shape.Shape, data []byte, top *jsontext.Jumps) bool {
	at.shape = s
	at.index(data)
	at.top = top
	if w.printer.forget(); len(at.names) == 0 {
		return false
	}
	w.indexed = at.indexed
	written := w.section(name, w.root(s))
	at.indexed, w.indexed = w.indexed, indexed{}
	return written
}

// WithoutBags appends the JSON of the spec, or of the status, without its property bags. Bag must
// have been called before. Out may precede the JSON in the same memory, which must then not be used
// afterwards.
func (w *JSONWriter) WithoutBags(out []byte, isStatus bool) []byte {
	at := &w.sections[0]
	if isStatus {
		at = &w.sections[1]
	}
	return at.withoutBags(out, at.shape, at.all())
}

// jsonSource is the carrier of the JSON for which a bag is written.
type jsonSource struct{ jsonValues }

func (v *jsonSource) reach(n jsonNode) (jsonNode, bool) {
	for n.shape.Kind == shape.Pointer {
		n.shape = n.shape.Elem
	}
	return n, n.shape.CarriesBag && v.mayHaveBags(n.at)
}

// hides reports whether a list contains a property bag with entries. If the list is stored, the
// answer is known.
func (v *jsonSource) hides(list jsonNode) bool {
	if i := v.printer.find(jsonList(list.at.start)); i >= 0 {
		return v.printer.lists[i].hides
	}
	return v.indexed.hides(list.shape, list.at)
}
