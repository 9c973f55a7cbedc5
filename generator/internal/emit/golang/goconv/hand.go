package goconv

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/plan"
)

// hand adds the call of the hand-written step that completes a conversion.
func (f *function) hand(t *plan.Step, d direction) {
	f.complete(t.Hand, d, t.Near, f.Stored(t.Far), "restored", stowed(t)...)
}

// ownHand is hand for the conversion between an API type and its storage type.
func (f *function) ownHand(s *plan.Struct, d direction) { f.complete(s.Own, d, s, s.Name, "false") }

// complete adds the calls of a type's methods that complete the conversion to a struct, or back.
func (f *function) complete(hand plan.Hand, d direction, to *plan.Struct, far, restored string, keys ...string) {
	verb, args := "AugmentTo", "src, dst"
	method, opposite := to.Methods()
	isThere, isBack := hand.To, hand.From
	if d == down {
		verb, args = "AugmentFrom", "dst, src"
		method, opposite, isThere, isBack = opposite, method, isBack, isThere
	}
	if !isThere {
		return
	}
	receiver, back := "(*"+far+").", "nil"
	if isBack {
		back = receiver + opposite.Name
	}
	call := f.Genruntime(verb) + "(" + quoted(to.StepName()) + ", " + args + ", " + restored + ", " + receiver + method.Name + ", " + back
	for _, key := range keys {
		call += ", " + quoted(key)
	}
	f.calls = append(f.calls, call+")")
}

// stowed lists the properties that a step stores in the bag, each with its key.
func stowed(t *plan.Step) []string {
	var out []string
	for _, m := range t.Moves {
		if m.Action == plan.Stow {
			out = append(out, m.Far.Stored(), plan.Written(m.Down).Key)
		}
	}
	return out
}

// custom writes a declaration that does not compile without the hand-written steps that metadata
// requires.
func (f *function) custom(t *plan.Step) {
	if len(t.Custom) == 0 {
		return
	}
	far, near := f.Stored(t.Far), f.Stored(t.Near)
	to, from := t.Near.Methods()
	f.P()
	f.P("// The conversion of ", t.Far.Name, ": ", strings.Join(t.Custom, ", "), " is custom. Write, in a file beside this one:")
	f.P("//")
	f.P("//\t", to.Declaration(far, near))
	f.P("//\t", from.Declaration(far, near))
	f.P("var _ interface {")
	f.P("\t", to.Signature(near))
	f.P("\t", from.Signature(near))
	f.P("} = (*", far, ")(nil)")
}
