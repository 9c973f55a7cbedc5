package preserve

import (
	"unsafe"

	"github.com/stratakube/strata/runtime/internal/express"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/label"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// DecideOriginal decides the original version of a hub's spec if it is undecided.
func DecideOriginal(spec any, expressions express.Expressions) {
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

// decide returns the original version. It is wished, unless that version lacks a part of the spec
// that before can represent.
func decide(s *shape.Shape, p unsafe.Pointer, expressions express.Expressions, before, wished string) string {
	next, former := expressions.Named(wished), expressions.For(before)
	if former == nil {
		return wished
	}
	if next == nil {
		if len(missing(expressions, former, s, p)) > 0 {
			return wished
		}
		return before
	}
	lacks := missing(expressions, next, s, p)
	if len(lacks) == 0 || express.Within(lacks, missing(expressions, former, s, p)) {
		return wished
	}
	return before
}

// Unexpressed returns the paths in a hub's spec that its original version cannot represent.
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
	for _, path := range missing(expressions, e, s, p) {
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

// Original returns the original version of a spec that was written through this version. It is
// the one in the bag, unless makes is set, as [hidden.Bag.MakesOriginal] reports; then it is this
// version. If this version cannot represent the whole spec, the result is undecided, and
// [DecideOriginal] decides later.
func (p *Program) Original(h *hidden.Bag, makes bool, isWhole func() bool) string {
	switch {
	case h.Original == nil:
		return p.Kind.Version
	case !makes:
		return *h.Original
	case isWhole():
		return p.Kind.Version
	default:
		return label.Undecided(label.Decided(*h.Original), p.Kind.Version)
	}
}

// isWhole reports whether this version can represent all of its own storage spec.
func (p *Program) isWhole(spec unsafe.Pointer) bool {
	return !hidden.Hides(p.Spec, spec) || express.IsWhole(p.Kind.Version, p.Spec, spec)
}
