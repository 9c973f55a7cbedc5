package chain

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
)

// Move is a declared change that leads to a property of another object, in the direction from one
// version to its neighbour. Far and Near are the properties on the paths from the place of the
// change in both versions. The last ones are the property before and after the change.
type Move struct {
	Operation operation.Operation
	Far, Near []*Lineage
}

// Moves returns the declared changes of a place that move properties between a version and a
// neighbour, in the direction from far to near. Leaves declare them as they declare other changes:
// see [Lineage.Changes]. It leaves out changes whose paths do not exist in these versions.
func (p *Place) Moves(far, near int) []Move {
	r := p.Resource
	if r.Versions[near].Leaf && !r.Versions[far].Leaf {
		out := p.Moves(near, far)
		for i, m := range out {
			out[i] = Move{m.Operation.Inverse(), m.Near, m.Far}
		}
		return out
	}
	if len(r.changes) == 0 {
		return nil
	}
	var to, from []Change
	if leaf := r.Versions[far].Leaf; leaf || r.NextMain(r.Versions[far]) == r.Versions[near] {
		to = p.Departures(far)
	}
	if leaf := r.Versions[far].Leaf; leaf || r.NextMain(r.Versions[near]) == r.Versions[far] {
		from = p.Departures(near)
	}
	var out []Move
	for _, c := range to {
		if !contains(from, c) {
			out = p.appendMove(out, c.Operation, far, near)
		}
	}
	for _, c := range from {
		if !contains(to, c) && c.Reaches(r.Versions[far]) {
			out = p.appendMove(out, c.Operation.Inverse(), far, near)
		}
	}
	return out
}

func contains(all []Change, c Change) bool {
	return slices.ContainsFunc(all, func(other Change) bool { return other.Operation.Is(c.Operation) })
}

func (p *Place) appendMove(out []Move, o operation.Operation, far, near int) []Move {
	a, b := p.Walk(far, o.From), p.Walk(near, o.To)
	if a == nil || b == nil {
		return out
	}
	first, second := a[len(a)-1], b[len(b)-1]
	if first.Transfers(far, near) || second.Transfers(far, near) || o.Fits(first.Live[far].Type, second.Live[near].Type) != nil {
		return out
	}
	return append(out, Move{o, a, b})
}

// Departures returns the changes that move properties of the place's object after a version.
func (p *Place) Departures(version int) []Change {
	var out []Change
	for _, name := range p.Names(version) {
		for _, c := range p.Resource.changes {
			if c.Operation.Moves() && p.Resource.isOf(c, version, name) {
				out = append(out, c)
			}
		}
	}
	return out
}

// Rivals returns pairs of changes that move one property, or move two properties to one. An object
// and a property in it count as one. The changes are in their order.
func (r *Resource) Rivals() [][2]Change {
	var out [][2]Change
	for _, v := range r.Versions {
		all := r.journeys(v.Index)
		for i, a := range all {
			for _, b := range all[i+1:] {
				if pair := [2]Change{a.change, b.change}; !a.isSame(b) && a.meets(b) && !slices.ContainsFunc(out, isPair(pair)) {
					out = append(out, pair)
				}
			}
		}
	}
	return out
}

func isPair(a [2]Change) func([2]Change) bool {
	return func(b [2]Change) bool {
		return a[0].Type == b[0].Type && a[0].Property == b[0].Property && a[1].Type == b[1].Type && a[1].Property == b[1].Property
	}
}

// journey is a change that moves a property of a place, and its paths in both versions.
type journey struct {
	change   Change
	next     int
	from, to []*Lineage
}

// journeys returns the changes that move properties after a version, in their order, for each place
// that has the paths. The later path is that of the next version of the main line or, without one,
// of the leaf that the change names.
func (r *Resource) journeys(version int) []journey {
	var out []journey
	for _, c := range r.changes {
		later := r.NextMain(r.Versions[version])
		if later == nil {
			later = r.version(c.In)
		}
		if later == nil || !c.Operation.Moves() {
			continue
		}
		for _, p := range r.places {
			if !slices.ContainsFunc(p.Names(version), func(name string) bool { return r.isOf(c, version, name) }) {
				continue
			}
			if from, to := p.Walk(version, c.Operation.From), p.Walk(later.Index, c.Operation.To); from != nil && to != nil {
				out = append(out, journey{c, later.Index, from, to})
			}
		}
	}
	return out
}

