package preserve

import (
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/express"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/label"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// Settle decides the original version of a hub's spec if it is undecided.
func Settle(spec any, expressions express.Expressions) {
	s, p := specOf(spec)
	if p == nil {
		return
	}
	offset, found := originalOf(s)
	if !found {
		return
	}
	at := (*string)(unsafe.Add(p, offset))
	if before, wished, open := label.ParseUndecided(*at); open {
		*at = decide(s, p, expressions, before, wished)
	}
}

// decide returns the original version: before if only that can express the spec, else wished.
func decide(s *shape.Shape, p unsafe.Pointer, expressions express.Expressions, before, wished string) string {
	if e := expressions.Named(wished); e != nil && len(e.Missing(s, p, false)) == 0 {
		return wished
	}
	if e := expressions.For(before); e == nil || len(e.Missing(s, p, false)) > 0 {
		return wished
	}
	return before
}

// Unexpressed lists what of a hub's spec its original version cannot express.
func Unexpressed(spec any, expressions express.Expressions) []string {
	s, p := specOf(spec)
	if p == nil {
		return nil
	}
	offset, found := originalOf(s)
	if !found {
		return nil
	}
	e := expressions.For(label.Decided(*(*string)(unsafe.Add(p, offset))))
	if e == nil {
		return nil
	}
	var out []string
	for _, path := range e.Missing(s, p, true) {
		out = append(out, path.String())
	}
	return out
}

func specOf(spec any) (*shape.Shape, unsafe.Pointer) {
	p := shape.Address(spec)
	if p == nil {
		return nil, nil
	}
	return shape.Of(shape.Pointee(spec, 1)), p
}

// restoreOriginal gives a spec the original version that it had, or this one, or leaves that
// undecided.
func (p *Program) restoreOriginal(src runtime.Hider, h *hidden.Bag, shown uint64, spec unsafe.Pointer) {
	if spec == nil || h.Original == nil || !p.HasOriginal {
		return
	}
	at := p.originalAt(spec)
	switch {
	case !h.MakesOriginal(shown, func() []string { return p.declared(src) }):
		*at = *h.Original
	case p.isWhole(spec):
		*at = p.Kind.Version
	default:
		*at = label.Undecided(label.Decided(*h.Original), p.Kind.Version)
	}
}

// IsComplete reports whether this version can express all of its own storage spec.
func (p *Program) isWhole(spec unsafe.Pointer) bool {
	own := express.Expression{Version: p.Kind.Version}
	return !hidden.Hides(p.Spec, spec) || len(own.Missing(p.Spec, spec, false)) == 0
}
