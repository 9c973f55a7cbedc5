package goconv

import (
	"github.com/stratakube/strata/generator/internal/plan"
)

// apiRoot writes the conversions of a resource's API type.
func (f *function) apiRoot(kv *plan.KindVersion) {
	kind, hub := kv.Kind.Name, kv.Kind.Hub()
	f.P()
	f.P("// ConvertTo converts to the hub, at once.")
	f.P("func (src *", kind, ") ConvertTo(hub ", f.Conversion("Hub"), ") error {")
	f.asHub("dst", f.Storage(hub.Package, kind))
	if kv == hub {
		f.calls = append(f.calls, "src.ConvertToStorage(dst)")
	} else {
		f.P("\tvar own ", f.Storage(kv.Package, kind))
		f.calls = append(f.calls, "src.ConvertToStorage(&own)", f.Storage(kv.Package, rootStep(up, kv, hub))+"(&own, dst)")
	}
	f.about("src")
	f.P()
	f.P("// ConvertFrom converts from the hub, at once.")
	f.P("func (dst *", kind, ") ConvertFrom(hub ", f.Conversion("Hub"), ") error {")
	f.asHub("src", f.Storage(hub.Package, kind))
	if kv == hub {
		f.calls = append(f.calls, "dst.ConvertFromStorage(src)")
	} else {
		f.P("\tvar own ", f.Storage(kv.Package, kind))
		f.calls = append(f.calls, f.Storage(kv.Package, rootStep(down, kv, hub))+"(src, &own)", "dst.ConvertFromStorage(&own)")
	}
	f.about("dst")
	f.ownRoot(kv)
	f.bag(kind)
}

// about ends a conversion of a whole object: its errors name the object.
func (f *function) about(root string) {
	f.calls = []string{f.Runtime("About") + "(" + root + ", " + joined(f.calls) + ")"}
	f.done()
}

func joined(calls []string) string {
	out := calls[0]
	for _, c := range calls[1:] {
		out += ", " + c
	}
	return out
}

// ownRoot writes the conversions between a resource's API type and its storage
// type. What this version cannot show travels in the API type's status.
func (f *function) ownRoot(kv *plan.KindVersion) {
	kind := kv.Kind.Name
	f.P()
	f.P("// ConvertToStorage makes dst what src is, with what src kept for other versions.")
	f.P("func (src *", kind, ") ConvertToStorage(dst *", f.Storage(kv.Package, kind), ") error {")
	f.meta(f.Storage(kv.Package, "APIVersion"), kind)
	f.P("\terr := ", f.Runtime("FirstError"), "(")
	f.P("\t\t", f.Runtime("ObjectTo"), "(&dst.Spec, src.Spec, (*", kind, "Spec).ConvertToStorage),")
	f.P("\t\t", f.Runtime("ObjectTo"), "(&dst.Status, src.Status, (*", kind, "Status).ConvertToStorage),")
	f.P("\t)")
	f.P("\t", f.Runtime("Restore"), "(src, &dst.Spec, &dst.Status)")
	f.settle(kv)
	f.P("\treturn err")
	f.P("}")
	f.P()
	f.P("// ConvertFromStorage makes dst what src is, and keeps what this version cannot show.")
	f.P("func (dst *", kind, ") ConvertFromStorage(src *", f.Storage(kv.Package, kind), ") error {")
	f.meta("APIVersion", kind)
	f.P("\terr := ", f.Runtime("FirstError"), "(")
	f.P("\t\t", f.Runtime("ObjectFrom"), "(&dst.Spec, src.Spec, (*", kind, "Spec).ConvertFromStorage),")
	f.P("\t\t", f.Runtime("ObjectFrom"), "(&dst.Status, src.Status, (*", kind, "Status).ConvertFromStorage),")
	f.P("\t)")
	f.P("\t", f.Runtime("Hide"), "(dst, src.Spec, src.Status)")
	f.P("\treturn err")
	f.P("}")
}

// settle decides on the original version, where the target is the hub.
func (f *function) settle(near *plan.KindVersion) {
	if near.Next() == nil {
		f.P("\t", f.Runtime("Settle"), "(dst.Spec, ", f.Storage(near.Package, near.Kind.Name+"Expressions"), ")")
	}
}

