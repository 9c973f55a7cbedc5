package chain

import (
	"strconv"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
)

// Change is metadata that declares how the values of a property convert to the next version of
// the main line. Its name may change too, which [Rename] declares. A change that moves has the
// type of the object where the paths begin, and the earlier path as its property.
type Change struct {
	Folder, Version, Type, Property string
	Operation                       operation.Operation
	// In is the first version that has the later values: the next one of the main line, or a leaf
	// before that. If it is empty, all leaves before the next version have the later values, as far
	// as their types fit.
	In string
}

// String spells the change as strata.yaml does. The ledger has this text.
func (c Change) String() string {
	if c.In == "" {
		return c.Operation.String()
	}
	return c.Operation.String() + ", changedIn: " + strconv.Quote(c.In)
}

// Change returns the change that metadata declares for a property of the place; nil for none. It
// leaves out changes that move the property.
func (p *Place) Change(version int, property *model.Property) *Change {
	if len(p.Resource.changes) == 0 || property == nil {
		return nil
	}
	for _, name := range p.Names(version) {
		for i, c := range p.Resource.changes {
			if !c.Operation.Moves() && p.Resource.isOf(c, version, name) && p.means(version, c.Property, property) {
				return &p.Resource.changes[i]
			}
		}
	}
	return nil
}

// Reaches reports whether a change that a version of the main line declares leads to another one:
// to the next version of the main line, or to a leaf before that. Types can still contradict it.
func (c Change) Reaches(v *Version) bool { return c.In == "" || Compare(v.Model.Name, c.In) >= 0 }

// isPreview reports whether the change names a leaf before the next version of the main line.
func (r *Resource) isPreview(c *Change, next int) bool {
	return c.In != "" && Compare(c.In, r.Versions[next].Model.Name) < 0
}

// leads reports whether a version has the later values of a change that the version before it on
// the main line declares for the lineage.
func (l *Lineage) leads(c *Change, before, version int) bool {
	r := l.Place.Resource
	if !c.Reaches(r.Versions[version]) || l.keepsName(c, before, version) {
		return false
	}
	if !r.Versions[version].Leaf && !r.isPreview(c, version) {
		return true
	}
	return l.Live[version] != nil && c.Operation.Fits(l.Live[before].Type, l.Live[version].Type) == nil
}

// keepsName reports whether a leaf has the earlier values of a change that its neighbour declares,
// since it has the earlier name: the change comes with a new one. Types show neither another unit
// nor other names of values, but they show another shape, whatever the name is.
func (l *Lineage) keepsName(c *Change, before, leaf int) bool {
	r := l.Place.Resource
	if !r.Versions[leaf].Leaf || l.Live[leaf] == nil || c.Operation.Kind != operation.Factor && c.Operation.Kind != operation.Values {
		return false
	}
	isOld := func(i int) bool {
		return model.Counterpart(l.Live[before], l.Place.members[before], l.Place.members[i]) == l.Live[i]
	}
	for _, next := range []*Version{r.version(c.In), r.NextMain(r.Versions[before])} {
		if next != nil && l.Live[next.Index] != nil && !isOld(next.Index) {
			return isOld(leaf)
		}
	}
	return false
}

// IsLed reports whether a version of the main line, or a leaf after it, has the later values of the
// change that the version before it declares for the lineage.
func (l *Lineage) IsLed(before, version int) bool {
	c := l.Place.Change(before, l.Live[before])
	return c != nil && l.leads(c, before, version)
}

