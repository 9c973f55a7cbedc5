package goconv

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/plan"
)

// whole writes a direction of a step that methods of the whole resource complete. The generated
// part of the conversion is a function of its own.
func (f *function) whole(t *plan.Step, d direction) {
	verb, args, back := "CompleteTo", "src, dst", ""
	if d == down {
		verb, args, back = "CompleteFrom", "dst, src", ", "+generated(up, t)
	}
	kv := t.Near.Owner
	to, from := f.wholeMethods(t.Whole, t.Near, kv, f.Stored(t.Far))
	if d == down {
		to, from = from, to
	}
	f.P("\treturn ", f.Genruntime(verb), "(", quoted(kv.WholeStepName()), ", ", args, ", ", generated(d, t), back, ", ", to, ", ", from, ")")
	f.P("}")
}

// generated returns the name of the function for the generated part of a step.
func generated(d direction, t *plan.Step) string { return "generated" + t.Name(d) }

// wholeMethods returns the steps of a resource for a spec or status in both directions; nil where
// the user wrote none.
func (f *function) wholeMethods(hand plan.Hand, near *plan.Struct, of *plan.KindVersion, farType string) (to, from string) {
	call := func(isThere bool, d direction, m plan.Method) string {
		if !isThere {
			return "nil"
		}
		return f.Genruntime("Assign"+partOf(near)+string(d)) + "[" + farType + ", " + f.Stored(near) + "]((*" + of.Kind.Name + ")." + m.Name + ")"
	}
	toMethod, fromMethod := of.WholeMethods()
	return call(hand.To, up, toMethod), call(hand.From, down, fromMethod)
}

// ownWhole adds the calls of methods of the whole resource that complete the conversion between an
// API type and its storage type.
func (f *function) ownWhole(s *plan.Struct, d direction) {
	kv := s.Owner
	if s.Role == plan.Nested || kv.OwnWhole == (plan.Hand{}) {
		return
	}
	verb, args := "AugmentTo", "src, dst"
	to, from := f.wholeMethods(kv.OwnWhole, s, kv, s.Name)
	if d == down {
		verb, args, to, from = "AugmentFrom", "dst, src", from, to
	}
	if to != "nil" {
		f.calls = append(f.calls, f.Genruntime(verb)+"("+quoted(kv.WholeStepName())+", "+args+", false, "+to+", "+from+")")
	}
}

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
// requires: those of the object, or those of the whole resource.
func (f *function) custom(t *plan.Step) {
	whole := t.Owner.Whole
	if len(t.Custom) == 0 || whole.To && whole.From {
		return
	}
	far, near := f.Stored(t.Far), f.Stored(t.Near)
	to, from := t.Near.Methods()
	if whole != (plan.Hand{}) { // one direction is missing
		far, near = t.Owner.Kind.Name, f.Storage(t.Owner.Next().Package, t.Owner.Kind.Name)
		to, from = t.Owner.WholeMethods()
	}
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