// isSame reports whether two journeys are those of one change.
func (j journey) isSame(o journey) bool {
	return j.change.Type == o.change.Type && j.change.Property == o.change.Property
}

// meets reports whether two journeys move one value, or move two values to one. Paths of one type
// begin at one object, and can lead through a place twice.
func (j journey) meets(o journey) bool {
	if j.change.Type == o.change.Type {
		return begins(j.from, o.from) || begins(j.to, o.to)
	}
	return share(j.from, o.from) || share(j.to, o.to)
}

// begins reports whether one of two paths begins with the other.
func begins(a, b []*Lineage) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

// share reports whether one of two paths ends on the other.
func share(a, b []*Lineage) bool {
	return slices.Contains(a, b[len(b)-1]) || slices.Contains(b, a[len(a)-1])
}

// isOf reports whether a change is declared for a type in a version.
func (r *Resource) isOf(c Change, version int, typ string) bool {
	return c.Folder == r.Group.Folder && c.Version == r.Versions[version].Model.Name && c.Type == typ
}

// Walk returns the properties on a path of JSON names, as metadata spells them. It returns nil if
// the version has no such path, if a name is ambiguous, or if the path leads through a list or map.
func (p *Place) Walk(version int, path string) []*Lineage {
	var out []*Lineage
	for name := range strings.SplitSeq(path, ".") {
		if p == nil || p.Defs[version] == nil || p.Defs[version].Map != nil {
			return nil
		}
		l := p.fold(version, name)
		if l == nil {
			return nil
		}
		out = append(out, l)
		if p = nil; isObject(l.Live[version].Type) {
			p = l.Child(version)
		}
	}
	return out
}

func isObject(t model.Type) bool {
	_, is := t.(*model.Ref)
	return is
}

// fold returns the lineage of the property that a name in metadata means; nil if there is none.
func (p *Place) fold(version int, name string) *Lineage {
	if l := p.At(version, name); l != nil {
		return l
	}
	for _, l := range p.Lineages {
		if q := l.Live[version]; q != nil && p.means(version, name, q) {
			return l
		}
	}
	return nil
}

// Leaves reports whether a change moves a property of an object to another one after a version.
// A property of that name in the next version is another one.
func (r *Resource) Leaves(version int, of *model.Def, property *model.Property) bool {
	return r.leaves(version, version, of, property) != nil
}

// leaves returns a change that moves the property after another version, which declares it; nil if
// there is none. The change must lead to the version, and the version must not have the later path.
func (r *Resource) leaves(declaring, version int, of *model.Def, property *model.Property) *Change {
	for i, c := range r.changes {
		if !c.Operation.Moves() || !r.isOf(c, declaring, c.Type) || version != declaring && !c.Reaches(r.Versions[version]) {
			continue
		}
		root := r.Versions[version].Model.Def(c.Type)
		d, name := around(root, c.Operation.From)
		if p := propertyOf(d, name); d == of && p != nil && p.Name == property.Name && (version == declaring || !has(root, c.Operation.To)) {
			return &r.changes[i]
		}
	}
	return nil
}

// around returns the object around the property at a path, and its name; nil if there is none.
func around(d *model.Def, path string) (of *model.Def, name string) {
	for name, rest, more := strings.Cut(path, "."); more; name, rest, more = strings.Cut(rest, ".") {
		if p := propertyOf(d, name); p == nil || !isObject(p.Type) {
			return nil, ""
		} else {
			d, path = p.Type.(*model.Ref).Def, rest
		}
	}
	return d, path
}

func has(d *model.Def, path string) bool {
	of, name := around(d, path)
	return propertyOf(of, name) != nil
}

// propertyOf returns the property that a name in metadata means; nil if there is none.
func propertyOf(d *model.Def, name string) *model.Property {
	if d == nil || d.Object() == nil {
		return nil
	}
	for _, p := range d.Object().Properties {
		if isMeant(d.Object().Properties, name, p) {
			return p
		}
	}
	return nil
}
