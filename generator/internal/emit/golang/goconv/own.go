package goconv

import (
	"go/types"
	"slices"

	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// Own writes the conversions of API types that an author wrote, and the methods of their roots,
// into the author's package.
func Own(l gofile.Layout, p *plan.Package) *gofile.File {
	w := &author{function: &function{Go: l.Types(p)}, own: p.Own, label: p.Label, pairs: map[pair]string{}}
	w.Constraint = augmentation.Tag
	w.Note = "Source: " + p.Group.Chain.Name + " " + p.Label
	if !p.IsOwn() {
		return w.File
	}
	roots := slices.DeleteFunc(slices.Clone(p.Kinds), func(kv *plan.KindVersion) bool { return kv.Root() == nil })
	for _, kv := range roots {
		w.find(kv.Root().Spec, kv.Spec)
		w.find(kv.Root().Status, kv.Status)
	}
	w.name()
	w.registration(roots)
	for _, kv := range roots {
		w.root(kv)
	}
	for _, at := range w.order {
		w.object(at)
	}
	return w.File
}

// author writes into a package of the author.
type author struct {
	*function
	own   *augmentation.Package
	label string
	// pairs has the names of the functions that convert a pair; empty if methods do.
	pairs map[pair]string
	types map[pair]known
	order []pair
	// aliases maps the names of imports to their paths.
	aliases map[string]string
}

// pair is a Go type and its storage type.
type pair struct {
	typ string // as go/types formats it
	to  *plan.Struct
}

// known is the Go type of a pair.
type known struct {
	typ    types.Type
	fields []augmentation.Field
	plain  bool
}

func (w *author) registration(roots []*plan.KindVersion) {
	group := roots[0].Kind.Group.Chain.Name
	w.P("// A runtime that does not fit this code lacks this constant.")
	w.P("const _ = ", w.Genruntime(gofile.RuntimeConstant))
	w.P()
	w.P("// ", plan.Registration, " registers the resources of this package, and how they convert.")
	w.P("func ", plan.Registration, "(s *", w.Machinery("Scheme"), ") error {")
	w.P("\tversion := ", w.Schema("GroupVersion"), "{Group: ", quoted(group), ", Version: ", quoted(w.label), "}")
	var plans []string
	for _, kv := range roots {
		list := ""
		if name := kv.Root().List; name != "" {
			list = ", &" + name + "{}"
		}
		w.P("\ts.AddKnownTypes(version, &", kv.Root().Object.Name(), "{}", list, ")")
		if kv.JSONPlan != nil {
			plans = append(plans, w.Storage(kv.Package, kv.PlanName)+".For(&"+kv.Root().Object.Name()+"{})")
		}
	}
	w.P("\t", w.Meta("AddToGroupVersion"), "(s, version)")
	if plans == nil {
		w.P("\treturn nil")
	} else {
		w.P("\treturn ", w.StrataConvert("RegisterPlans"), "(")
		for _, p := range plans {
			w.P("\t\t", p, ",")
		}
		w.P("\t)")
	}
	w.P("}")
}

// root writes the methods of a root.
func (w *author) root(kv *plan.KindVersion) {
	kind, hub := kv.Root().Object.Name(), kv.Kind.Hub()
	if kv == hub {
		w.atOnce(up, kind, hub, "src.ConvertToStorage(dst)")
		w.atOnce(down, kind, hub, "dst.ConvertFromStorage(src)")
	} else {
		w.throughStorage(kind, kv)
	}
	w.rootToStorage(kv)
	w.rootFromStorage(kv)
	w.rootBag(kv)
	w.accessors(kv)
}

// part is a member of a root with its storage type.
type part struct {
	name string // among the storage types
	*augmentation.Member
	to *plan.Struct
}

func partsOf(kv *plan.KindVersion) []part {
	parts := []part{{"Spec", kv.Root().Spec, kv.Spec}}
	if kv.Root().Status != nil {
		parts = append(parts, part{"Status", kv.Root().Status, kv.Status})
	}
	return parts
}

func (w *author) rootToStorage(kv *plan.KindVersion) {
	kind := kv.Root().Object.Name()
	w.P()
	w.P("// ConvertToStorage converts to the storage type, and restores what src stores for other versions.")
	w.P("func (src *", kind, ") ConvertToStorage(dst *", w.Storage(kv.Package, kind), ") error {")
	w.meta(w.Storage(kv.Package, "APIVersion"), kind)
	var calls []string
	for _, p := range partsOf(kv) {
		src := "src." + p.Name
		if !p.Pointer {
			src = w.unzero(p.OmitsZero, "&"+src)
		}
		calls = append(calls, w.Genruntime("ObjectTo")+"(&dst."+p.name+", "+src+", "+w.converter(p.Type, p.to, up)+")")
	}
	w.then(calls, func() {
		w.P("\t", w.Genruntime("Restore"), "(src, &dst.Spec, &dst.Status)")
		w.P("\t", w.Genruntime("Reveal"), "(src, dst.Spec, dst.Status)")
		w.dropAnnotation(kv)
		w.decideOriginalVersion(kv)
	})
}

func (w *author) unzero(omits bool, pointer string) string {
	if omits {
		return w.Genruntime("Unzero") + "(" + pointer + ")"
	}
	return pointer
}

func (w *author) rootFromStorage(kv *plan.KindVersion) {
	kind := kv.Root().Object.Name()
	w.P()
	w.P("// ConvertFromStorage converts from the storage type, and stores what this version cannot represent.")
	w.P("func (dst *", kind, ") ConvertFromStorage(src *", w.Storage(kv.Package, kind), ") error {")
	w.P("\t*dst = ", kind, "{}")
	w.meta(quoted(kv.Kind.Group.Chain.Name+"/"+w.label), kind)
	lift := map[bool]string{true: "ObjectFrom", false: "ValueFrom"}
	var calls []string
	for _, p := range partsOf(kv) {
		calls = append(calls, w.Genruntime(lift[p.Pointer])+"(&dst."+p.Name+", src."+p.name+", "+w.converter(p.Type, p.to, down)+")")
	}
	w.first("\terr := ", calls)
	w.dropAnnotation(kv)
	w.hideWith("HideOwn", kv)
}

// rootBag writes the methods by which the runtime accesses hidden values and the version of a
// root.
func (w *author) rootBag(kv *plan.KindVersion) {
	kind, status := kv.Root().Object.Name(), kv.Root().Status
	get, set := "return "+w.Genruntime("GetBagAnnotation")+"(&r.ObjectMeta)", w.Genruntime("SetBagAnnotation")+"(&r.ObjectMeta, bag)"
	switch {
	case !kv.Subresource:
	case status.Pointer:
		get, set = "return "+w.Genruntime("GetBag")+"(r."+status.Name+")", w.Genruntime("SetBag")+"(&r."+status.Name+", bag)"
	default:
		get, set = "return *r."+status.Name+".Bag()", "*r."+status.Name+".Bag() = bag"
	}
	w.P()
	w.P("// StatusBag is the JSON of what this version cannot represent.")
	w.Func("func (r *"+kind+") StatusBag() *string", get)
	w.P()
	w.P("// SetStatusBag stores the JSON of what this version cannot represent.")
	w.Func("func (r *"+kind+") SetStatusBag(bag *string)", set)
	w.P()
	w.P("// OriginalGVK names the version of this type.")
	w.P("func (r *", kind, ") OriginalGVK() *", w.Schema("GroupVersionKind"), " {")
	w.P("\treturn &", w.Schema("GroupVersionKind"), "{Group: ", quoted(kv.Kind.Group.Chain.Name), ", Version: ", quoted(w.label), ", Kind: ", quoted(kind), "}")
	w.P("}")
	if path := kv.ReplicasPath(); path != "" {
		w.P()
		w.P("// SpecReplicasPath is the path that the scale subresource writes.")
		w.Func("func (r *"+kind+") SpecReplicasPath() string", "return "+quoted(path))
	}
}
