package golang

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

// Read reads all packages. The result has all their errors. Read fails only if the go command
// cannot be run, or the context ends.
func Read(ctx context.Context, o Options) (*source.Result, error) {
	r, err := o.load(ctx)
	if err != nil {
		return nil, err
	}
	out := &source.Result{}
	units, err := r.units(ctx)
	if err != nil {
		return nil, err
	}
	for _, u := range units {
		out.Exports = append(out.Exports, r.exports(u, u.merged)...)
		if r.reported.Count(diag.Error) == 0 {
			r.gather(out, u)
			if r.keepsTypes(u) {
				out.Own = append(out.Own, r.ownPackage(u))
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if r.reported.Count(diag.Error) > 0 {
		return &source.Result{Broken: []source.Broken{{Source: model.Source{Kind: "go"}, Messages: r.reported.Messages()}}}, nil
	}
	if len(out.Resources) == 0 {
		return nil, diag.Errorf(diag.Pos{}, "no package of %q declares a resource", o.Packages).
			WithHint("mark a struct that has metav1.TypeMeta and metav1.ObjectMeta with // +kubebuilder:object:root=true")
	}
	slices.SortStableFunc(out.Resources, func(a, b *model.Resource) int { return cmp.Compare(a.Type, b.Type) })
	out.Notes = r.reported.Messages()
	out.Files, err = r.files()
	return out, err
}

// units reads and checks the packages, but for those that are merged with versions of others.
func (r *reader) units(ctx context.Context) ([]*unit, error) {
	var out []*unit
	merged := map[string]bool{} // by import path; a folder comes after its parent
	for _, p := range r.roots {
		if merged[p.PkgPath] {
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		u := r.unit(p)
		var err error
		if u.merged, err = r.merged(u); err != nil {
			return nil, err
		}
		for _, m := range u.merged {
			merged[m.PkgPath] = true
		}
		out = append(out, u)
	}
	// Packages without versions have items that others use.
	for _, declares := range []bool{true, false} {
		for _, u := range out {
			if u.declares() == declares {
				r.check(u)
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
	}
	for _, u := range out {
		r.checkDeclared(u)
	}
	return out, nil
}

// gather adds the resources of a package in all versions, and the renames between these. They are
// incomplete if the context ends.
func (r *reader) gather(out *source.Result, u *unit) {
	for _, declared := range u.resources {
		m := u.head(declared)
		shapers := r.shapers(u, declared, m)
		if r.ctx.Err() != nil {
			return
		}
		out.Resources = append(out.Resources, m)
		for _, s := range shapers {
			for _, n := range s.renames {
				out.Renames = append(out.Renames, source.Rename{
					Resource: m.Type, Version: u.versions[s.version].name, Type: declared.nameOf(s, n.def), Property: n.property, To: n.to, Leaf: n.leaf, Pos: s.pos(n.pos),
				})
			}
		}
		for i, s := range shapers {
			for _, c := range s.changed {
				if c.from.movedFrom != "" && !s.move(&c, shapers[i+1:]) {
					continue
				}
				out.Changes = append(out.Changes, source.Change{
					Resource: m.Type, Version: u.versions[s.version].name, Type: declared.nameOf(s, c.def), Property: c.property,
					Operation: c.of, In: c.in, Pos: s.pos(c.from.markerUse.pos),
				})
			}
			s.checkWidened()
		}
		for i, s := range shapers {
			for _, x := range s.derived {
				f := x.function
				f.Resource, f.Version = m.Type, u.versions[s.version].name
				f.Type, f.Property = declared.nameOf(s, x.def), x.property
				f.Pos = x.pos(s)
				f.Later = x.later(m, declared, shapers[i+1:])
				out.Functions = append(out.Functions, f)
			}
		}
	}
	r.checkMet(u)
}

// shapers returns the shapers of all versions that have a resource, and adds these versions to its
// model. An earlier version has fields that move later, so that the latest version is the first.
func (r *reader) shapers(u *unit, declared *resource, m *model.Resource) []*shaper {
	var out []*shaper
	var later *shaper
	for i, v := range slices.Backward(u.versions) {
		if declared.life.present(i) && r.ctx.Err() == nil {
			s := r.shaper(u, i, declared)
			m.Versions = append(m.Versions, s.resource(declared, v, later))
			out, later = append(out, s), s
		}
	}
	slices.Reverse(m.Versions)
	slices.Reverse(out)
	return out
}

// pos returns the position of the change that has the functions; for constants, that of the field.
func (x *derived) pos(s *shaper) model.Pos {
	if x.history == nil {
		return x.def.Pos
	}
	return s.pos(x.history.first().pos)
}

// later returns where the property is in later versions.
func (x *derived) later(m *model.Resource, declared *resource, shapers []*shaper) []source.Spot {
	var out []source.Spot
	for _, s := range shapers {
		v := m.Version(s.unit.versions[s.version].name)
		d := s.named(v, x.def.Name)
		if x.history != nil && x.history.moves() {
			d = s.objectOf(x.history)
		}
		switch {
		case d == nil:
		case x.history == nil:
			out = append(out, source.Spot{Version: v.Name, Type: declared.nameOf(s, d), Property: x.name})
		case x.history.present(s.version):
			out = append(out, source.Spot{Version: v.Name, Type: declared.nameOf(s, d), Property: x.history.wireAt(s.version)})
		}
	}
	return out
}

// named returns a definition of the shaper's version by its name; nil for none.
func (s *shaper) named(v *model.Version, name string) *model.Def {
	if s.byName == nil {
		s.byName = map[string]*model.Def{}
		for _, d := range slices.Backward(v.Defs) {
			s.byName[d.Name] = d
		}
	}
	return s.byName[name]
}

// resource returns a resource in the shaper's version. later is the shaper of the next version; nil
// for the last one.
func (s *shaper) resource(declared *resource, v *version, later *shaper) *model.Version {
	out := &model.Version{
		Name: v.name, Pos: s.pos(declared.pos), Facts: s.factsIn(declared, v),
		Sources: []model.Source{{Kind: "go", File: s.below(declared.object.Pos()), Scope: declared.object.Name()}},
	}
	out.Spec = s.typ(declared.spec, nil, declared.kind+"Spec", declared.pos)
	if declared.status != nil {
		out.Status = s.typ(declared.status, nil, declared.kind+"Status", declared.pos)
	}
	s.addMoved(out, later)
	s.sites = sitesOf(out)
	s.fillUndefined(freeStatus(out))
	out.Defs = model.Closure(out.Spec, out.Status)
	return out
}

// nameOf returns the name of a definition after refinement: the roots are named after the kind.
func (declared *resource) nameOf(s *shaper, d *model.Def) string {
	is := func(t model.Type) bool {
		ref, ok := t.(*model.Ref)
		return ok && ref.Def == d
	}
	switch {
	case is(s.typ(declared.spec, nil, "", declared.pos)):
		return declared.kind + "Spec"
	case declared.status != nil && is(s.typ(declared.status, nil, "", declared.pos)):
		return declared.kind + "Status"
	}
	return d.Name
}

// below returns the file of a position, relative to the folder of the source.
func (r *reader) below(pos token.Pos) string {
	file := r.at(pos).File
	if rel, err := filepath.Rel(r.opts.Dir, file); err == nil {
		file = rel
	}
	return filepath.ToSlash(file)
}

// files returns the packages' files that the author wrote.
func (r *reader) files() ([]source.File, error) {
	var out []source.File
	for name, isOwn := range r.own {
		if !isOwn {
			continue
		}
		body, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(body)
		path := strings.TrimPrefix(filepath.ToSlash(r.opts.display(name)), filepath.ToSlash(filepath.Clean(r.opts.Dir))+"/")
		out = append(out, source.File{Path: path, Size: len(body), Digest: hex.EncodeToString(sum[:])})
	}
	slices.SortFunc(out, func(a, b source.File) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}
