package goconv

import (
	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// pivots writes the methods that convert a spec or status of an API type without its root, to and
// from any version of its kind.
func (f *function) pivots(s *plan.Struct) {
	if s.Role != plan.Nested {
		f.pivotsOf(s.Name, s)
	}
}

// pivotsOf is pivots for a type of another name.
func (f *function) pivotsOf(receiver string, s *plan.Struct) {
	if t := s.Between(hubOf(s)); t != nil {
		f.pivotPair(receiver, s, "Through", ", new("+f.Stored(s)+")", f.stepFunc(up, t), f.stepFunc(down, t))
		return
	}
	f.pivotPair(receiver, s, "", "", "(*"+receiver+").ConvertToStorage", "(*"+receiver+").ConvertFromStorage")
}

// hubOf returns the hub's struct of a spec or status.
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

// pivotPair writes the methods of a spec or status that convert it to any version, and back. They
// call functions of the runtime, with own as an additional argument.
func (f *function) pivotPair(receiver string, s *plan.Struct, with, own, to, from string) {
	part := partOf(s)
	method := func(direction, other, convert string) [2]string {
		return [2]string{
			"func (s *" + receiver + ") Convert" + part + direction + "(" + other + " " + f.Runtime("Convertible"+part) + ") error",
			"return " + f.Genruntime(part+direction+with) + "(s" + own + ", " + other + ", " + convert + ")",
		}
	}
	f.P()
	f.Funcs(method("To", "dst", to), method("From", "src", from))
}

// formerPivots writes these methods for the storage type of a former hub.
func (f *function) formerPivots(s *plan.Struct) {
	t := s.Between(hubOf(s))
	back := gofile.Literal("func(dst *"+s.Name+", src *"+f.Stored(t.Near)+") error", "return "+t.Function(down)+"(src, dst)")
	f.pivotPair(s.Name, s, "", "", t.Function(up), back)
}

// hubPivots writes these methods for the hub, to which other versions convert.
func (f *function) hubPivots(kv *plan.KindVersion) {
	for _, s := range []*plan.Struct{kv.Spec, kv.Status} {
		part := partOf(s)
		t := f.Runtime("Convertible" + part)
		f.P()
		f.Func("func (s *"+s.Name+") Convert"+part+"To(dst "+t+") error", "return "+f.Genruntime(part+"ToVia")+"(s, s, dst)")
		f.Func("func (s *"+s.Name+") Convert"+part+"From(src "+t+") error", "return "+f.Genruntime(part+"FromVia")+"(s, s, src)")
	}
}
