package change

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// pair is what is one property on both sides; one side is nil where it is new or
// gone. Place is that of the objects that it leads to on both.
type pair struct {
	old, new *model.Property
	place    *chain.Place
}

// matcher pairs the properties of two objects: those of the earlier first, then
// what is new.
type matcher interface {
	pairs(objects) []pair
}

// byLineage pairs what the chain knows to be one property in two versions. Below
// what the chain does not follow, names decide.
type byLineage struct{ from, to int }

func (m byLineage) pairs(o objects) []pair {
	if o.place == nil {
		return byName{}.pairs(o)
	}
	out := make([]pair, 0, len(o.place.Lineages))
	for _, l := range o.place.Lineages {
		if p := l.Live[m.from]; p != nil {
			out = append(out, pair{old: p, new: l.Live[m.to], place: m.below(l)})
		}
	}
	for _, l := range o.place.Lineages {
		if q := l.Live[m.to]; q != nil && l.Live[m.from] == nil {
			out = append(out, pair{new: q})
		}
	}
	return out
}

// below is the place of the objects that a lineage leads to in both versions, nil
// where there is none.
func (m byLineage) below(l *chain.Lineage) *chain.Place {
	if l.Live[m.to] == nil {
		return nil
	}
	if c := l.Child(m.from); c == l.Child(m.to) {
		return c
	}
	return nil
}

// byName pairs properties of the same name, then of the same name but for letter
// case if that is unique on both sides.
type byName struct{}

func (byName) pairs(o objects) []pair {
	old, rest := members(o.old.Object()), members(o.new.Object())
	out := make([]pair, len(old))
	for i, p := range old {
		out[i].old = p
	}
	for _, same := range []func(p, q *model.Property) bool{
		func(p, q *model.Property) bool { return p.Name == q.Name },
		func(p, q *model.Property) bool {
			return strings.EqualFold(p.Name, q.Name) && isAlone(p, old) && isAlone(q, rest)
		},
	} {
		for i := range out {
			at := slices.IndexFunc(rest, func(q *model.Property) bool { return out[i].new == nil && same(out[i].old, q) })
			if at >= 0 {
				out[i].new = rest[at]
				rest = slices.Delete(rest, at, at+1)
			}
		}
	}
	for _, q := range rest {
		out = append(out, pair{new: q})
	}
	return out
}

// isAlone tells whether no other property has the name but for letter case.
func isAlone(p *model.Property, all []*model.Property) bool {
	return !slices.ContainsFunc(all, func(q *model.Property) bool { return p != q && p.Name != q.Name && strings.EqualFold(p.Name, q.Name) })
}

// members are an object's properties, its further members as one property last.
func members(o *model.Object) []*model.Property {
	all := slices.Clone(o.Properties)
	if o.Additional != nil {
		all = append(all, &model.Property{Name: chain.AdditionalName, Type: &model.Map{Elem: o.Additional}})
	}
	return all
}
