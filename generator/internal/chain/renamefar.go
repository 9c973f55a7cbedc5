package chain

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
)

// renamedFar follows metadata that states the version of the new name. It may skip versions that
// have neither name, and lead from a leaf to any later version. The metadata applies when the
// second of the two versions is matched. It follows the metadata that accept accepts.
func (m *matcher) renamedFar(accept func(metadata) bool) {
	for _, f := range m.farRenames() {
		if !accept(f.by) {
			continue
		}
		m.each(func(q *model.Property) *Lineage {
			if !m.place.means(m.version, f.here, q) {
				return nil
			}
			for _, l := range m.place.Lineages {
				if p := l.Live[f.there]; p != nil && m.place.means(f.there, f.name, p) && m.offered(l) && m.agrees(q, led{l, f.by}) {
					return l
				}
			}
			return nil
		})
	}
}

// farRename is a rename seen from the version that is matched: the property's name here, and in
// the other version.
type farRename struct {
	here, name string
	there      int
	by         metadata
}

// farRenames returns the renames of the place's properties between the matched version and
// another version that the metadata states. A rename in a leaf also leads to the next version of
// the main line.
func (m *matcher) farRenames() (out []farRename) {
	r, l := m.place.Resource, m.placer.linker
	for _, at := range l.farRenamesOf(r.Group.Folder, r.Versions[m.version].Model.Name) {
		n := l.opts.Renames[at]
		from, to := r.version(n.Version), r.version(n.In)
		if !n.isOf(r.Model) || n.To == AdditionalName || from == nil || to == nil || to.Index <= from.Index || !slices.Contains(m.place.Names(from.Index), n.Type) {
			continue
		}
		f := farRename{n.To, n.Property, from.Index, metadata{at, n.To, true}}
		if from.Index == m.version {
			f.here, f.name, f.there = n.Property, n.To, to.Index
		}
		out = append(out, f)
	}
	return append(out, m.renamesInLeaves()...)
}

// renamesInLeaves returns the renames from the neighbour to leaves between it and the matched
// version of the main line.
func (m *matcher) renamesInLeaves() (out []farRename) {
	r, l := m.place.Resource, m.placer.linker
	if r.Versions[m.version].Leaf || m.prev < 0 {
		return nil
	}
	from := r.Versions[m.prev]
	for _, leaf := range r.Versions[m.prev+1 : m.version] {
		for _, at := range l.farRenamesOf(r.Group.Folder, leaf.Model.Name) {
			n := l.opts.Renames[at]
			if n.In == leaf.Model.Name && n.Version == from.Model.Name && n.isOf(r.Model) && n.To != AdditionalName && slices.Contains(m.place.Names(from.Index), n.Type) {
				out = append(out, farRename{n.To, n.Property, from.Index, metadata{at, n.To, true}})
			}
		}
	}
	return out
}

// farRenamesOf returns the renames that begin or end in a version, by their indexes in the
// options, in order.
func (l *linker) farRenamesOf(folder, version string) []int {
	if l.farOf != len(l.opts.Renames) {
		l.far, l.farOf = map[[2]string][]int{}, len(l.opts.Renames)
		for at, n := range l.opts.Renames {
			if n.In != "" {
				l.far[[2]string{n.Folder, n.Version}] = append(l.far[[2]string{n.Folder, n.Version}], at)
				l.far[[2]string{n.Folder, n.In}] = append(l.far[[2]string{n.Folder, n.In}], at)
			}
		}
	}
	return l.far[[2]string{folder, version}]
}

// confirmFar marks the renames with a stated version that have an effect as used, even if the
// ledger already contains them.
func (m *matcher) confirmFar() {
	for _, f := range m.farRenames() {
		for _, l := range m.place.Lineages {
			q, p := l.Live[m.version], l.Live[f.there]
			if q != nil && p != nil && m.place.means(m.version, f.here, q) && m.place.means(f.there, f.name, p) {
				m.placer.linker.used[f.by.at] = true
			}
		}
	}
}

// key returns the key of the metadata that states the rename.
func (n Rename) key() string {
	if n.In != "" {
		return "renamedTo"
	}
	return "nameInNextVersion"
}
