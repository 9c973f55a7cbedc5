package chain

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/version"
)

// stepOver moves the renames of versions that the chain skips to the versions before them, which
// become neighbours of the next version. The latest are moved first, so that a rename moves over
// several skipped versions.
func (l *linker) stepOver(r *Resource) {
	all := &Resource{Model: r.Model, Group: r.Group}
	for _, v := range r.Model.Versions {
		if name, ok := version.Parse(v.Name); ok && unrefined(v) == "" {
			all.Versions = append(all.Versions, &Version{Model: v, name: name})
		}
	}
	line(all.Versions, "")
	for _, v := range slices.Backward(all.Versions) {
		if !v.Leaf && l.opts.pruning(r.Model.Type, v.Model.Name) == Dropped {
			l.moveBack(all, v)
		}
	}
}

// moveBack adds the renames of a version as renames of the versions before it, with the names of
// types and properties there. They are put before all others, because the first of two renames of
// one property counts.
func (l *linker) moveBack(all *Resource, v *Version) {
	var moved []Rename
	for at, n := range l.opts.Renames {
		if n.Folder != all.Group.Folder || n.Version != v.Model.Name || !n.isOf(all.Model) || !n.names(v.Model) {
			continue
		}
		l.used[at] = true
		for _, before := range all.Versions[:v.Index] {
			if all.NextMain(before) == v {
				moved = append(moved, l.before(n, all.Model, before.Model))
			}
		}
	}
	l.opts.Renames = append(moved, l.opts.Renames...)
	l.used = append(slices.Repeat([]bool{true}, len(moved)), l.used...)
}

// names reports whether a version has the property that is renamed.
func (n *Rename) names(v *model.Version) bool {
	d := v.Def(n.Type)
	return n.Property != "" && d != nil && slices.ContainsFunc(d.Object().Properties, func(p *model.Property) bool { return strings.EqualFold(p.Name, n.Property) })
}

// isOf reports whether a rename applies to a resource.
func (n *Rename) isOf(m *model.Resource) bool { return n.resource == "" || n.resource == m.Type }

// before returns a version's rename as a rename of the version before it.
func (l *linker) before(n Rename, of *model.Resource, v *model.Version) Rename {
	out := n
	out.Version, out.resource = v.Name, of.Type
	stated := func(x Rename) bool { return x.Folder == n.Folder && x.Version == v.Name && x.isOf(of) }
	for _, x := range l.opts.Renames {
		if stated(x) && x.Property == "" && x.To == n.Type {
			out.Type = x.Type
		}
	}
	for at, x := range l.opts.Renames {
		if stated(x) && x.Property != "" && x.Type == out.Type && strings.EqualFold(x.To, n.Property) {
			out.Property, l.used[at] = x.Property, true
		}
	}
	return out
}
