package crd

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

// gather makes one result of the files, which are in the order of their paths.
// Definitions of one resource may give it versions in several files, but not the same
// one twice in two ways.
func gather(files []*file) *source.Result {
	out := &source.Result{}
	byType := map[string]*declared{}
	for _, f := range files {
		for _, d := range f.found {
			key := strings.ToLower(d.resource.Type)
			if byType[key] == nil {
				byType[key] = &declared{resource: d.resource.Head(), texts: map[string]string{}}
				out.Resources = append(out.Resources, byType[key].resource)
			}
			out.Broken = append(out.Broken, byType[key].add(d)...)
			out.Definitions = append(out.Definitions, source.Definition{Type: d.resource.Type, File: f.path, JSON: d.text})
		}
		out.Broken = append(out.Broken, f.broken...)
		out.Notes = append(out.Notes, f.notes...)
		if f.read.Path != "" {
			out.Files = append(out.Files, f.read)
		}
	}
	out.Resources = slices.DeleteFunc(out.Resources, func(r *model.Resource) bool { return len(r.Versions) == 0 })
	for _, r := range out.Resources {
		lift(r)
		for _, v := range r.Versions {
			v.Defs = model.Closure(v.Spec, v.Status)
		}
	}
	slices.SortFunc(out.Resources, model.ByType)
	slices.SortStableFunc(out.Broken, func(a, b source.Broken) int {
		return cmp.Or(cmp.Compare(a.Source.File, b.Source.File), cmp.Compare(a.Messages[0].Pos.Offset, b.Messages[0].Pos.Offset))
	})
	return out
}

// declared is a resource as the files so far have it.
type declared struct {
	resource *model.Resource
	texts    map[string]string // of versions, by name
}

// add adds what another file says of the resource. A version that is said again in
// the same way is passed over.
func (d *declared) add(more *definition) []source.Broken {
	var broken []source.Broken
	r := d.resource
	for _, v := range more.resource.Versions {
		text := textOf(v)
		switch before, known := d.texts[v.Name]; {
		case !known:
			d.texts[v.Name] = text
			r.Versions = append(r.Versions, v)
		case before != text:
			broken = append(broken, source.Broken{Type: r.Type, Version: v.Name, Source: v.Sources[0], Messages: []diag.Message{
				diag.Errorf(more.file.positions[v], "%s %s is defined in another way in %s", r.Type, v.Name, r.Version(v.Name).Sources[0].File).
					WithHint("exclude one of the two files"),
			}})
		}
	}
	if r.Kind != more.resource.Kind || string(model.Print(r.Head())) != string(model.Print(more.resource.Head())) {
		more.file.notes = append(more.file.notes, diag.Notef(more.at, "what another file says of %s as a whole counts: its names, scope, labels or annotations differ from those here", r.Type))
	}
	return broken
}

// textOf is all that a definition says of a version.
func textOf(v *model.Version) string {
	whole := model.Version{Name: v.Name, Facts: v.Facts, AtRoot: v.AtRoot, Spec: v.Spec, Status: v.Status, Defs: model.Closure(v.Spec, v.Status)}
	return string(model.AppendVersion(nil, &whole, 0, nil))
}

// lift puts the members of a resource's objects at their root, in all its versions, if
// any has a member there beside spec and status.
func lift(r *model.Resource) {
	if !slices.ContainsFunc(r.Versions, func(v *model.Version) bool { return v.AtRoot }) {
		for _, v := range r.Versions {
			if v.Spec == nil {
				v.Spec = &model.Object{}
			}
		}
		return
	}
	for _, v := range r.Versions {
		if !v.AtRoot {
			v.AtRoot = true
			o := &model.Object{}
			if v.Spec != nil {
				o.Properties = []*model.Property{{Name: "spec", Doc: docOf(v.Spec), Type: typeOf(v.Spec), Pos: v.Pos}}
			}
			v.Spec = o
		}
	}
}

// docOf and typeOf take a part's definition apart.
func docOf(t model.Type) string { return t.(*model.Ref).Def.Doc }

func typeOf(t model.Type) model.Type { return t.(*model.Ref).Def.Type }
