package refine

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
)

// members are the members of a shape, in order and indexed by name. Nil is empty.
type members struct {
	list  []*model.Property
	names map[string]*model.Property // nil below few members; the first of each name
}

// few is the number of members from which on an index by name is faster than a search.
const few = 16

func (m *members) all() []*model.Property {
	if m == nil {
		return nil
	}
	return m.list
}

// find returns the first member of a name, or nil.
func (m *members) find(name string) *model.Property {
	if m != nil && m.names != nil {
		return m.names[name]
	}
	for _, p := range m.all() {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// add appends a copy of a member.
func (m *members) add(p *model.Property) {
	c := *p
	m.list = append(m.list, &c)
	if len(m.list) == few {
		m.names = map[string]*model.Property{}
		for _, p := range m.list {
			m.name(p)
		}
	} else if len(m.list) > few {
		m.name(&c)
	}
}

func (m *members) name(p *model.Property) {
	if m.names[p.Name] == nil {
		m.names[p.Name] = p
	}
}

// names is a set of names, in order. Nil is empty.
type names struct {
	list []string
	set  map[string]bool // nil below few names
}

func (n *names) all() []string {
	if n == nil {
		return nil
	}
	return n.list
}

func (n *names) has(name string) bool {
	if n != nil && n.set != nil {
		return n.set[name]
	}
	return slices.Contains(n.all(), name)
}

func namesOf(list []string) *names {
	if list == nil {
		return nil
	}
	out := &names{}
	out.add(list...)
	return out
}

// add adds the names that are not in the set.
func (n *names) add(more ...string) {
	for _, name := range more {
		if n.has(name) {
			continue
		}
		n.list = append(n.list, name)
		if len(n.list) == few {
			n.set = setOf(n.list)
		} else if len(n.list) > few {
			n.set[name] = true
		}
	}
}

func setOf(list []string) map[string]bool {
	out := map[string]bool{}
	for _, name := range list {
		out[name] = true
	}
	return out
}

// keep removes the names that are not in other.
func (n *names) keep(other *names) {
	kept := slices.DeleteFunc(n.list, func(name string) bool { return !other.has(name) })
	*n = names{}
	n.add(kept...)
}

// clone returns a copy of the set.
func (n *names) clone() *names {
	out := &names{}
	out.add(n.all()...)
	return out
}
