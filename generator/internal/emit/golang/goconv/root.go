package goconv

import (
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/plan"
)

// apiRoot writes the conversions of a resource's API type.
func (f *function) apiRoot(kv *plan.KindVersion) {
	kind, hub := kv.Kind.Name, kv.Kind.Hub()
	if kv == hub {
		f.atOnce(up, kind, hub, "", "src.ConvertToStorage(dst)")
		f.atOnce(down, kind, hub, "", "dst.ConvertFromStorage(src)")
	} else {
		own := f.Storage(kv.Package, kind)
		f.atOnce(up, kind, hub, own, "src.ConvertToStorage(&own)", f.Storage(kv.Package, rootStep(up, kv, hub))+"(&own, dst)")
		f.atOnce(down, kind, hub, own, f.Storage(kv.Package, rootStep(down, kv, hub))+"(src, &own)", "dst.ConvertFromStorage(&own)")
	}
	f.ownRoot(kv)
	f.bag(kv)
}

// atOnce writes the method of a root that converts to the hub, or from it, by way of
// an object of its own type if one is named. Its errors name the object.
func (f *function) atOnce(d direction, kind string, hub *plan.KindVersion, own string, calls ...string) {
	root, other := "src", "dst"
	if d == down {
		root, other = other, root
	}
	f.P()
	f.P("// Convert", string(d), " converts ", strings.ToLower(string(d)), " the hub, at once.")
	f.P("func (", root, " *", kind, ") Convert", string(d), "(hub ", f.Conversion("Hub"), ") error {")
	f.P("\t", other, ", err := ", f.Genruntime("As"), "[*", f.Storage(hub.Package, kind), "](hub)")
	f.P("\tif err != nil {")
	f.P("\t\treturn err")
	f.P("\t}")
	if own != "" {
		f.P("\tvar own ", own)
	}
	f.calls = []string{f.Genruntime("About") + "(" + root + ", " + strings.Join(calls, ", ") + ")"}
	f.done()
}

// ownRoot writes the conversions between a resource's API type and its storage
// type. What this version cannot show travels in the API type's status.
func (f *function) ownRoot(kv *plan.KindVersion) {
	kind := kv.Kind.Name
	f.P()
	f.P("// ConvertToStorage makes dst what src is, with what src kept for other versions.")
	f.P("func (src *", kind, ") ConvertToStorage(dst *", f.Storage(kv.Package, kind), ") error {")
	f.meta(f.Storage(kv.Package, "APIVersion"), kind)
	f.then(f.both("ObjectTo", "(*"+kind+"Spec).ConvertToStorage", "(*"+kind+"Status).ConvertToStorage"), func() {
		f.P("\t", f.Genruntime("Restore"), "(src, &dst.Spec, &dst.Status)")
		f.dropNote(kv)
		f.settle(kv)
	})
	f.P()
	f.P("// ConvertFromStorage makes dst what src is, and keeps what this version cannot show.")
	f.P("func (dst *", kind, ") ConvertFromStorage(src *", f.Storage(kv.Package, kind), ") error {")
	f.meta("APIVersion", kind)
	f.then(f.both("ObjectFrom", "(*"+kind+"Spec).ConvertFromStorage", "(*"+kind+"Status).ConvertFromStorage"), func() {
		f.dropNote(kv)
		f.P("\t", f.Genruntime("Hide"), "(dst, src.Spec, src.Status)")
	})
}

// both converts spec and status, each with its function.
func (f *function) both(lift, spec, status string) []string {
	return []string{
		f.Genruntime(lift) + "(&dst.Spec, src.Spec, " + spec + ")",
		f.Genruntime(lift) + "(&dst.Status, src.Status, " + status + ")",
	}
}

// then ends a function with calls and what follows them, also where they fail.
func (f *function) then(calls []string, follows func()) {
	f.P("\terr := ", f.Genruntime("FirstError"), "(")
	for _, c := range calls {
		f.P("\t\t", c, ",")
	}
	f.P("\t)")
	follows()
	f.P("\treturn err")
	f.P("}")
}

// settle decides on the original version, where the target is the hub.
func (f *function) settle(near *plan.KindVersion) {
	if near.IsHub() {
		f.P("\t", f.Genruntime("Settle"), "(dst.Spec, ", f.Storage(near.Package, near.Kind.Name+"Expressions"), ")")
	}
}

