package goconv

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// further writes the list of the properties that one side of a step names and the other shows
// among its further members.
func (f *function) further(t *plan.Step) {
	if t.Further == nil {
		return
	}
	f.P()
	f.P("// ", furtherName(t), " lists the properties that versions without them represent as additional members.")
	if len(t.Further.Named)+len(t.Further.Unlike) == 0 {
		f.P("var ", furtherName(t), " ", f.Genruntime("Furthers"))
		return
	}
	f.P("var ", furtherName(t), " = ", f.Genruntime("Furthers"), "{")
	names := t.Further.Unlike
	unlike := func(before string) {
		for len(names) > 0 && names[0] < before {
			f.P("\t{Name: ", quoted(names[0]), "},")
			names = names[1:]
		}
	}
	for i, n := range t.Further.Named {
		unlike(n.Name)
		free := ""
		if lists := t.Further.Free[i]; lists != nil {
			free = ", Free: " + f.Genruntime("Lists") + gofile.Lists(lists)
		}
		f.P("\t{Name: ", quoted(n.Name), ", Key: ", quoted(n.Key), ", Kind: ", quoted(plan.FurtherKind(n)), free, "},")
	}
	for _, name := range names {
		f.P("\t{Name: ", quoted(name), "},")
	}
	f.P("}")
}

func furtherName(t *plan.Step) string {
	return "further" + t.Name(up)
}

// lower writes the initial value of a step's target: its bag, and the original version of a spec.
func (f *function) lower(t *plan.Step, d direction, dst string) {
	original := ""
	if t.Far.Role == plan.Spec {
		original = "OriginalVersion: src.OriginalVersion"
	}
	switch {
	case t.Further == nil && original != "":
		f.P("\t*dst = ", dst, "{", original, ", PropertyBag: src.PropertyBag.Clone()}")
	case t.Further == nil:
		f.P("\t*dst = ", dst, "{PropertyBag: src.PropertyBag.Clone()}")
	default:
		f.P("\t*dst = ", dst, "{", original, "}")
		f.lowerFurther(t, d)
	}
}

// lowerFurther writes the bag if further members convert one by one.
func (f *function) lowerFurther(t *plan.Step, d direction) {
	if t.Further.Typed {
		f.P("\tsrc, dst.PropertyBag = ", f.Genruntime("LowerNamed"), "(src, ", furtherName(t)+foreign(t, d), ")")
		return
	}
	f.P("\tdst.PropertyBag = ", f.Genruntime("Lower"), "(src, ", furtherName(t)+foreign(t, d), ")")
}

// raise writes the code that sets the further members of an open object.
func (f *function) raise(t *plan.Step, d direction) {
	verb := "Raise"
	if t.Further != nil && t.Further.Typed {
		verb = "RaiseNamed"
		f.call()
	}
	if t.Further != nil {
		f.P("\t", f.Genruntime(verb), "(dst, ", furtherName(t)+foreign(t, d.Back()), ")")
	}
}

// call writes the pending calls now instead of at the end of the function, which returns their
// first error.
func (f *function) call() {
	if len(f.calls) == 0 || slices.Equal(f.calls, []string{"err"}) {
		return
	}
	assign := " := "
	if f.calls[0] == "err" {
		assign = " = "
	}
	f.first("\terr"+assign, f.calls)
	f.calls = []string{"err"}
}

// foreign returns the renamed properties' names of the side that a direction reads, as arguments.
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

// isFurther reports whether a move is that of further members, in a step that moves each member
// by its name.
func isFurther(t *plan.Step, m *plan.Move) bool {
	return t.Further != nil && !t.Further.Typed && (m.Far != nil && m.Far.Additional || m.Near != nil && m.Near.Additional)
}
