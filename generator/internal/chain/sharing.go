package chain

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/operation"
)

// sharer finds the places whose objects have the same property bag. A declared change can give an
// object another type: an element of a list becomes a value of a map, say. Each type has a place of
// its own, and the change hands over the object with its bag.
type sharer struct {
	done map[carried]bool
}

// carried is an object of a place in one version that a declared change makes an object of another
// place in the neighbour.
type carried struct {
	from *Place
	i    int
	to   *Place
	j    int
}

// shareBags records which places of the resource share bags.
func (r *Resource) shareBags() {
	if len(r.changes) == 0 {
		return
	}
	s := sharer{map[carried]bool{}}
	for _, v := range r.Versions {
		if v.Next == nil {
			continue
		}
		far, near := v.Index, v.Next.Index
		for _, p := range r.places {
			for _, l := range p.Lineages {
				for _, o := range l.Changes(far, near) {
					s.carries(l, o, far, near)
				}
			}
			for _, m := range p.Moves(far, near) {
				s.carry(carried{m.Far[len(m.Far)-1].Child(far), far, m.Near[len(m.Near)-1].Child(near), near})
			}
		}
	}
}

// carries records what a change of a lineage's values hands over.
func (s *sharer) carries(l *Lineage, o operation.Operation, far, near int) {
	from, to := l.Child(far), l.Child(near)
	switch o.Kind {
	case operation.WrappedIn:
		to = to.childOf(near, o.Text)
	case operation.UnwrappedFrom:
		from = from.childOf(far, o.Text)
	}
	s.carry(carried{from, far, to, near})
}

// childOf returns the place of the objects that a property leads to; nil if there are none.
func (p *Place) childOf(version int, property string) *Place {
	if p == nil {
		return nil
	}
	if l := p.fold(version, property); l != nil {
		return l.Child(version)
	}
	return nil
}

// carry records that two places share bags, and so do the places of the objects in their objects.
func (s *sharer) carry(c carried) {
	if c.from == nil || c.to == nil || c.from == c.to || s.done[c] {
		return
	}
	s.done[c] = true
	c.from.join(c.to)
	for _, l := range c.from.Lineages {
		q := l.Live[c.i]
		if q == nil {
			continue
		}
		if other := c.to.At(c.j, q.Name); other != nil {
			s.carry(carried{l.Child(c.i), c.i, other.Child(c.j), c.j})
		}
	}
}

// join makes all places that share bags with either of two places share them with each other.
func (p *Place) join(other *Place) {
	if slices.Contains(p.sharing, other) {
		return
	}
	all := slices.Concat(p.sharing, other.sharing)
	for _, q := range []*Place{p, other} {
		if len(q.sharing) == 0 {
			all = append(all, q)
		}
	}
	for _, q := range all {
		q.sharing = all
	}
}
