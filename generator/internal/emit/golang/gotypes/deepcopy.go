package gotypes

import (
	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// APIDeepCopy writes the deep copies of an API package.
func APIDeepCopy(l gofile.Layout, p *plan.Package) *gofile.File {
	w := &writer{Go: l.Types(p), side: gofile.APISide}
	w.deepCopies(p)
	return w.File
}

// StorageDeepCopy writes the deep copies of a storage package.
func StorageDeepCopy(l gofile.Layout, p *plan.Package) *gofile.File {
	w := &writer{Go: l.StorageTypes(p), side: gofile.StorageSide}
	w.deepCopies(p)
	return w.File
}

func (w *writer) deepCopies(p *plan.Package) {
	for _, kv := range p.Kinds {
		if !w.storage() || kv.Hub {
			w.rootCopy(kv.Kind.Name)
			w.listCopy(kv.Kind.ListName())
		}
	}
	for _, s := range p.Structs {
		if !w.storage() && !s.Map || w.storage() && s.Stored && !s.Shared() {
			w.structCopy(s)
		}
	}
}

func (w *writer) rootCopy(kind string) {
	w.P()
	w.P("func (in *", kind, ") DeepCopyInto(out *", kind, ") {")
	w.P("\tin.ObjectMeta.DeepCopyInto(&out.ObjectMeta)")
	object := w.Genruntime("CopyObject")
	w.P("\tout.TypeMeta, out.Spec, out.Status = in.TypeMeta, ", object, "(in.Spec), ", object, "(in.Status)")
	w.P("}")
	w.objectCopy(kind)
}

func (w *writer) listCopy(list string) {
	w.P()
	w.P("func (in *", list, ") DeepCopyInto(out *", list, ") {")
	w.P("\tin.ListMeta.DeepCopyInto(&out.ListMeta)")
	w.P("\tout.TypeMeta, out.Items = in.TypeMeta, append(in.Items[:0:0], in.Items...)")
	w.P("\tfor i := range in.Items {")
	w.P("\t\tin.Items[i].DeepCopyInto(&out.Items[i])")
	w.P("\t}")
	w.P("}")
	w.objectCopy(list)
}

func (w *writer) objectCopy(name string) {
	w.Funcs(
		[2]string{"func (in *" + name + ") DeepCopy() *" + name, "return " + w.Genruntime("CopyRoot") + "(in, new(" + name + "))"},
		[2]string{"func (in *" + name + ") DeepCopyObject() " + w.Machinery("Object"), "return " + w.Genruntime("ObjectOf") + "(in.DeepCopy())"},
	)
}

func (w *writer) copyMethod(name string) [2]string {
	return [2]string{"func (in *" + name + ") DeepCopy() *" + name, "return " + w.Genruntime("CopyObject") + "(in)"}
}

func (w *writer) structCopy(s *plan.Struct) {
	w.P()
	w.P("func (in *", s.Name, ") DeepCopyInto(out *", s.Name, ") {")
	var copies [][2]string
	for _, f := range s.Fields {
		t := f.API
		if w.storage() {
			t = f.Type
		}
		copies = append(copies, [2]string{"out." + f.Name, w.copyOf(t, "in."+f.Name, true)})
	}
	for _, m := range w.added(s) {
		copies = append(copies, [2]string{"out." + m.Name, w.shapeCopy(m)})
	}
	if w.storage() {
		copies = append(copies, [2]string{"out.PropertyBag", "in.PropertyBag.DeepCopy()"})
	}
	w.Assign(copies)
	w.P("}")
	w.Funcs(w.copyMethod(s.Name))
}

// shapeCopy returns an expression that copies a member that Strata adds.
func (w *writer) shapeCopy(m model.Member) string {
	in := "in." + m.Name
	switch m.Shape {
	case model.LabelShape:
		return in
	case model.OwnerShape, model.OutputsShape:
		return w.Genruntime("CopyObject") + "(" + in + ")"
	case model.SecretRefsShape, model.ConfigMapRefsShape, model.ConditionsShape:
		return w.Genruntime("CopyList") + "(" + in + ")"
	}
	return w.Genruntime("Clone") + "(" + in + ")"
}

// copyOf returns an expression that copies a value. A field's scalars and objects are pointers;
// elements of lists and maps are not.
func (w *writer) copyOf(t plan.Type, in string, field bool) string {
	switch t.Wrap {
	case "":
		return w.copyElem(t, in, field)
	case "l":
		return w.copyMany(t, in, "List")
	case "m":
		return w.copyMany(t, in, "Map")
	}
	inner := gofile.Within(t)
	typ := w.Wrapped(inner, w.side)
	copied := gofile.Literal("func(v "+typ+") "+typ, "return "+w.copyOf(inner, "v", false))
	return w.Genruntime("Clone"+many(t)+"Func") + "(" + in + ", " + copied + ")"
}

func many(t plan.Type) string {
	if t.Wrap[0] == 'l' {
		return "List"
	}
	return "Map"
}

func (w *writer) copyElem(t plan.Type, in string, field bool) string {
	switch {
	case t.Any:
		return in + ".DeepCopy()"
	case field && t.Struct != nil:
		return w.Genruntime("CopyObject") + "(" + in + ")"
	case field:
		return w.Genruntime("Clone") + "(" + in + ")"
	}
	return in
}

func (w *writer) copyMany(t plan.Type, in, many string) string {
	switch {
	case t.Any:
		return w.Genruntime("Clone"+many+"Func") + "(" + in + ", " + w.Runtime("JSON") + ".DeepCopy)"
	case t.Struct != nil:
		return w.Genruntime("Copy"+many) + "(" + in + ")"
	}
	return w.Genruntime("Clone"+many) + "(" + in + ")"
}
