package goconv

import (
	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// function is a converting function being written. Calls may fail; they stand
// at its end.
type function struct {
	*gofile.Go
	calls    []string
	restored bool // what bags give back counts
}

// done writes the end of the function.
func (f *function) done() {
	switch len(f.calls) {
	case 0:
		f.P("\treturn nil")
	case 1:
		f.P("\treturn ", gofile.Indent("\t", f.calls[0]))
	default:
		f.P("\treturn ", f.Genruntime("FirstError"), "(")
		for _, c := range f.calls {
			f.P("\t\t", gofile.Indent("\t\t", c), ",")
		}
		f.P("\t)")
	}
	f.P("}")
	f.calls = nil
}

// toStorage writes the method of an API type that converts it to its storage type.
func (f *function) toStorage(s *plan.Struct) {
	f.P("func (src *", s.Name, ") ConvertToStorage(dst *", f.Stored(s), ") error {")
	f.P("\t*dst = ", f.Stored(s), "{}")
	if s.Role == plan.Spec {
		f.P("\tdst.OriginalVersion = src.OriginalVersion()")
	}
	for _, field := range s.Fields {
		f.value("dst."+field.Name, "src."+field.Name, link{end{field.API, gofile.APISide}, stored(field.Type), to, f.method(field, up), field.Additional})
	}
	f.added(s)
	f.ownHand(s, up)
	f.done()
}

func (f *function) fromStorage(s *plan.Struct) {
	f.P("func (dst *", s.Name, ") ConvertFromStorage(src *", f.Stored(s), ") error {")
	f.P("\t*dst = ", s.Name, "{}")
	for _, field := range s.Fields {
		f.value("dst."+field.Name, "src."+field.Name, link{stored(field.Type), end{field.API, gofile.APISide}, from, f.method(field, down), field.Additional})
	}
	f.added(s)
	f.ownHand(s, down)
	f.done()
}

// added copies what Strata adds to a root.
func (f *function) added(s *plan.Struct) {
	for _, a := range s.AddedToBoth() {
		f.P("\tdst.", a.Name, " = src.", a.Name)
	}
}

// method is what converts the objects of an API type's field to their storage type,
// or back; empty where there are none.
func (f *function) method(field *plan.Field, d direction) string {
	s := field.API.Struct
	if s == nil {
		return ""
	}
	return "(*" + f.API(s.Package, s.Name) + ").Convert" + string(d) + "Storage"
}
