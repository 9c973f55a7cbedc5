package goconv

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/plan"
)

// hand calls the hand-written step that completes a conversion.
func (f *function) hand(t *plan.Step, d direction) {
	if t.Hand.To && d == up {
		f.augment("AugmentTo", "src, dst", beyond(t.Near), f.Stored(t.Far), t.Near.Assigned(), "AssignTo", "AssignFrom", t.Hand.From, "restored", stowed(t)...)
	}
	if t.Hand.From && d == down {
		f.augment("AugmentFrom", "dst, src", beyond(t.Near), f.Stored(t.Far), t.Near.Assigned(), "AssignFrom", "AssignTo", t.Hand.To, "restored", stowed(t)...)
	}
}

// beyond names the type that a hand-written step leads to. The name stays when other
// versions come between.
func beyond(near *plan.Struct) string { return near.Package.Label + "." + near.Assigned() }

// ownHand is hand between an API type and its storage type.
func (f *function) ownHand(s *plan.Struct, d direction) {
	step := beyond(s)
	if s.Own.To && d == up {
		f.augment("AugmentTo", "src, dst", step, s.Name, s.Name, "AssignTo", "AssignFrom", s.Own.From, "false")
	}
	if s.Own.From && d == down {
		f.augment("AugmentFrom", "dst, src", step, s.Name, s.Name, "AssignFrom", "AssignTo", s.Own.To, "false")
	}
}

// stowed lists the properties that a step puts into the bag, each with its key.
func stowed(t *plan.Step) []string {
	var out []string
	for _, m := range t.Moves {
		if m.Action == plan.Stow {
			out = append(out, m.Far.Stored(), plan.Written(m.Down).Key)
		}
	}
	return out
}

func (f *function) augment(verb, args, step, far, assigned, method, opposite string, hasOpposite bool, restored string, keys ...string) {
	back := "nil"
	if hasOpposite {
		back = "(*" + far + ")." + opposite + assigned
	}
	call := f.Runtime(verb) + "(" + quoted(step) + ", " + args + ", " + restored + ", (*" + far + ")." + method + assigned + ", " + back
	for _, key := range keys {
		call += ", " + quoted(key)
	}
	f.calls = append(f.calls, call+")")
}

// custom requires the hand-written steps that metadata speaks of.
func (f *function) custom(t *plan.Step) {
	if len(t.Custom) == 0 {
		return
	}
	far, near := f.Stored(t.Far), f.Stored(t.Near)
	f.P()
	f.P("// The conversion of ", t.Far.Name, ": ", strings.Join(t.Custom, ", "), " is custom. Write, in a file beside this one:")
	f.P("//")
	f.P("//\tfunc (src *", far, ") AssignTo", t.Near.Assigned(), "(dst *", near, ") error")
	f.P("//\tfunc (dst *", far, ") AssignFrom", t.Near.Assigned(), "(src *", near, ") error")
	f.P("var _ interface {")
	f.P("\tAssignTo", t.Near.Assigned(), "(dst *", near, ") error")
	f.P("\tAssignFrom", t.Near.Assigned(), "(src *", near, ") error")
	f.P("} = (*", far, ")(nil)")
}