// dropNote takes the annotation with what a version cannot show off the target: one
// that is there is the source's.
func (f *function) dropNote(kv *plan.KindVersion) {
	if !kv.Subresource {
		f.P("\t", f.Genruntime("DropBagNote"), "(&dst.ObjectMeta)")
	}
}

// bag writes how the runtime reaches what a version cannot show.
func (f *function) bag(kv *plan.KindVersion) {
	kind := kv.Kind.Name
	f.P()
	f.P("// StatusBag is what this version cannot show.")
	if !kv.Subresource {
		f.Func("func (r *"+kind+") StatusBag() *string", "return "+f.Genruntime("GetBagNote")+"(&r.ObjectMeta)")
		f.P()
		f.P("// SetStatusBag keeps what this version cannot show, in an annotation.")
		f.Func("func (r *"+kind+") SetStatusBag(bag *string)", f.Genruntime("SetBagNote")+"(&r.ObjectMeta, bag)")
		return
	}
	f.Func("func (r *"+kind+") StatusBag() *string", "return "+f.Genruntime("GetBag")+"(r.Status)")
	f.P()
	f.P("// SetStatusBag keeps what this version cannot show.")
	f.Func("func (r *"+kind+") SetStatusBag(bag *string)", f.Genruntime("SetBag")+"(&r.Status, bag)")
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
	f.plan(kv)
	if next == nil {
		f.P()
		f.P("// Hub marks the type that the cluster persists.")
		f.P("func (*", kv.Kind.Name, ") Hub() {}")
		f.P()
		f.P("// Unexpressed lists what the original version cannot express of the spec.")
		f.P("func (r *", kv.Kind.Name, ") Unexpressed() []string {")
		f.P("\treturn ", f.Genruntime("Unexpressed"), "(r.Spec, ", kv.Kind.Name, "Expressions)")
		f.P("}")
		f.hubPivots(kv)
		return
	}
	f.rootSteps(kv, next, "one step nearer to the hub")
	if next != hub {
		f.rootSteps(kv, hub, "to the hub at once")
	}
	if kv.Hub {
		f.atOnce(up, kv.Kind.Name, hub, "", rootStep(up, kv, hub)+"(src, dst)")
		f.atOnce(down, kv.Kind.Name, hub, "", rootStep(down, kv, hub)+"(src, dst)")
		f.formerPivots(kv.Spec)
		f.formerPivots(kv.Status)
	}
}

// plan writes how the runtime converts the JSON of objects.
func (f *function) plan(kv *plan.KindVersion) {
	if kv.Notation != nil {
		name, hub := kv.Kind.Name, kv.Kind.Hub().Package
		f.P()
		f.P("// ", kv.PlanName, " tells how the JSON of a ", name, " becomes the hub's, and back.")
		f.P("var ", kv.PlanName, " = ", f.Genruntime("Plan"), "{Storage: &", name, "{}, Hub: &", f.Storage(hub, name),
			"{}, HubVersion: ", f.Storage(hub, "APIVersion"), ", Steps: ", quoted(kv.Notation.Steps), statusStep(kv.Notation), note(kv), f.held(kv.Notation), "}")
	}
}

// statusStep names the step between statuses, where it is another than that between
// specs.
func statusStep(n *plan.Notation) string {
	if n.Status == 0 {
		return ""
	}
	return ", StatusStep: " + strconv.Itoa(n.Status)
}

// note tells that what a version cannot show lies in an annotation.
func note(kv *plan.KindVersion) string {
	if kv.Subresource {
		return ""
	}
	return ", Note: true"
}

// held lists blank objects of what bags hold.
func (f *function) held(n *plan.Notation) string {
	var all []string
	for _, h := range n.Held {
		all = append(all, strconv.Itoa(h.Step)+": &"+f.Stored(h.Type)+"{}")
	}
	if all == nil {
		return ""
	}
	return ", Held: map[int]any{" + strings.Join(all, ", ") + "}"
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
		calls := f.both("ObjectTo", f.stepFunc(way.d, kv.Spec.Between(target.Spec)), f.stepFunc(way.d, kv.Status.Between(target.Status)))
		if way.d == up && target.IsHub() {
			f.then(calls, func() { f.settle(target) })
			continue
		}
		f.calls = calls
		f.done()
	}
}
