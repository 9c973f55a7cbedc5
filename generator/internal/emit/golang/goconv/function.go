package goconv

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// function is a converting function that is being written. Its calls return errors, and are
// written at its end.
type function struct {
	*gofile.Go
	assigns  [][2]string // a variable and its value
	calls    []string
	restored bool // values that bags restore are recorded
}

// assign writes the assignments.
func (f *function) assign() {
	f.Assign(f.assigns)
	f.assigns = nil
}

// done writes the end of the function.
func (f *function) done() {
	if len(f.calls) == 0 {
		f.P("\treturn nil")
	} else {
		f.first("\treturn ", f.calls)
	}
	f.P("}")
	f.calls = nil
}

// first writes the use of the first error of calls, all of which are executed.
func (f *function) first(before string, calls []string) {
	if len(calls) == 1 {
		f.P(before, gofile.Indent("\t", calls[0]))
		return
	}
	if line := before + f.Genruntime("FirstError") + "(" + strings.Join(calls, ", ") + ")"; len(calls) == 2 && gofile.Fits(line) {
		f.P(line)
		return
	}
	f.P(before, f.Genruntime("FirstError"), "(")
	for _, c := range calls {
		f.P("\t\t", gofile.Indent("\t\t", c), ",")
	}
	f.P("\t)")
}

// toStorage writes the method of an API type that converts it to its storage type.
func (f *function) toStorage(s *plan.Struct) {
	f.P("func (src *", s.Name, ") ConvertToStorage(dst *", f.Stored(s), ") error {")
	if s.Role == plan.Spec {
		f.P("\t*dst = ", f.Stored(s), "{OriginalVersion: src.OriginalVersion()}")
	} else {
		f.P("\t*dst = ", f.Stored(s), "{}")
	}
	for _, field := range s.Fields {
		f.value("dst."+field.Name, "src."+field.Name, link{end{field.API, gofile.APISide}, stored(field.Type), to, f.method(field, up), field.Additional})
	}
	f.added(s)
	f.assign()
	f.ownHand(s, up)
	f.ownWhole(s, up)
	f.done()
}

func (f *function) fromStorage(s *plan.Struct) {
	f.P("func (dst *", s.Name, ") ConvertFromStorage(src *", f.Stored(s), ") error {")
	f.P("\t*dst = ", s.Name, "{}")
	for _, field := range s.Fields {
		f.value("dst."+field.Name, "src."+field.Name, link{stored(field.Type), end{field.API, gofile.APISide}, from, f.method(field, down), field.Additional})
	}
	f.added(s)
	f.assign()
	f.ownHand(s, down)
	f.ownWhole(s, down)
	f.done()
}

// added copies the members that Strata adds to a root.
func (f *function) added(s *plan.Struct) {
	for _, m := range s.AddedToBoth() {
		f.assigns = append(f.assigns, [2]string{"dst." + m.Name, "src." + m.Name})
	}
}

// method returns the method that converts the objects of an API type's field to their storage
// type, or back, or the function that converts its integers; empty if there is neither.
func (f *function) method(field *plan.Field, d direction) string {
	s := field.API.Struct
	switch {
	case field.API.Integer != "":
		return f.Genruntime("Integer"+string(d)) + "[" + f.Elem(field.API, gofile.APISide) + "]"
	case s == nil:
		return ""
	}
	return "(*" + f.API(s.Package, s.Name) + ").Convert" + string(d) + "Storage"
}
