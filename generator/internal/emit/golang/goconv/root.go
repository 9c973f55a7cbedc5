package goconv

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// apiRoot writes the conversions of a resource's API type.
func (f *function) apiRoot(kv *plan.KindVersion) {
	kind, hub := kv.Kind.Name, kv.Kind.Hub()
	if kv == hub {
		f.atOnce(up, kind, hub, "src.ConvertToStorage(dst)")
		f.atOnce(down, kind, hub, "dst.ConvertFromStorage(src)")
	} else {
		f.throughStorage(kind, kv)
	}
	f.ownRoot(kv)
	f.bag(kv)
}

// throughStorage writes the methods of a root that convert to the hub and back through its
// storage type, and registers what the decision on the original version calls.
func (f *function) throughStorage(kind string, kv *plan.KindVersion) {
	f.P()
	f.P("// ConvertTo converts to the hub, ConvertFrom from it.")
	var methods [][2]string
	for _, d := range []direction{up, down} {
		methods = append(methods, [2]string{
			"func (r *" + kind + ") Convert" + string(d) + "(hub " + f.Conversion("Hub") + ") error",
			"return " + f.Genruntime(string(d)+"Hub") + "(r, new(" + f.Storage(kv.Package, kv.Kind.Name) + "), hub, " +
				f.Storage(kv.Package, kv.Function(d, kv.Kind.Hub())) + ")",
		})
	}
	f.Funcs(methods...)
	f.derives(kv)
}

func (f *function) hubMethod(d direction) {
	f.P()
	f.P("// Convert", string(d), " converts ", strings.ToLower(string(d)), " the hub.")
}

// atOnce writes the method of a root that converts to the hub, or from it, with one call. Its
// error names the object.
func (f *function) atOnce(d direction, kind string, hub *plan.KindVersion, call string) {
	root, other := "src", "dst"
	if d == down {
		root, other = other, root
	}
	f.hubMethod(d)
	f.P("func (", root, " *", kind, ") Convert", string(d), "(hub ", f.Conversion("Hub"), ") error {")
	f.P("\t", other, ", err := ", f.Genruntime("As"), "[*", f.Storage(hub.Package, kind), "](hub)")
	f.P("\tif err != nil {")
	f.P("\t\treturn err")
	f.P("\t}")
	f.calls = []string{f.Genruntime("About") + "(" + root + ", " + call + ")"}
	f.done()
}

// ownRoot writes the conversions between a resource's API type and its storage type. Values that
// this version cannot represent are stored in the API type's status.
func (f *function) ownRoot(kv *plan.KindVersion) {
	kind := kv.Kind.Name
	f.P()
	f.P("// ConvertToStorage converts to the storage type, and restores what src stores for other versions.")
	f.P("func (src *", kind, ") ConvertToStorage(dst *", f.Storage(kv.Package, kind), ") error {")
	f.meta(f.Storage(kv.Package, "APIVersion"), kind)
	f.then(f.both("ToStorage"), func() {
		f.P("\t", f.Genruntime("Restore"), "(src, &dst.Spec, &dst.Status)")
		if kv.HasIntegers {
			f.P("\t", f.Genruntime("Reveal"), "(src, dst.Spec, dst.Status)")
		}
		f.dropAnnotation(kv)
		f.decideOriginalVersion(kv)
	})
	f.P()
	f.P("// ConvertFromStorage converts from the storage type, and stores what this version cannot represent.")
	f.P("func (dst *", kind, ") ConvertFromStorage(src *", f.Storage(kv.Package, kind), ") error {")
	f.meta("APIVersion", kind)
	if kv.HasIntegers {
		f.first("\terr := ", f.both("FromStorage"))
		f.dropAnnotation(kv)
		f.hideWith("HideIntegers", kv)
		return
	}
	f.then(f.both("FromStorage"), func() {
		f.dropAnnotation(kv)
		f.P("\t", f.Genruntime("Hide"), "(dst, src.Spec, src.Status)")
	})
}

// hideWith writes the end of a root's ConvertFromStorage: a call of a runtime's function that hides
// values, also those that the API type represents by another value.
func (f *function) hideWith(hide string, kv *plan.KindVersion) {
	spec, status := f.Stored(kv.Spec), f.Stored(kv.Status)
	f.P("\treturn ", f.Genruntime(hide), "(dst, src.Spec, src.Status, err, func() (*", spec, ", *", status, ", error) {")
	f.P("\t\tvar shown ", f.Storage(kv.Package, kv.Kind.Name))
	f.P("\t\terr := dst.ConvertToStorage(&shown)")
	f.P("\t\treturn shown.Spec, shown.Status, err")
	f.P("\t})")
	f.P("}")
}

// both returns the calls that convert spec and status, with the given functions if there are any.
func (f *function) both(lift string, functions ...string) (calls []string) {
	for i, part := range []string{"Spec", "Status"} {
		call := f.Genruntime(lift) + "(&dst." + part + ", src." + part
		if functions != nil {
			call += ", " + functions[i]
		}
		calls = append(calls, call+")")
	}
	return calls
}

// then ends a function with calls and the code that runs after them, even if they fail.
func (f *function) then(calls []string, follows func()) {
	f.first("\terr := ", calls)
	follows()
	f.P("\treturn err")
	f.P("}")
}

