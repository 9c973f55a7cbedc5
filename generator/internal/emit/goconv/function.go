package goconv

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/emit/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// function is a converting function being written. Calls may fail; they stand
// at its end.
type function struct {
	*gofile.Go
	calls []string
}

// done writes the end of the function.
func (f *function) done() {
	switch len(f.calls) {
	case 0:
		f.P("\treturn nil")
	case 1:
		f.P("\treturn ", gofile.Indent("\t", f.calls[0]))
	default:
		f.P("\treturn ", f.Runtime("FirstError"), "(")
		for _, c := range f.calls {
			f.P("\t\t", gofile.Indent("\t\t", c), ",")
		}
		f.P("\t)")
	}
	f.P("}")
}

// api writes a method of an API type that converts it to a storage type: its
// own, or fused to one beyond. The method's name tells which.
func (f *function) toStorage(s *plan.Struct, method string, near *plan.Struct, moves []*plan.Move) {
	f.P("func (src *", s.Name, ") ", method, "(dst *", f.storageOf(near), ") error {")
	f.P("\t*dst = ", f.storageOf(near), "{}")
	if s.Role == plan.Spec {
		f.P("\tdst.OriginalVersion = src.OriginalVersion()")
	}
	for _, m := range moves {
		f.up(s, m)
	}
	f.extras(s)
	f.done()
}

func (f *function) fromStorage(s *plan.Struct, method string, near *plan.Struct, moves []*plan.Move) {
	f.P("func (dst *", s.Name, ") ", method, "(src *", f.storageOf(near), ") error {")
	f.P("\t*dst = ", s.Name, "{}")
	for _, m := range moves {
		f.down(s, m)
	}
	f.extras(s)
	f.done()
}

func (f *function) storageOf(s *plan.Struct) string { return f.Storage(s.Package, s.Name) }

// extras hands over what a root has beside its properties.
func (f *function) extras(s *plan.Struct) {
	switch s.Role {
	case plan.Spec:
		f.P("\tdst.AzureName = src.AzureName")
		f.P("\tdst.Owner = src.Owner")
	case plan.Status:
		f.P("\tdst.Conditions = src.Conditions")
	}
}

// up moves one property of an API type to a storage type.
func (f *function) up(s *plan.Struct, m *plan.Move) {
	src := "src." + m.Far.Name
	if m.Action == plan.Keep {
		f.value("dst."+m.Near.Name, src, link{end{m.Far.Type, gofile.APISide}, end{m.Near.Type, gofile.StorageSide}, to, f.toFunc(m.Far, m.Near)})
		return
	}
	if via := f.viaFunc(m, f.toFunc); via != "" {
		name := f.local(m)
		f.P("\tvar ", name, " ", f.Type(m.Via.Type, gofile.StorageSide))
		call := f.convertCall("&"+name, src, link{end{m.Far.Type, gofile.APISide}, end{m.Via.Type, gofile.StorageSide}, to, via})
		f.P("\t", name, "Err := ", gofile.Indent("\t", call))
		f.calls = append(f.calls, name+"Err")
		src = name
	}
	f.P("\t", f.Runtime("Stash"), "(&dst.PropertyBag, ", quoted(m.Keys[0]), ", ", src, ")")
}

// down moves one property of a storage type to an API type.
func (f *function) down(s *plan.Struct, m *plan.Move) {
	dst := "dst." + m.Far.Name
	if m.Action == plan.Keep {
		f.value(dst, "src."+m.Near.Name, link{end{m.Near.Type, gofile.StorageSide}, end{m.Far.Type, gofile.APISide}, from, f.fromFunc(m.Far, m.Near)})
		return
	}
	into := dst
	if m.Via.Type.Struct != nil {
		into = f.local(m)
		f.P("\tvar ", into, " ", f.Type(m.Via.Type, gofile.StorageSide))
	}
	for i := len(m.Keys) - 1; i >= 0; i-- {
		f.P("\t", f.Runtime("Peek"), "(src.PropertyBag, ", quoted(m.Keys[i]), ", &", into, ")")
	}
	if into != dst {
		f.value(dst, into, link{end{m.Via.Type, gofile.StorageSide}, end{m.Far.Type, gofile.APISide}, from, f.fromFunc(m.Far, m.Via)})
	}
}

// local names a variable for what a bag holds.
func (f *function) local(m *plan.Move) string { return "bag" + m.Far.Name }

// viaFunc is what converts objects on their way into a bag; empty where the API
// type's JSON is that of the storage type already.
func (f *function) viaFunc(m *plan.Move, convert func(far, near *plan.Field) string) string {
	if m.Far.Type.Struct == nil || m.Far.Type.Struct.Host == m.Via.Type.Struct.Host {
		return ""
	}
	return convert(m.Far, m.Via)
}

// toFunc is the method that converts an API field's objects to those of a
// storage field.
func (f *function) toFunc(far, near *plan.Field) string {
	return f.method(far, near, "ConvertToStorage", "to")
}

func (f *function) fromFunc(far, near *plan.Field) string {
	return f.method(far, near, "ConvertFromStorage", "from")
}

func (f *function) method(far, near *plan.Field, own, fused string) string {
	s := far.Type.Struct
	if s == nil {
		return ""
	}
	name := own
	if near.Type.Struct.Host != s.Host {
		name = fusedName(fused, s, near.Type.Struct.Host)
	}
	return "(*" + f.API(s.Package, s.Name) + ")." + name
}

// fusedName names a fused conversion by its target.
func fusedName(direction string, s, near *plan.Struct) string {
	name := direction + "V" + strings.TrimPrefix(near.Package.Label, "v")
	if near.Name != s.Name {
		name += near.Name
	}
	return name
}
