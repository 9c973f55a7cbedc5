package chain

import (
	"slices"

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
			if all.NextMain(before) != v {
				continue
			}
			if earlier, has := l.before(n, all.Model, v.Model, before.Model); has {
				moved = append(moved, earlier)
			}
		}
	}
	l.opts.Renames = append(moved, l.opts.Renames...)
	l.used = append(slices.Repeat([]bool{true}, len(moved)), l.used...)
}

// names reports whether a version has the property that is renamed.
func (n *Rename) names(v *model.Version) bool {
	return n.Property != "" && propertyOf(v.Def(n.Type), n.Property) != nil
}

// isOf reports whether a rename applies to a resource.
func (n *Rename) isOf(m *model.Resource) bool { return n.resource == "" || n.resource == m.Type }

// before returns a version's rename as a rename of the version before it, and whether that has the
// property.
func (l *linker) before(n Rename, of *model.Resource, from, v *model.Version) (earlier Rename, has bool) {
	out := n
	out.Version, out.resource = v.Name, of.Type
	stated := func(x Rename) bool { return x.Folder == n.Folder && x.Version == v.Name && x.isOf(of) }
	for _, x := range l.opts.Renames {
		if stated(x) && x.Property == "" && x.To == n.Type {
			out.Type = x.Type
		}
	}
	object, other := from.Def(n.Type), v.Def(out.Type)
	property := propertyOf(object, n.Property)
	isRenamed := false
	for at, x := range l.opts.Renames {
		if stated(x) && x.Property != "" && x.Type == out.Type && propertyOf(object, x.To) == property {
			out.Property, l.used[at], isRenamed = x.Property, true, true
		}
	}
	if isRenamed || other == nil || other.Object() == nil {
		return out, isRenamed
	}
	p := model.Counterpart(property, object.Object().Properties, other.Object().Properties)
	if p == nil {
		return out, false
	}
	out.Property = p.Name
	return out, true
}
