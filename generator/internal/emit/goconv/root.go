package goconv

import (
	"github.com/stratakube/strata/generator/internal/plan"
)

// apiRoot writes the conversions of a resource's API type.
func (f *function) apiRoot(kv *plan.KindVersion) {
	kind, hub := kv.Kind.Name, kv.Kind.Hub()
	hubType := f.Storage(hub.Package, kind)
	f.P()
	f.P("// ConvertTo converts to the hub, at once.")
	f.P("func (src *", kind, ") ConvertTo(hub ", f.Conversion("Hub"), ") error {")
	f.P("\tdst, err := ", f.Runtime("As"), "[*", hubType, "](hub)")
	f.P("\tif err != nil {")
	f.P("\t\treturn err")
	f.P("\t}")
	f.rootUp(kv, hub)
	f.P()
	f.P("// ConvertFrom converts from the hub, at once.")
	f.P("func (dst *", kind, ") ConvertFrom(hub ", f.Conversion("Hub"), ") error {")
	f.P("\tsrc, err := ", f.Runtime("As"), "[*", hubType, "](hub)")
	f.P("\tif err != nil {")
	f.P("\t\treturn err")
	f.P("\t}")
	f.rootDown(kv, hub)
	f.P()
	f.P("// ConvertToStorage makes dst what src is.")
	f.P("func (src *", kind, ") ConvertToStorage(dst *", f.Storage(kv.Package, kind), ") error {")
	f.rootUp(kv, kv)
	f.P()
	f.P("// ConvertFromStorage makes dst what src is, as far as this version has it.")
	f.P("func (dst *", kind, ") ConvertFromStorage(src *", f.Storage(kv.Package, kind), ") error {")
	f.rootDown(kv, kv)
}

func (f *function) rootUp(kv, near *plan.KindVersion) {
	f.meta(f.Storage(near.Package, "APIVersion"), kv.Kind.Name)
	f.parts(kv, near, "To", "ConvertToStorage", "to")
}

func (f *function) rootDown(kv, near *plan.KindVersion) {
	f.meta("APIVersion", kv.Kind.Name)
	f.parts(kv, near, "From", "ConvertFromStorage", "from")
}

// meta hands over the object's metadata and names its type.
func (f *function) meta(apiVersion, kind string) {
	f.P("\tdst.TypeMeta = ", f.Meta("TypeMeta"), "{APIVersion: ", apiVersion, ", Kind: ", quoted(kind), "}")
	f.P("\tdst.ObjectMeta = src.ObjectMeta")
}

// parts converts spec and status.
func (f *function) parts(kv, near *plan.KindVersion, helper, own, fused string) {
	for _, part := range []struct {
		name      string
		far, near *plan.Struct
	}{{"Spec", kv.Spec, near.Spec}, {"Status", kv.Status, near.Status}} {
		method := own
		if part.far != part.near {
			method = fusedName(fused, part.far, part.near)
		}
		f.calls = append(f.calls, f.Runtime("Object"+helper)+"(&dst."+part.name+", src."+part.name+", (*"+part.far.Name+")."+method+")")
	}
	f.done()
	f.calls = nil
}

// storageRoot writes the conversions of a resource's storage type: the hub is
// the hub, others go step by step.
func (f *function) storageRoot(kv *plan.KindVersion) {
	kind, next := kv.Kind.Name, kv.Next()
	if next == nil {
		f.P()
		f.P("// Hub marks the type that the cluster persists.")
		f.P("func (*", kind, ") Hub() {}")
		f.hubPivots(kv)
		return
	}
	near := f.Storage(next.Package, kind)
	name := "V" + next.Package.Label[1:]
	for _, way := range []struct{ doc, name, src, dst, apiVersion, direction string }{
		{"converts one step nearer to the hub", "Convert" + kind + "To" + name, kind, near, f.Storage(next.Package, "APIVersion"), "To"},
		{"converts back", "Convert" + kind + "From" + name, near, kind, "APIVersion", "From"},
	} {
		f.P()
		f.P("// ", way.name, " ", way.doc, ".")
		f.P("func ", way.name, "(src *", way.src, ", dst *", way.dst, ") error {")
		f.meta(way.apiVersion, kind)
		f.P("\treturn ", f.Runtime("FirstError"), "(")
		f.P("\t\t", f.Runtime("ObjectTo"), "(&dst.Spec, src.Spec, ", stepName(way.direction, kv.Spec, next.Spec), "),")
		f.P("\t\t", f.Runtime("ObjectTo"), "(&dst.Status, src.Status, ", stepName(way.direction, kv.Status, next.Status), "),")
		f.P("\t)")
		f.P("}")
	}
	if kv.Hub {
		f.chained(kv, next)
		f.stepPivots(kv.Spec, next.Spec, "Spec")
		f.stepPivots(kv.Status, next.Status, "Status")
	}
}

// chained writes the way of a storage type to the hub, step by step.
func (f *function) chained(kv, next *plan.KindVersion) {
	kind, name := kv.Kind.Name, "V"+next.Package.Label[1:]
	near := f.Storage(next.Package, kind)
	last := next.Next() == nil
	f.P()
	f.P("// ConvertTo converts to the hub, step by step.")
	f.P("func (src *", kind, ") ConvertTo(hub ", f.Conversion("Hub"), ") error {")
	if last {
		f.asHub("dst", near)
		f.P("\treturn Convert", kind, "To", name, "(src, dst)")
	} else {
		f.P("\tvar next ", near)
		f.then("Convert"+kind+"To"+name+"(src, &next)", "next.ConvertTo(hub)")
	}
	f.P("}")
	f.P()
	f.P("// ConvertFrom converts from the hub, step by step.")
	f.P("func (dst *", kind, ") ConvertFrom(hub ", f.Conversion("Hub"), ") error {")
	if last {
		f.asHub("src", near)
		f.P("\treturn Convert", kind, "From", name, "(src, dst)")
	} else {
		f.P("\tvar next ", near)
		f.then("next.ConvertFrom(hub)", "Convert"+kind+"From"+name+"(&next, dst)")
	}
	f.P("}")
}

// then writes two calls of which the second follows if the first succeeds.
func (f *function) then(first, second string) {
	f.P("\tif err := ", first, "; err != nil {")
	f.P("\t\treturn err")
	f.P("\t}")
	f.P("\treturn ", second)
}

func (f *function) asHub(name, typ string) {
	f.P("\t", name, ", err := ", f.Runtime("As"), "[*", typ, "](hub)")
	f.P("\tif err != nil {")
	f.P("\t\treturn err")
	f.P("\t}")
}
