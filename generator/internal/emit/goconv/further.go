package goconv

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/plan"
)

// further writes the properties that one side of a step names and another shows among its further members.
func (f *function) further(t *plan.Step) {
	if t.Further == nil {
		return
	}
	f.P()
	f.P("// ", furtherName(t), " are the properties that open objects show among their further members.")
	f.P("var ", furtherName(t), " = ", f.Runtime("Furthers"), "{")
	for _, n := range t.Further.Named {
		f.P("\t{Name: ", quoted(n.Name), ", Key: ", quoted(n.Key), ", Kind: ", quoted(plan.FurtherKind(n)), "},")
	}
	f.P("}")
}

func furtherName(t *plan.Step) string {
	return "further" + strings.TrimPrefix(stepName(up, t), "Convert")
}

// lowered is the bag that a step begins with.
func (f *function) lowered(t *plan.Step, d direction) string {
	if t.Further == nil {
		return "src.PropertyBag.Clone()"
	}
	return f.Runtime("Lower") + "(src, " + furtherName(t) + foreign(t, d) + ")"
}

// raise gives an open object its further members.
func (f *function) raise(t *plan.Step, d direction) {
	if t.Further != nil {
		f.P("\t", f.Runtime("Raise"), "(dst, ", furtherName(t)+foreign(t, d.back()), ")")
	}
}

// foreign are the names that are foreign to the side that a direction reads.
func foreign(t *plan.Step, d direction) (out string) {
	names := t.Further.Far
	if d == down {
		names = t.Further.Near
	}
	for _, name := range names {
		out += ", " + quoted(name)
	}
	return out
}

// isFurther reports whether a move is that of further members, in a step that moves each by its name.
func isFurther(t *plan.Step, m *plan.Move) bool {
	return t.Further != nil && (m.Far != nil && m.Far.Additional || m.Near != nil && m.Near.Additional)
}
