package crd

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

// gather combines the results of the files, which are sorted by release and path. CRDs of one
// resource may add versions in several files. If two files of a release define one version
// differently, it has several declarations, which a later stage unites. Of several releases, the
// newest that has a version defines it.
func gather(releases []Release, files []*file) *source.Result {
	out := &source.Result{}
	all, next := newSeries(), 0
	for i := range releases {
		r := newRelease()
		for ; next < len(files) && files[next].release == &releases[i]; next++ {
			r.add(files[next])
		}
		all.add(releases[i].Name, r)
	}
	for _, f := range files {
		out.Notes = append(out.Notes, f.notes...)
		if f.read.Path != "" {
			out.Files = append(out.Files, f.read)
		}
	}
	all.lift()
	out.Resources, out.Definitions, out.Broken = all.resources(), all.definitions, all.broken
	if len(releases) > 1 {
		out.Releases = all.releases
	}
	slices.SortStableFunc(out.Broken, func(a, b source.Broken) int {
		return cmp.Or(cmp.Compare(a.Source.File, b.Source.File), cmp.Compare(a.Messages[0].Pos.Offset, b.Messages[0].Pos.Offset))
	})
	return out
}

// declared is a resource as defined by the files so far.
type declared struct {
	resource *model.Resource
	first    map[string]*model.Version // by name
	texts    map[string]bool           // of versions that are defined several times
}

// add adds the versions of another CRD of the resource. It skips a version that is defined again
// identically.
func (d *declared) add(more *definition) {
	r := d.resource
	for _, v := range more.resource.Versions {
		first := d.first[v.Name]
		if first == nil {
			d.first[v.Name] = v
			r.Versions = append(r.Versions, v)
			continue
		}
		d.texts[textOf(first)] = true
		text := textOf(v)
		if d.texts[text] {
			continue
		}
		d.texts[text] = true
		r.Versions = append(r.Versions, v)
		text = fmt.Sprintf("%s %s is defined in another way in %s: it has the properties of both", r.Type, v.Name, first.Sources[0].File)
		if !v.Facts.Equal(first.Facts) {
			text += ", and members of the version itself, such as served, are those of that file"
		}
		more.file.notes = append(more.file.notes, diag.Notef(more.file.positions[v], "%s", text).WithHint("exclude one of the two files, or list their folders under releases, the oldest first, so that the newest definition counts"))
	}
	if r.Kind != more.resource.Kind || headOf(r) != headOf(more.resource) {
		more.file.notes = append(more.file.notes, diag.Notef(more.at, "the names, scope, labels and annotations of %s are those of another file; those here differ", r.Type))
	}
}

// headOf returns what a CRD defines for all versions, but for the one that it stores, as text.
func headOf(r *model.Resource) string {
	head := r.Head()
	head.Facts = head.Facts.Without(model.StorageVersion, model.StoredVersions)
	return string(model.Print(head))
}

// textOf returns everything that a CRD defines for a version, as text.
func textOf(v *model.Version) string {
	whole := model.Version{Name: v.Name, Facts: v.Facts, AtRoot: v.AtRoot, Spec: v.Spec, Status: v.Status, Defs: model.Closure(v.Spec, v.Status)}
	return string(model.AppendVersion(nil, &whole, 0, nil))
}

// lift moves the members of a resource's objects to their root, in all versions, if any version has
// a member there beside spec and status.
func lift(versions []*model.Version) {
	if !slices.ContainsFunc(versions, func(v *model.Version) bool { return v.AtRoot }) {
		for _, v := range versions {
			if v.Spec == nil {
				v.Spec = &model.Object{}
			}
		}
		return
	}
	for _, v := range versions {
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

// docOf and typeOf return the description and the type of the definition that a spec or status
// refers to.
func docOf(t model.Type) string { return t.(*model.Ref).Def.Doc }

func typeOf(t model.Type) model.Type { return t.(*model.Ref).Def.Type }
