package chain

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
)

// Change is metadata that declares how the values of a property convert to the next version of
// the main line. Its name may change too, which [Rename] declares. A change that moves has the
// type of the object where the paths begin, and the earlier path as its property.
type Change struct {
	Folder, Version, Type, Property string
	Operation                       operation.Operation
}

// Change returns the operation that metadata declares for a property of the place; nil for none.
// It leaves out changes that move the property.
func (p *Place) Change(version int, property *model.Property) *operation.Operation {
	if len(p.Resource.changes) == 0 || property == nil {
		return nil
	}
	for _, name := range p.Names(version) {
		for i, c := range p.Resource.changes {
			if !c.Operation.Moves() && p.Resource.isOf(c, version, name) && strings.EqualFold(c.Property, property.Name) {
				return &p.Resource.changes[i].Operation
			}
		}
	}
	return nil
}

// Changes returns what metadata declares between the values that a lineage has in a version and in
// its neighbour towards the hub, in that direction. What a leaf declares leads to the next version
// of the main line, and so does what its neighbour declares: if both do so, their values are the
// same. A leaf whose type does not fit takes no part in what its neighbour declares.
func (l *Lineage) Changes(far, near int) []operation.Operation {
	r := l.Place.Resource
	if len(r.changes) == 0 || l.Live[far] == nil || l.Live[near] == nil {
		return nil
	}
	var to, from *operation.Operation
	if leaf := r.Versions[far].Leaf; leaf || r.nextMain(r.Versions[far]) == r.Versions[near] {
		to = l.Place.Change(far, l.Live[far])
	}
	if leaf := r.Versions[far].Leaf; leaf || r.nextMain(r.Versions[near]) == r.Versions[far] {
		from = l.Place.Change(near, l.Live[near])
	}
	if to != nil && from != nil && to.Is(*from) {
		return nil
	}
	var out []operation.Operation
	if to != nil {
		out = append(out, *to)
	}
	if from != nil {
		out = append(out, from.Inverse())
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
	o := l.Place.Change(before, l.Live[before])
	if o == nil || o.Kind == operation.Factor || o.Kind == operation.Values {
		return false
	}
	isLeaf := l.Place.Resource.Versions[i].Leaf
	return !isLeaf || l.Live[i] != nil && l.Place.Change(i, l.Live[i]) == nil && o.Fits(l.Live[before].Type, l.Live[i].Type) == nil
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
	scales := func(version int) bool {
		if version < 0 || l.Live[version] == nil {
			return false
		}
		o := l.Place.Change(version, l.Live[version])
		return o != nil && o.Kind == operation.Factor || r.Leaves(version, l.Place.Defs[version], l.Live[version]) ||
			isLeaf && version == i && before >= 0 && r.leaves(before, i, l.Place.Defs[i], l.Live[i])
	}
	switch {
	case isLeaf && scales(i) == scales(before), !isLeaf && !scales(before):
		return n
	case isLeaf && scales(i):
		return -1 - i // used by this leaf only
	}
	return n + 1
}
