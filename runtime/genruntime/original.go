package genruntime

import (
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/label"
)

// Settle decides the original version of a hub's spec where [Restore] could not, because that takes the whole hub. It
// is Y, which the object had, if X, through which the object was written, cannot express the spec and Y can; else X. The version
// Y is read as the list has it: empty is the hub's API version, and one that is not in the list is the next later one.
//
// Spec is a pointer to the hub's storage spec, and may be nil. Every conversion of roots into the hub ends in Settle;
// for a spec that needs no decision that costs next to nothing.
func Settle(spec any, expressions Expressions) { settle(spec, expressions) }

// settle decides the original version of a hub's spec if it is undecided.
func settle(spec any, expressions expressions) {
	s, p := specOf(spec)
	if p == nil {
		return
	}
	offset, found := s.original()
	if !found {
		return
	}
	at := (*string)(unsafe.Add(p, offset))
	if before, wished, open := label.ParseUndecided(*at); open {
		*at = decide(s, p, expressions, before, wished)
	}
}

// decide returns the original version: before if only that can express the spec, else wished.
func decide(s *shape, p unsafe.Pointer, expressions expressions, before, wished string) string {
	if e := expressions.named(wished); e != nil && len(e.lacks(s, p, false)) == 0 {
		return wished
	}
	if e := expressions.of(before); e == nil || len(e.lacks(s, p, false)) > 0 {
		return wished
	}
	return before
}

// Unexpressed returns the places in a hub's spec, as in properties.phones[2].prefix, that the spec's original version
// cannot express, sorted as they stand: what the external API is not sent. Spec is a pointer to the hub's storage spec.
func Unexpressed(spec any, expressions Expressions) []string { return unexpressed(spec, expressions) }

// unexpressed lists what of a hub's spec its original version cannot express.
func unexpressed(spec any, expressions expressions) []string {
	s, p := specOf(spec)
	if p == nil {
		return nil
	}
	offset, found := s.original()
	if !found {
		return nil
	}
	e := expressions.of(label.Decided(*(*string)(unsafe.Add(p, offset))))
	if e == nil {
		return nil
	}
	var out []string
	for _, path := range e.lacks(s, p, true) {
		out = append(out, path.String())
	}
	return out
}

func specOf(spec any) (*shape, unsafe.Pointer) {
	p := target(spec)
	if p == nil {
		return nil, nil
	}
	return shapeOf(pointee(spec, 1)), p
}

// restoreOriginal gives a spec the original version that it had, or this one, or leaves that undecided.
func (p *program) restoreOriginal(src runtime.Hider, h *hidden, shown uint64, spec unsafe.Pointer) {
	if spec == nil || h.original == nil || !p.hasOriginal {
		return
	}
	at := p.originalAt(spec)
	switch {
	case !h.isWished(shown, func() []string { return p.declared(src) }):
		*at = *h.original
	case p.isWhole(spec):
		*at = p.kind.Version
	default:
		*at = label.Undecided(label.Decided(*h.original), p.kind.Version)
	}
}

// isWished reports whether a write through a version makes it the original one: by changing the spec that is shown, or by
// declaring it anew.
func (h *hidden) isWished(shown uint64, declared func() []string) bool {
	if h.fingerprints == fingerprint.Version && shown != h.shown {
		return true
	}
	return slices.ContainsFunc(declared(), func(by string) bool { return !slices.Contains(h.declared, by) })
}

// isWhole reports whether this version can express all of its own storage spec.
func (p *program) isWhole(spec unsafe.Pointer) bool {
	own := Expression{Version: p.kind.Version}
	return !hides(p.spec, spec) || len(own.lacks(p.spec, spec, false)) == 0
}

// keysOf returns the keys of the map at p, sorted.
func (s *shape) keysOf(p unsafe.Pointer) []reflect.Value {
	keys := s.dict(p).MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return keys
}