// bag writes how the runtime reaches what a version cannot show.
func (f *function) bag(kind string) {
	f.P()
	f.P("// StatusBag is what this version cannot show.")
	f.Func("func (r *"+kind+") StatusBag() *string", "return "+f.Runtime("GetBag")+"(r.Status)")
	f.P()
	f.P("// SetStatusBag keeps what this version cannot show.")
	f.Func("func (r *"+kind+") SetStatusBag(bag *string)", f.Runtime("SetBag")+"(&r.Status, bag)")
	f.P()
	f.P("// Bag is where the runtime keeps what this version cannot show.")
	f.Func("func (s *"+kind+"Status) Bag() **string", "return &s.PropertyBag")
}

// meta hands over the object's metadata and names its type.
func (f *function) meta(apiVersion, kind string) {
	f.P("\tdst.TypeMeta = ", f.Meta("TypeMeta"), "{APIVersion: ", apiVersion, ", Kind: ", quoted(kind), "}")
	f.P("\tdst.ObjectMeta = src.ObjectMeta")
}

// rootStep names the function that converts a resource's storage type to one nearer
// to the hub.
func rootStep(d direction, far, near *plan.KindVersion) string {
	return "Convert" + far.Kind.Name + string(d) + "V" + near.Package.Label[1:]
}

// storageRoot writes the conversions of a resource's storage type: to its neighbour,
// and to the hub at once.
func (f *function) storageRoot(kv *plan.KindVersion) {
	next, hub := kv.Next(), kv.Kind.Hub()
	if next == nil {
		f.P()
		f.P("// Hub marks the type that the cluster persists.")
		f.P("func (*", kv.Kind.Name, ") Hub() {}")
		f.hubPivots(kv)
		return
	}
	f.rootSteps(kv, next, "one step nearer to the hub")
	if next != hub {
		f.rootSteps(kv, hub, "to the hub at once")
	}
	if kv.Hub {
		f.former(kv, hub)
		f.formerPivots(kv.Spec)
		f.formerPivots(kv.Status)
	}
}

func (f *function) rootSteps(kv, target *plan.KindVersion, doc string) {
	kind := kv.Kind.Name
	near := f.Storage(target.Package, kind)
	for _, way := range []struct {
		doc, src, dst, apiVersion string
		d                         direction
	}{
		{"converts " + doc, kind, near, f.Storage(target.Package, "APIVersion"), up},
		{"converts back", near, kind, "APIVersion", down},
	} {
		name := rootStep(way.d, kv, target)
		f.P()
		f.P("// ", name, " ", way.doc, ".")
		f.P("func ", name, "(src *", way.src, ", dst *", way.dst, ") error {")
		f.meta(way.apiVersion, kind)
		spec := f.Runtime("ObjectTo") + "(&dst.Spec, src.Spec, " + f.stepFunc(way.d, kv.Spec.Between(target.Spec)) + ")"
		status := f.Runtime("ObjectTo") + "(&dst.Status, src.Status, " + f.stepFunc(way.d, kv.Status.Between(target.Status)) + ")"
		if way.d == up && target.Next() == nil {
			f.P("\terr := ", f.Runtime("FirstError"), "(")
			f.P("\t\t", spec, ",")
			f.P("\t\t", status, ",")
			f.P("\t)")
			f.settle(target)
			f.P("\treturn err")
			f.P("}")
			continue
		}
		f.calls = append(f.calls, spec, status)
		f.done()
	}
}

// former writes the way of a former hub to the hub.
func (f *function) former(kv, hub *plan.KindVersion) {
	kind := kv.Kind.Name
	f.P()
	f.P("// ConvertTo converts to the hub, at once.")
	f.P("func (src *", kind, ") ConvertTo(hub ", f.Conversion("Hub"), ") error {")
	f.asHub("dst", f.Storage(hub.Package, kind))
	f.calls = append(f.calls, rootStep(up, kv, hub)+"(src, dst)")
	f.about("src")
	f.P()
	f.P("// ConvertFrom converts from the hub, at once.")
	f.P("func (dst *", kind, ") ConvertFrom(hub ", f.Conversion("Hub"), ") error {")
	f.asHub("src", f.Storage(hub.Package, kind))
	f.calls = append(f.calls, rootStep(down, kv, hub)+"(src, dst)")
	f.about("dst")
}

func (f *function) asHub(name, typ string) {
	f.P("\t", name, ", err := ", f.Runtime("As"), "[*", typ, "](hub)")
	f.P("\tif err != nil {")
	f.P("\t\treturn err")
	f.P("\t}")
}