// decideOriginalVersion writes the decision on the original version, if the target is the hub.
func (f *function) decideOriginalVersion(near *plan.KindVersion) {
	if near.IsHub() {
		f.P("\t", f.Genruntime("DecideOriginal"), "(src, dst.Spec, ", f.Storage(near.Package, near.Kind.Name+"Expressions"), ")")
	}
}

// dropAnnotation writes the code that removes the annotation with hidden values from the target: it
// was copied from the source.
func (f *function) dropAnnotation(kv *plan.KindVersion) {
	if !kv.Subresource {
		f.P("\t", f.Genruntime("DropBagAnnotation"), "(&dst.ObjectMeta)")
	}
}

// bag writes the methods by which the runtime accesses hidden values.
func (f *function) bag(kv *plan.KindVersion) {
	kind := kv.Kind.Name
	f.P()
	f.P("// StatusBag is the JSON of what this version cannot represent. Only the runtime sets it.")
	if !kv.Subresource {
		f.Funcs(
			[2]string{"func (r *" + kind + ") StatusBag() *string", "return " + f.Genruntime("GetBagAnnotation") + "(&r.ObjectMeta)"},
			[2]string{"func (r *" + kind + ") SetStatusBag(bag *string)", f.Genruntime("SetBagAnnotation") + "(&r.ObjectMeta, bag)"},
		)
		return
	}
	f.Funcs(
		[2]string{"func (r *" + kind + ") StatusBag() *string", "return " + f.Genruntime("GetBag") + "(r.Status)"},
		[2]string{"func (r *" + kind + ") SetStatusBag(bag *string)", f.Genruntime("SetBag") + "(&r.Status, bag)"},
		[2]string{"func (s *" + kind + "Status) Bag() **string", "return &s.PropertyBag"},
	)
}

// meta writes the code that copies the object's metadata and sets its type.
func (f *function) meta(apiVersion, kind string) {
	if line := "\tdst.APIVersion, dst.Kind, dst.ObjectMeta = " + apiVersion + ", " + quoted(kind) + ", src.ObjectMeta"; gofile.Fits(line) {
		f.P(line)
		return
	}
	if line := "\tdst.APIVersion, dst.Kind = " + apiVersion + ", " + quoted(kind); gofile.Fits(line) {
		f.P(line)
	} else {
		f.P("\tdst.APIVersion = ", apiVersion)
		f.P("\tdst.Kind = ", quoted(kind))
	}
	f.P("\tdst.ObjectMeta = src.ObjectMeta")
}

// storageRoot writes the conversions of a resource's storage type to the hub.
func (f *function) storageRoot(kv *plan.KindVersion) {
	hub := kv.Kind.Hub()
	f.plan(kv)
	if kv.IsHub() {
		f.P()
		f.P("// Hub marks the type that the cluster persists.")
		f.P("func (*", kv.Kind.Name, ") Hub() {}")
		f.P()
		f.P("// Unexpressed lists the paths of the spec that the original version cannot represent.")
		f.P("func (r *", kv.Kind.Name, ") Unexpressed() []string {")
		f.P("\treturn ", f.Genruntime("Unexpressed"), "(r.Spec, ", kv.Kind.Name, "Expressions)")
		f.P("}")
		f.hubPivots(kv)
		return
	}
	f.rootSteps(kv, hub, "to the hub")
	if kv.Hub {
		f.atOnce(up, kv.Kind.Name, hub, kv.Function(up, hub)+"(src, dst)")
		f.atOnce(down, kv.Kind.Name, hub, kv.Function(down, hub)+"(src, dst)")
		f.formerPivots(kv.Spec)
		f.formerPivots(kv.Status)
	}
}

// derives writes the registration of the conversions that show which values of the hub's spec the
// version represents. The API package registers them, because programs import it.
func (f *function) derives(kv *plan.KindVersion) {
	if !kv.Derives {
		return
	}
	t := kv.Spec.Between(kv.Kind.Hub().Spec)
	f.P()
	f.P("func init() {")
	f.P("\t", f.Genruntime("RegisterDerived"), "(", quoted(kv.Version.Label), ", ", f.stepFunc(up, t), ", ", f.stepFunc(down, t), ")")
	f.P("}")
}

// rootSteps writes the functions that convert a resource's storage type to one nearer to the hub,
// and back.
func (f *function) rootSteps(kv, target *plan.KindVersion, doc string) {
	own, near := f.Storage(kv.Package, kv.Kind.Name), f.Storage(target.Package, kv.Kind.Name)
	f.rootStep(kv, target, up, own, near, f.Storage(target.Package, "APIVersion"), "converts "+doc)
	f.rootStep(kv, target, down, near, own, f.Storage(kv.Package, "APIVersion"), "")
}

func (f *function) rootStep(kv, target *plan.KindVersion, d direction, src, dst, apiVersion, doc string) {
	name := kv.Function(d, target)
	f.P()
	if doc != "" {
		f.P("// ", name, " ", doc, ".")
	}
	f.P("func ", name, "(src *", src, ", dst *", dst, ") error {")
	f.meta(apiVersion, kv.Kind.Name)
	calls := f.both("ObjectTo", f.stepFunc(d, kv.Spec.Between(target.Spec)), f.stepFunc(d, kv.Status.Between(target.Status)))
	if d == up && target.IsHub() {
		f.then(calls, func() { f.decideOriginalVersion(target) })
		return
	}
	f.calls = calls
	f.done()
}
