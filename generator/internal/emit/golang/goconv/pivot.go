package goconv

import (
	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// pivots writes how a spec or status of an API type converts alone, to and from
// any version of its kind.
func (f *function) pivots(s *plan.Struct) {
	if s.Role != plan.Nested {
		f.pivotsOf(s.Name, s)
	}
}

// pivotsOf is pivots for a type that is called otherwise.
func (f *function) pivotsOf(receiver string, s *plan.Struct) {
	if t := s.Between(hubOf(s)); t != nil {
		f.pivotOf(receiver, s, "To", "ToThrough", f.stepFunc(up, t))
		f.pivotOf(receiver, s, "From", "FromThrough", f.stepFunc(down, t))
		return
	}
	f.pivotOf(receiver, s, "To", "To", "(*"+receiver+").ConvertToStorage")
	f.pivotOf(receiver, s, "From", "From", "(*"+receiver+").ConvertFromStorage")
}

// hubOf is the hub's struct of a spec or status.
func hubOf(s *plan.Struct) *plan.Struct {
	hub := s.Owner.Kind.Hub()
	if s.Role == plan.Status {
		return hub.Status
	}
	return hub.Spec
}

func partOf(s *plan.Struct) string {
	if s.Role == plan.Status {
		return "Status"
	}
	return "Spec"
}

// pivotOf writes the method of a spec or status that converts it to any version, or from it, with a
// function of the runtime.
func (f *function) pivotOf(receiver string, s *plan.Struct, direction, with, convert string) {
	part, other := partOf(s), "dst"
	if direction == "From" {
		other = "src"
	}
	f.P()
	f.P("func (s *", receiver, ") Convert", part, direction, "(", other, " ", f.Runtime("Convertible"+part), ") error {")
	f.P("\treturn ", f.Genruntime(part+with), "(s, ", other, ", ", convert, ")")
	f.P("}")
}

// formerPivots writes the same for the storage type of a former hub.
func (f *function) formerPivots(s *plan.Struct) {
	t := s.Between(hubOf(s))
	back := gofile.Literal("func(dst *"+s.Name+", src *"+f.Stored(t.Near)+") error", "return "+t.Function(down)+"(src, dst)")
	f.pivotOf(s.Name, s, "To", "To", t.Function(up))
	f.pivotOf(s.Name, s, "From", "From", back)
}

// hubPivots writes the same for the hub, which other versions know the way to.
func (f *function) hubPivots(kv *plan.KindVersion) {
	for _, s := range []*plan.Struct{kv.Spec, kv.Status} {
		part := partOf(s)
		t := f.Runtime("Convertible" + part)
		f.P()
		f.Func("func (s *"+s.Name+") Convert"+part+"To(dst "+t+") error", "return "+f.Genruntime(part+"ToVia")+"(s, s, dst)")
		f.Func("func (s *"+s.Name+") Convert"+part+"From(src "+t+") error", "return "+f.Genruntime(part+"FromVia")+"(s, s, src)")
	}
}
