package crd

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

// release is what the files of one release define.
type release struct {
	order       []string             // keys, in the order of files
	declared    map[string]*declared // by type in lower case
	definitions map[string][]source.Definition
	broken      []source.Broken
}

func newRelease() *release {
	return &release{declared: map[string]*declared{}, definitions: map[string][]source.Definition{}}
}

// add adds what a file defines.
func (r *release) add(f *file) {
	for _, d := range f.found {
		key := strings.ToLower(d.resource.Type)
		if r.declared[key] == nil {
			r.declared[key] = &declared{resource: d.resource.Head(), first: map[string]*model.Version{}, texts: map[string]bool{}}
			r.order = append(r.order, key)
		}
		r.declared[key].add(d)
		r.definitions[key] = append(r.definitions[key], source.Definition{Type: d.resource.Type, File: f.path, JSON: d.text})
	}
	r.broken = append(r.broken, f.broken...)
}

// series is what several releases define, the oldest first.
type series struct {
	order       []string
	newest      map[string]*model.Resource // by type in lower case
	versions    map[string][]*model.Version
	definitions []source.Definition
	broken      []source.Broken
	releases    []source.Release
}

func newSeries() *series {
	return &series{newest: map[string]*model.Resource{}, versions: map[string][]*model.Version{}}
}

// add adds the next release. Its definitions replace those of earlier releases.
func (s *series) add(name string, r *release) {
	out := source.Release{Name: name}
	s.broken = slices.DeleteFunc(s.broken, func(b source.Broken) bool { return r.defines(b.Type, b.Version) })
	for _, b := range r.broken {
		s.drop(b)
	}
	s.broken = append(s.broken, r.broken...)
	s.definitions = slices.DeleteFunc(s.definitions, func(d source.Definition) bool { return r.declared[strings.ToLower(d.Type)] != nil })
	for _, key := range r.order {
		d := r.declared[key].resource
		out.Resources = append(out.Resources, d)
		s.definitions = append(s.definitions, r.definitions[key]...)
		s.versions[key] = append(s.versions[key], d.Versions...)
		known := s.newest[key]
		if known == nil {
			s.order = append(s.order, key)
		}
		s.newest[key] = d.Head()
		if known != nil {
			s.newest[key].Versions = slices.DeleteFunc(known.Versions, func(v *model.Version) bool { return d.Version(v.Name) != nil })
		}
		s.newest[key].Versions = append(s.newest[key].Versions, d.Versions...)
	}
	s.releases = append(s.releases, out)
}

// defines reports whether the release has a version, understood or not.
func (r *release) defines(typ, version string) bool {
	if typ == "" || version == "" {
		return false
	}
	d := r.declared[strings.ToLower(typ)]
	return d != nil && d.resource.Version(version) != nil ||
		slices.ContainsFunc(r.broken, func(b source.Broken) bool { return strings.EqualFold(b.Type, typ) && b.Version == version })
}

// drop drops the earlier definitions of a version that the next release defines, but that cannot be
// understood there.
func (s *series) drop(b source.Broken) {
	if r := s.newest[strings.ToLower(b.Type)]; r != nil {
		r.Versions = slices.DeleteFunc(r.Versions, func(v *model.Version) bool { return v.Name == b.Version })
	}
}

// lift completes the versions of all releases, in which objects have their members at the same
// places.
func (s *series) lift() {
	for _, versions := range s.versions {
		lift(versions)
		for _, v := range versions {
			v.Defs = model.Closure(v.Spec, v.Status)
		}
	}
}

// resources returns the resources with the newest definition of each version.
func (s *series) resources() []*model.Resource {
	var out []*model.Resource
	for _, key := range s.order {
		if r := s.newest[key]; len(r.Versions) > 0 {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, model.ByType)
	return out
}
