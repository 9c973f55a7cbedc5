package preserve

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// ScaledHider is a Hider that the scale subresource writes to.
type ScaledHider interface {
	runtime.Hider
	// SpecReplicasPath is the CRD's specReplicasPath, as in .spec.replicas. It is the same for all
	// objects of a type.
	SpecReplicasPath() string
}

// Hide stores what dst cannot show of a storage object in the status bag of dst.
func Hide(dst runtime.Hider, spec, status any) {
	p := ProgramOf(dst, shape.Pointee(spec, 1), shape.Pointee(status, 1))
	from, state := shape.Address(spec), shape.Address(status)
	foreign := p.IsForeign(from)
	if !foreign && !hidden.Hides(p.Spec, from) && !hidden.Hides(p.Status, state) {
		return
	}
	w := hidden.Writers.Get().(*hidden.Writer)
	defer w.Done()
	w.Printer.Reset()
	w.Printer.Notes, w.Printer.Collects = true, true
	h := hidden.Header{NoStatus: state == nil, Foreign: foreign}
	if foreign {
		h.Original, h.Declared, h.Shown = *p.originalAt(from), p.declared(dst), p.shown(from, &w.Printer)
	}
	w.Out = h.Append(w.Out[:0])
	wrote := w.Part(`"spec":`, p.Spec, from)
	if wrote = w.Part(`"status":`, p.Status, state) || wrote; !wrote && !foreign {
		return
	}
	bag := string(append(w.Out, '}'))
	dst.SetStatusBag(&bag)
}
