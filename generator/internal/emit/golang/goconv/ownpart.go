package goconv

import (
	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/plan"
)

// accessors are the methods that take a root apart, of runtime.KubernetesResource.
var accessors = []string{"GetSpec", "GetStatus", "NewEmptySpec", "NewEmptyStatus", "SetStatus"}

// Accessors are the methods that a root is not given since people gave it some of these
// names; none where it is given them, or cannot have them.
func Accessors(p *augmentation.Package, r *augmentation.Root) []string {
	var taken []string
	if !isApart(p, r) {
		return nil
	}
	for _, name := range accessors {
		if p.Method(r.Object.Type(), name) != nil {
			taken = append(taken, name)
		}
	}
	return taken
}

// isApart reports whether spec and status of a root can have methods of their own.
func isApart(p *augmentation.Package, r *augmentation.Root) bool {
	return r.Status != nil && p.Named(r.Spec) != nil && p.Named(r.Status) != nil
}

// accessors writes how a resource is taken apart, where its types let it.
func (w *author) accessors(kv *plan.KindVersion) {
	r := kv.Root()
	if !isApart(w.own, r) || Accessors(w.own, r) != nil {
		return
	}
	kind := r.Object.Name()
	for _, p := range partsOf(kv) {
		typ, get := w.Runtime("Convertible"+p.name), "return &r."+p.Name
		if p.Pointer {
			get = "return " + w.Runtime(p.name+"Of") + "(r." + p.Name + ")"
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
	w.Func("func (r *"+kind+") SetStatus(status "+w.Runtime("ConvertibleStatus")+") error", "return "+w.Runtime(set)+"(&r."+r.Status.Name+", status)")
}

func lowered(part string) string {
	if part == "Spec" {
		return "spec"
	}
	return "status"
}

// alone writes how a spec or status converts without its root.
func (w *author) alone(typ string, s *plan.Struct) {
	hub := hubOf(s)
	toHub, fromHub := "(*"+typ+").ConvertToStorage", "(*"+typ+").ConvertFromStorage"
	if t := s.Between(hub); t != nil {
		toHub = w.Runtime("Then") + "(" + toHub + ", " + w.stepFunc(up, t) + ")"
		fromHub = w.Runtime("ThenFrom") + "(" + w.stepFunc(down, t) + ", " + fromHub + ")"
	}
	w.pivotOf(typ, s, "To", "dst", toHub)
	w.pivotOf(typ, s, "From", "src", fromHub)
}
