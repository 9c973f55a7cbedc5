package preserve

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/shape"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// Hide stores the values of a storage object that dst cannot represent in the status bag of dst.
func Hide(dst runtime.Hider, spec, status any) {
	p := ProgramOf(dst, shape.Pointee(spec, 1), shape.Pointee(status, 1))
	from, state := shape.Address(spec), shape.Address(status)
	foreign := p.IsForeign(from)
	if !foreign && !hidden.Hides(p.Spec, from) && !hidden.Hides(p.Status, state) {
		return
	}
	w := hidden.NewGoWriter(watch.Of(dst))
	defer w.Done()
	h := hidden.Header{NoStatus: state == nil, Foreign: foreign}
	if foreign {
		h.Original, h.Declared = *p.originalAt(from), p.declared(dst)
		h.Visible = w.Visible(p.Spec, from, p.originalField, p.Replicas)
	}
	bag, written := w.Bag(&h, p.Spec, p.Status, from, state)
	if !written && !foreign {
		return
	}
	dst.SetStatusBag(&bag)
}
