package diff

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
)

// route is the way from one version of a resource to another, from neighbour to neighbour: along
// the main line, and from or to a leaf at its ends.
type route []step

// step leads between two neighbours. It has the direction in which the chain states changes between
// them, or the opposite one.
type step struct {
	far, near  int
	isOpposite bool
}

func routeOf(r *chain.Resource, from, to *chain.Version) route {
	if from.Index > to.Index {
		out := routeOf(r, to, from)
		slices.Reverse(out)
		for i := range out {
			out[i].isOpposite = !out[i].isOpposite
		}
		return out
	}
	var out route
	first, last := from, to
	if from.Leaf && from.Next != nil {
		out, first = append(out, step{from.Index, from.Next.Index, false}), from.Next
	}
	if to.Leaf && to.Next != nil {
		last = to.Next
	}
	at := first
	for _, v := range r.Versions {
		if !v.Leaf && v.Index > first.Index && v.Index <= last.Index {
			out = append(out, step{at.Index, v.Index, false})
			at = v
		}
	}
	if to.Leaf {
		out = append(out, step{to.Index, at.Index, true})
	}
	return out
}

// directed returns changes that lead from far to near, in the direction of the step.
func (s step) directed(all []operation.Operation) []operation.Operation {
	if !s.isOpposite {
		return all
	}
	var out []operation.Operation
	for _, o := range slices.Backward(all) {
		out = append(out, o.Inverse())
	}
	return out
}

// of returns what is declared for a property on the route, and false if a version on it lacks the
// property.
func (w route) of(l *chain.Lineage) (all []operation.Operation, ok bool) {
	for _, s := range w {
		if l.Live[s.far] == nil || l.Live[s.near] == nil {
			return nil, false
		}
		all = append(all, s.directed(l.Changes(s.far, s.near))...)
	}
	return all, true
}

// moved is a declared change that leads to a property of another object.
type moved struct {
	from, to   []*chain.Lineage // the properties on both paths
	operations []operation.Operation
}

// moves returns the declared changes of an object that move properties on the route.
func (w route) moves(p *chain.Place) []moved {
	var out []moved
	for n, s := range w {
		for _, m := range p.Moves(s.far, s.near) {
			from, to := m.Far, m.Near
			if s.isOpposite {
				from, to = to, from
			}
			before, ok := w[:n].of(from[len(from)-1])
			after, isToo := w[n+1:].of(to[len(to)-1])
			if ok && isToo {
				all := append(slices.Clone(before), s.directed([]operation.Operation{m.Operation})...)
				out = append(out, moved{from, to, append(all, after...)})
			}
		}
	}
	return out
}

// path returns the names of properties in a version, and false if one is not there.
func path(all []*chain.Lineage, version int) (names string, ok bool) {
	for _, l := range all {
		p := l.Live[version]
		if p == nil {
			return "", false
		}
		names = join(names, p.Name)
	}
	return names, true
}

// declaredText spells changes that follow one another.
func declaredText(all []operation.Operation) string {
	var texts []string
	for _, o := range all {
		texts = append(texts, o.String())
	}
	return strings.Join(texts, ", then ")
}

// renamed returns the values of an enum under the names that declared changes give them.
func renamed(e *model.Enum, all []operation.Operation) *model.Enum {
	out := *e
	out.Values = slices.Clone(e.Values)
	for _, o := range all {
		for i, text := range out.Values {
			out.Values[i] = o.Renamed(text)
		}
	}
	return &out
}
