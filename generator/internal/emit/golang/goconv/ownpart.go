package goconv

import (
	"github.com/stratakube/strata/generator/internal/plan"
)

// accessors writes the methods that return and set the parts of a resource, if its types allow
// it.
func (w *author) accessors(kv *plan.KindVersion) {
	r := kv.Root()
	if !kv.HasAccessors() {
		return
	}
	kind := r.Object.Name()
	for _, p := range partsOf(kv) {
		typ, get := w.Runtime("Convertible"+p.name), "return &r."+p.Name
		if p.Pointer {
			get = "return " + w.Genruntime(p.name+"Of") + "(r." + p.Name + ")"
		}
		w.P()
		w.P("// Get", p.name, " returns the ", lowered(p.name), ". It is not a copy.")
		w.Func("func (r *"+kind+") Get"+p.name+"() "+typ, get)
		w.P()
		w.P("// NewEmpty", p.name, " returns a blank ", lowered(p.name), " of this version.")
		w.Func("func (r *"+kind+") NewEmpty"+p.name+"() "+typ, "return new("+w.spell(p.Type)+")")
	}
	set := "SetStatusOf"
	if r.Status.Pointer {
		set = "SetStatus"
	}
	w.P()
	w.P("// SetStatus sets the status, converting it if it is of another version.")
	w.Func("func (r *"+kind+") SetStatus(status "+w.Runtime("ConvertibleStatus")+") error", "return "+w.Genruntime(set)+"(&r."+r.Status.Name+", status)")
}

func lowered(part string) string {
	if part == "Spec" {
		return "spec"
	}
	return "status"
}

// alone writes the methods that convert a spec or status without its root.
func (w *author) alone(typ string, s *plan.Struct) {
	w.pivotsOf(typ, s)
}
