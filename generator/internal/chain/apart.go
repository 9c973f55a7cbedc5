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
	next := r.nextMain(leaf)
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
			if before := l.Live[v.Index]; r.nextMain(v) == next && !v.Leaf && before != nil && before.Name != q.Name {
				out = append(out, Apart{leaf, next, p.Defs[next.Index], q, before.Name})
			}
		}
	}
	return out
}
