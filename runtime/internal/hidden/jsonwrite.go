package hidden

import (
	"sync"

	"github.com/stratakube/strata/runtime/internal/shape"
)

// JSONWriter writes bags for JSON of storage types. They have the same bytes as those of a
// [GoWriter] for the decoded values.
type JSONWriter struct {
	writer[span]
	jsonSource
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
	if w.writer.isLong() || w.jsonSource.isLong() {
		return
	}
	w.writer.forget()
	w.jsonSource.forget()
	jsonWriters.Put(w)
}

// Bag returns a bag with the hidden values in the JSON of a spec and a status, which may be
// empty. Written reports whether there are hidden values. The bag is valid until Done.
func (w *JSONWriter) Bag(h *Header, spec, status *shape.Shape, p, q []byte) (bag []byte, written bool) {
	w.bag(h)
	w.reset(p)
	w.repeats = false
	written = w.section(`"spec":`, w.root(spec))
	w.reset(q)
	written = w.section(`"status":`, w.root(status)) || written
	return append(w.out, '}'), written
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
