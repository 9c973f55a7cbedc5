package preserve

import (
	"unsafe"

	"github.com/stratakube/strata/runtime/internal/express"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/label"
	"github.com/stratakube/strata/runtime/internal/shape"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// DecideOriginal decides the original version of a hub's spec if it is undecided. Src is the object
// from which a root conversion converts, or nil. If the context of that conversion is done, the
// decision ends early, and the spec must not be used.
func DecideOriginal(src, spec any, expressions express.Expressions) {
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
		d := decision{s, p, expressions, watch.Of(src)}
		*at = d.between(before, wished)
	}
}

// between returns the original version. It is wished, unless that version lacks a part of the spec
// that before can represent.
func (d decision) between(before, wished string) string {
	next, former := d.expressions.Named(wished), d.expressions.For(before)
	if former == nil {
		return wished
	}
	if next == nil {
		if len(d.missing(former)) > 0 {
			return wished
		}
		return before
	}
	lacks := d.missing(next)
	if len(lacks) == 0 || express.Within(lacks, d.missing(former)) {
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
	for _, path := range (decision{s, p, expressions, nil}).missing(e) {
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
