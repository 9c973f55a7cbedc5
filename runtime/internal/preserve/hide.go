package preserve

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
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
	w.Out = append(w.Out[:0], '{')
	w.Printer.Reset()
	w.Printer.Notes, w.Printer.Collects = true, true
	if foreign {
		w.Declared(p.declared(dst))
	}
	w.Member(`"fingerprints":`).Integer(fingerprint.Version)
	w.Member(`"format":`).Integer(hidden.Format)
	if state == nil {
		w.Member(`"noStatus":true`)
	}
	if foreign {
		w.Member(`"originalVersion":`).Text(*p.originalAt(from))
		w.Member(`"shown":`).Prints(p.shown(from, &w.Printer))
	}
	wrote := w.Part(`"spec":`, p.Spec, from)
	if wrote = w.Part(`"status":`, p.Status, state) || wrote; !wrote && !foreign {
		return
	}
	bag := string(append(w.Out, '}'))
	dst.SetStatusBag(&bag)
}
