package goconv

import (
	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// pivots writes how a spec or status of an API type converts alone, to and from
// any version of its kind.
func (f *function) pivots(s *plan.Struct) {
	if s.Role == plan.Nested {
		return
	}
	hub := hubOf(s)
	toHub, fromHub := "(*"+s.Name+").ConvertToStorage", "(*"+s.Name+").ConvertFromStorage"
	if t := s.Between(hub); t != nil {
		toHub = f.Genruntime("Then") + "(" + toHub + ", " + f.stepFunc(up, t) + ")"
		fromHub = f.Genruntime("ThenFrom") + "(" + f.stepFunc(down, t) + ", " + fromHub + ")"
	}
	f.pivot(s, "To", "dst", toHub)
	f.pivot(s, "From", "src", fromHub)
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

func (f *function) pivot(s *plan.Struct, direction, other, convert string) {
	f.pivotOf(s.Name, s, direction, other, convert)
}

// pivotOf is pivot for a type that is called otherwise.
func (f *function) pivotOf(receiver string, s *plan.Struct, direction, other, convert string) {
	part := partOf(s)
	f.P()
	f.P("func (s *", receiver, ") Convert", part, direction, "(", other, " ", f.Runtime("Convertible"+part), ") error {")
	f.P("\treturn ", f.Genruntime(part+direction), "(s, ", other, ", ", convert, ")")
	f.P("}")
}

// formerPivots writes the same for the storage type of a former hub.
func (f *function) formerPivots(s *plan.Struct) {
	t := s.Between(hubOf(s))
	back := gofile.Literal("func(dst *"+s.Name+", src *"+f.Stored(t.Near)+") error", "return "+t.Function(down)+"(src, dst)")
	f.pivot(s, "To", "dst", t.Function(up))
	f.pivot(s, "From", "src", back)
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
