package diff

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
)

// pair is one property in both versions. One side is nil if it was added or removed. Place is that
// of the objects that it contains in both.
type pair struct {
	old, new *model.Property
	place    *chain.Place
	declared []operation.Operation // what the metadata declares between them
}

// matcher pairs the properties of two objects: those of the earlier one first, then new ones.
type matcher interface {
	pairs(objects) []pair
	// moves returns the pairs of properties that move between objects within these two, with their
	// paths from there. Pairs does not return them afterwards.
	moves(objects) []movedPair
}

// movedPair is one property at two paths.
type movedPair struct {
	pair
	from, to string
	of       *model.Def // the object around it in the later version
}

// byLineage pairs properties that the chain considers the same. Below objects that the chain does
// not follow, names decide.
type byLineage struct {
	from, to int
	route    route
	// gone and come have the properties that move away from their objects, and to them. What has the
	// name of one is another property.
	gone, come map[*chain.Lineage]bool
}

func follow(r *chain.Resource, from, to *chain.Version) byLineage {
	return byLineage{from.Index, to.Index, routeOf(r, from, to), map[*chain.Lineage]bool{}, map[*chain.Lineage]bool{}}
}

func (m byLineage) pairs(o objects) []pair {
	if o.place == nil {
		return byName{}.pairs(o)
	}
	out := make([]pair, 0, len(o.place.Lineages))
	var fresh []pair
	for _, l := range o.place.Lineages {
		p, q := l.Live[m.from], l.Live[m.to]
		if m.gone[l] {
			p = nil
		}
		if m.come[l] {
			q = nil
		}
		one := pair{old: p, new: q}
		switch {
		case p == nil && q == nil:
		case p == nil:
			fresh = append(fresh, one)
		default:
			if q != nil {
				one.place = m.below(l)
				one.declared, _ = m.route.of(l)
			}
			out = append(out, one)
		}
	}
	return append(out, fresh...)
}

func (m byLineage) moves(o objects) []movedPair {
	if o.place == nil {
		return nil
	}
	var out []movedPair
	for _, d := range m.route.moves(o.place) {
		first, last := d.from[len(d.from)-1], d.to[len(d.to)-1]
		from, ok := path(d.from, m.from)
		to, isToo := path(d.to, m.to)
		if !ok || !isToo || first == last {
			continue
		}
		m.gone[first], m.come[last] = true, true
		out = append(out, movedPair{
			pair{old: first.Live[m.from], new: last.Live[m.to], declared: d.operations}, from, to, last.Place.Defs[m.to],
		})
	}
	return out
}

// below returns the place of the objects that a lineage contains in both versions; nil if there is
// none.
func (m byLineage) below(l *chain.Lineage) *chain.Place {
	if l.Live[m.to] == nil {
		return nil
	}
	if c := l.Child(m.from); c == l.Child(m.to) {
		return c
	}
	return nil
}

// byName pairs properties of the same name, and then those whose names differ only in case if that
// is unique on both sides.
type byName struct{}

func (byName) moves(objects) []movedPair { return nil }

func (byName) pairs(o objects) []pair {
	old, rest := members(o.old.Object()), members(o.new.Object())
	out := make([]pair, len(old))
	for i, p := range old {
		out[i].old = p
	}
	rest = match(out, rest, exactly)
	alone := spellings(old)
	rest = match(out, rest, func(all []*model.Property) map[string]*model.Property {
		found := map[string]*model.Property{}
		for folded, p := range spellings(all) {
			if was := alone[folded]; p != nil && was != nil {
				found[was.Name] = p
			}
		}
		return found
	})
	for _, q := range rest {
		out = append(out, pair{new: q})
	}
	return out
}

// match completes pairs without a new property by finding the names of the old ones, and returns
// the remaining properties.
func match(pairs []pair, rest []*model.Property, find func([]*model.Property) map[string]*model.Property) []*model.Property {
	found, taken := find(rest), map[*model.Property]bool{}
	for i := range pairs {
		if q := found[pairs[i].old.Name]; pairs[i].new == nil && q != nil && !taken[q] {
			pairs[i].new, taken[q] = q, true
		}
	}
	return slices.DeleteFunc(rest, func(q *model.Property) bool { return taken[q] })
}

// exactly indexes properties by name; of several with one name, the first.
func exactly(all []*model.Property) map[string]*model.Property {
	out := map[string]*model.Property{}
	for _, p := range all {
		if out[p.Name] == nil {
			out[p.Name] = p
		}
	}
	return out
}

// spellings indexes properties by lower-case name; nil if there are several spellings.
func spellings(all []*model.Property) map[string]*model.Property {
	out := map[string]*model.Property{}
	for _, p := range all {
		folded := strings.ToLower(strings.ToUpper(p.Name))
		if other, known := out[folded]; known && (other == nil || other.Name != p.Name) {
			out[folded] = nil
		} else if !known {
			out[folded] = p
		}
	}
	return out
}

// members returns an object's properties, and its additional members as one property at the end.
func members(o *model.Object) []*model.Property {
	all := slices.Clone(o.Properties)
	if o.Additional != nil {
		all = append(all, &model.Property{Name: chain.AdditionalName, Type: &model.Map{Elem: o.Additional}})
	}
	return all
}
