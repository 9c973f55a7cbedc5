package chain

import "github.com/stratakube/strata/generator/internal/model"

// Apart is a property of a leaf that is not the property of the same name in the next version of
// the main line, because a rename or a declared change leads to that one.
type Apart struct {
	Leaf, Next *Version
	Def        *model.Def      // of Next
	Property   *model.Property // of Next
	Before     string          // its name in the version before both
}

// Apart returns the properties of leaves that stay apart from now on: the ledger has the leaf, and
// not yet the next version. Other leaves take part in renames and changes.
func (r *Resource) Apart() []Apart {
	var out []Apart
	if r.record == nil {
		return nil
	}
	for _, p := range r.places {
		for _, leaf := range r.Versions {
			if leaf.Leaf && !leaf.Pruned && p.Defs[leaf.Index] != nil {
				out = p.appendApart(out, leaf)
			}
		}
	}
	return out
}

func (p *Place) appendApart(out []Apart, leaf *Version) []Apart {
	r := p.Resource
	next := r.NextMain(leaf)
	known := r.record.Model
	if next == nil || known == nil || known.Version(leaf.Model.Name) == nil || known.Version(next.Model.Name) != nil {
		return out
	}
	for _, l := range p.Lineages {
		q := l.Live[next.Index]
		if q == nil || l.Live[leaf.Index] != nil || p.At(leaf.Index, q.Name) == nil {
			continue
		}
		for _, v := range r.Versions {
			if before := l.Live[v.Index]; r.NextMain(v) == next && !v.Leaf && before != nil && before.Name != q.Name && !p.isStated(v.Index, before, leaf) {
				out = append(out, Apart{leaf, next, p.Defs[next.Index], q, before.Name})
			}
		}
	}
	return out
}

// isStated reports whether a declared change of a version's property names a version after the
// leaf, so that the leaf takes no part in it.
func (p *Place) isStated(version int, property *model.Property, leaf *Version) bool {
	c := p.Change(version, property)
	return c != nil && !c.Reaches(leaf)
}

// IsStatedApart reports whether a leaf's property is another one than that of its name in the next
// version of the main line, because a declared change leads to that one and not to the leaf.
func (p *Place) IsStatedApart(leaf *Version, property *model.Property) bool {
	next := p.Resource.NextMain(leaf)
	if next == nil || !leaf.Leaf || p.Defs[next.Index] == nil {
		return false
	}
	l := p.At(next.Index, property.Name)
	if l == nil || l.Live[leaf.Index] != nil {
		return false
	}
	for i := leaf.Index - 1; i >= 0; i-- {
		if !p.Resource.Versions[i].Leaf {
			return p.isStated(i, l.Live[i], leaf)
		}
	}
	return false
}