// Changes returns what metadata declares between the values that a lineage has in a version and in
// its neighbour towards the hub, in that direction. What a leaf declares leads to the next version
// of the main line, and so does what its neighbour declares: if both do so, their values are the
// same. A leaf whose type does not fit takes no part in what its neighbour declares, nor does one
// with the earlier name, or before the version that the change names.
func (l *Lineage) Changes(far, near int) []operation.Operation {
	r := l.Place.Resource
	if len(r.changes) == 0 || l.Live[far] == nil || l.Live[near] == nil {
		return nil
	}
	var to, from *Change
	if leaf := r.Versions[far].Leaf; leaf || r.NextMain(r.Versions[far]) == r.Versions[near] {
		to = l.Place.Change(far, l.Live[far])
	}
	if leaf := r.Versions[far].Leaf; leaf || r.NextMain(r.Versions[near]) == r.Versions[far] {
		from = l.Place.Change(near, l.Live[near])
	}
	switch {
	case to != nil && from != nil && to.Operation.Is(from.Operation):
		return nil
	case to == nil && from != nil && (!from.Reaches(r.Versions[far]) || l.keepsName(from, near, far)):
		return nil
	}
	var out []operation.Operation
	if to != nil {
		out = append(out, to.Operation)
	}
	if from != nil {
		out = append(out, from.Operation.Inverse())
	}
	if len(out) == 1 && out[0].Fits(l.Live[far].Type, l.Live[near].Type) != nil {
		return nil
	}
	return out
}

// isReshaped reports whether a declared change gives values of the version before another shape in
// a version. An earlier version may have values of that shape, too. They are other values: the
// change would remove them, because the version before lacks them.
func (l *Lineage) isReshaped(i, before int) bool {
	if before < 0 || l.Live[before] == nil {
		return false
	}
	c := l.Place.Change(before, l.Live[before])
	if c == nil || c.Operation.Kind == operation.Factor || c.Operation.Kind == operation.Values {
		return false
	}
	isDecided := l.Place.Resource.Versions[i].Leaf && l.Place.Change(i, l.Live[i]) != nil
	return !isDecided && l.leads(c, before, i)
}

// unit returns a number that distinguishes values of the same type and of different units or keys,
// or of different properties: one that moves, and one that has its name then.
// Version i is at or after the version before of the main line, whose values have the unit n. If
// before is -1, there is none. A leaf that has a property where the version before it has it takes
// no part in its move.
func (l *Lineage) unit(i, before, n int) int {
	r := l.Place.Resource
	isLeaf := r.Versions[i].Leaf
	if l.isReshaped(i, before) {
		return n + 1
	}
	own, base := l.scales(i, i), l.scales(before, i)
	if isLeaf && before >= 0 && l.Live[i] != nil {
		moves := r.leaves(before, i, l.Place.Defs[i], l.Live[i]) != nil
		own = own || moves
		base = base || own && l.scales(before, before)
	}
	switch {
	case isLeaf && own == base, !isLeaf && !base:
		return n
	case isLeaf && own:
		return -1 - i // used by this leaf only
	}
	return n + 1
}

// scales reports whether a change that a version declares for the lineage, or its move, leads to
// another version, so that its values have another unit there, or are those of another property. If
// both versions are the same, it reports whether the version declares one.
func (l *Lineage) scales(declaring, version int) bool {
	r := l.Place.Resource
	if declaring < 0 || l.Live[declaring] == nil {
		return false
	}
	if c := l.Place.Change(declaring, l.Live[declaring]); c != nil && c.Operation.Kind == operation.Factor {
		isLed := c.Reaches(r.Versions[version]) && !l.keepsName(c, declaring, version) && (!r.isPreview(c, version) || l.leads(c, declaring, version))
		if declaring == version || isLed {
			return true
		}
	}
	c := r.leaves(declaring, declaring, l.Place.Defs[declaring], l.Live[declaring])
	return c != nil && (declaring == version || r.arrives(c, version))
}

// arrives reports whether a change that moves a property leads to a version. The change names it,
// or a leaf before it: then the version must have the later path.
func (r *Resource) arrives(c *Change, version int) bool {
	v := r.Versions[version]
	return c.Reaches(v) && (v.Leaf || !r.isPreview(c, version) || has(v.Model.Def(c.Type), c.Operation.To))
}
