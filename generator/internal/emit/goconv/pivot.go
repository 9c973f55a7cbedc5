package goconv

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/plan"
)

// pivots writes how a spec or status of an API type converts alone, to and from
// any version of its kind.
func (f *function) pivots(s *plan.Struct) {
	if s.Role == plan.Nested {
		return
	}
	part := partOf(s)
	hub := s.Owner.Kind.Hub()
	near := hub.Spec
	if s.Role == plan.Status {
		near = hub.Status
	}
	f.pivot(s, near, part, pivot{"To", "dst", "to", "ConvertToStorage"})
	f.pivot(s, near, part, pivot{"From", "src", "from", "ConvertFromStorage"})
}

func partOf(s *plan.Struct) string {
	if s.Role == plan.Status {
		return "Status"
	}
	return "Spec"
}

type pivot struct{ direction, other, fused, own string }

func (f *function) pivot(s, hub *plan.Struct, part string, p pivot) {
	name, method := "Convert"+part+p.direction, p.own
	if s != hub {
		method = fusedName(p.fused, s, hub)
	}
	f.P()
	f.P("// ", name, " converts ", strings.ToLower(p.direction), " any version.")
	f.P("func (s *", s.Name, ") ", name, "(", p.other, " ", f.Runtime("Convertible"+part), ") error {")
	f.P("\treturn ", f.Runtime(part+p.direction), "(s, ", p.other, ", (*", s.Name, ").", method, ")")
	f.P("}")
}

// stepPivots writes the same for a storage type that has a next step.
func (f *function) stepPivots(s, next *plan.Struct, part string) {
	t := f.Runtime("Convertible" + part)
	f.P()
	f.P("// Convert", part, "To converts to any version.")
	f.P("func (s *", s.Name, ") Convert", part, "To(dst ", t, ") error {")
	f.P("\tif dst, ok := dst.(*", f.storageOf(next), "); ok {")
	f.P("\t\treturn ", stepName("To", s, next), "(s, dst)")
	f.P("\t}")
	f.P("\treturn ", f.Runtime(part+"ToVia"), "(s, new(", f.storageOf(next), "), dst)")
	f.P("}")
	f.P()
	f.P("// Convert", part, "From converts from any version.")
	f.P("func (s *", s.Name, ") Convert", part, "From(src ", t, ") error {")
	f.P("\tif src, ok := src.(*", f.storageOf(next), "); ok {")
	f.P("\t\treturn ", stepName("From", s, next), "(src, s)")
	f.P("\t}")
	f.P("\treturn ", f.Runtime(part+"FromVia"), "(s, new(", f.storageOf(next), "), src)")
	f.P("}")
}

// hubPivots writes the same for the hub, which other versions know the way to.
func (f *function) hubPivots(kv *plan.KindVersion) {
	for _, s := range []*plan.Struct{kv.Spec, kv.Status} {
		part := partOf(s)
		t := f.Runtime("Convertible" + part)
		f.P()
		f.P("// Convert", part, "To converts to any version.")
		f.Func("func (s *"+s.Name+") Convert"+part+"To(dst "+t+") error", "return "+f.Runtime(part+"ToVia")+"(s, s, dst)")
		f.P()
		f.P("// Convert", part, "From converts from any version.")
		f.Func("func (s *"+s.Name+") Convert"+part+"From(src "+t+") error", "return "+f.Runtime(part+"FromVia")+"(s, s, src)")
	}
}
