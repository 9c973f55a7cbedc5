package gotypes

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// APIPackage writes the file that an API package has once: its group version and the registration
// of its resources.
func APIPackage(l gofile.Layout, p *plan.Package) *gofile.File {
	w := &writer{Go: l.Types(p), side: gofile.APISide}
	w.Doc = "Package " + p.Label + " has the API types of version " + p.Label + " of " + p.Group.Chain.Name + "." + versionDoc(p)
	w.Marker = "+kubebuilder:validation:Optional"
	w.groupVersion(p.Group.Chain.Name, p.Label, p)
	return w.File
}

// versionDoc returns the source's documentation of the version itself.
func versionDoc(p *plan.Package) string {
	if doc := p.Doc(); doc != "" {
		return " " + doc
	}
	return ""
}

// StoragePackage writes the file that a storage package has once.
func StoragePackage(l gofile.Layout, p *plan.Package) *gofile.File {
	w := &writer{Go: l.StorageTypes(p), side: gofile.StorageSide}
	w.Doc = "Package storage has the storage types of version " + p.Label + " of " + p.Group.Chain.Name + ", and their conversions to the hub."
	w.groupVersion(p.Group.Chain.Name, p.StorageVersion(), p)
	return w.File
}

func (w *writer) groupVersion(group, version string, p *plan.Package) {
	w.P("// A runtime that does not fit this code lacks this constant.")
	w.P("const _ = ", w.Genruntime(gofile.RuntimeConstant))
	w.P()
	if w.storage() && !HasHub(p) {
		w.P("// APIVersion is the group and version of the resources in this package.")
		w.P("const APIVersion = ", quoted(group+"/"+version))
		return
	}
	w.P("// APIVersion and GroupVersion are the group and version of the resources in this package.")
	w.P("const APIVersion = ", quoted(group+"/"+version))
	w.P()
	w.P("var GroupVersion = ", w.Schema("GroupVersion"), "{Group: ", quoted(group), ", Version: ", quoted(version), "}")
	w.P()
	w.P("// AddToScheme registers the resources of this package.")
	w.P("func AddToScheme(s *", w.Machinery("Scheme"), ") error {")
	for _, kv := range p.Kinds {
		if w.storage() && !kv.Hub {
			continue
		}
		w.P("\ts.AddKnownTypes(GroupVersion, &", kv.Kind.Name, "{}, &", kv.Kind.ListName(), "{})")
	}
	w.P("\t", w.Meta("AddToGroupVersion"), "(s, GroupVersion)")
	w.plans(p)
	w.P("}")
}

// plans writes the end of a package's registration: that of its JSON plans.
func (w *writer) plans(p *plan.Package) {
	var lines []string
	for _, kv := range p.Kinds {
		if kv.JSONPlan != nil && !w.storage() {
			lines = append(lines, w.Storage(p, kv.PlanName)+".For(&"+kv.Kind.Name+"{}),")
		}
	}
	w.stored(p)
	if lines == nil {
		w.P("\treturn nil")
		return
	}
	w.P("\treturn ", w.Convert("RegisterPlans"), "(")
	for _, line := range lines {
		w.P("\t\t", line)
	}
	w.P("\t)")
}

// stored writes the registration of the versions in which another program has stored objects of
// the package.
func (w *writer) stored(p *plan.Package) {
	var lines []string
	for _, kv := range p.Kinds {
		if kv.IsStoredByOther() && !w.storage() {
			lines = append(lines, "{API: &"+kv.Kind.Name+"{}, Version: "+quoted(kv.OtherStorage())+"},")
		}
	}
	if lines == nil {
		return
	}
	w.P("\terr := ", w.Convert("RegisterForeign"), "([]", w.Convert("Foreign"), "{")
	for _, line := range lines {
		w.P("\t\t", line)
	}
	w.P("\t}...)")
	w.P("\tif err != nil {")
	w.P("\t\treturn err")
	w.P("\t}")
}

// HasHub reports whether a package has storage types that are, or have been, a hub.
func HasHub(p *plan.Package) bool {
	return slices.ContainsFunc(p.Kinds, func(kv *plan.KindVersion) bool { return kv.Hub })
}
