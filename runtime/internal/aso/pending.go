package aso

import (
	"maps"
	"slices"
)

// pending is a tree of bag entries that have no property yet, along the paths of their objects.
type pending struct {
	entries []entry
	inner   map[string]*pending // by member, or by index
}

// entry is an entry of a bag, or a member that no version has.
type entry struct {
	key      string
	value    []byte // JSON; an entry of a bag is usually a string
	isMember bool
}

// member returns the entries below a member.
func (p *pending) member(name string) *pending {
	if p.inner == nil {
		p.inner = map[string]*pending{}
	}
	if p.inner[name] == nil {
		p.inner[name] = &pending{}
	}
	return p.inner[name]
}

// tidy removes the subtree of a member if it is empty.
func (p *pending) tidy(name string) {
	if p.inner[name].isEmpty() {
		delete(p.inner, name)
	}
}

func (p *pending) isEmpty() bool { return p == nil || len(p.entries) == 0 && len(p.inner) == 0 }

// add adds the entries of another tree.
func (p *pending) add(q *pending) {
	p.entries = append(p.entries, q.entries...)
	for name, inner := range q.inner {
		p.member(name).add(inner)
	}
}

// addBag adds the entries of a bag. A bag that is no object becomes one entry.
func (p *pending) addBag(bag []byte) {
	n := object(bag)
	if n == nil {
		p.entries = append(p.entries, entry{key: bagName, value: bag, isMember: true})
		return
	}
	for _, m := range n.members {
		p.entries = append(p.entries, entry{key: m.name, value: m.value.raw})
	}
}

// names returns the members below which there are entries, sorted.
func (p *pending) names() []string { return slices.Sorted(maps.Keys(p.inner)) }

// tree returns the entries as ASO had them: members and bags, within the members that have them. An
// element of a list is a member with its index. The names of each level are written once, so that
// the tree is not larger than the object was, and no two entries can have one name.
func (p *pending) tree() *node {
	n, bag := emptyObject(), emptyObject()
	for _, e := range p.entries {
		into := bag
		if e.isMember {
			into = n
		}
		into.add(e.key, &node{raw: e.value})
	}
	if len(bag.members) > 0 {
		n.add(bagName, bag)
	}
	for _, name := range p.names() {
		n.add(name, p.inner[name].tree())
	}
	return n
}
