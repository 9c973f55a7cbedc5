package jsontree

import "sort"

// few is up to how many members or elements are looked through one by one.
const few = 64

// breadth has the members or elements of a value that has many, so that looking up all of them takes time for each, and
// not for all pairs.
type breadth struct {
	all   []Node
	named map[string]Node // members, the first of each name
}

// wide returns the breadth of a value, which is made at the first look-up.
func (n Node) wide() *breadth {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	if known := n.tree.breadths[n.index]; known != nil {
		return known
	}
	b := &breadth{named: map[string]Node{}}
	for c := range n.All() {
		b.all = append(b.all, c)
		if _, known := b.named[c.Name()]; !known && n.Kind() == Object {
			b.named[c.Name()] = c
		}
	}
	if n.tree.breadths == nil {
		n.tree.breadths = map[uint32]*breadth{}
	}
	n.tree.breadths[n.index] = b
	return b
}

// around gives the member or element that an offset falls into.
func (b *breadth) around(offset int) (int, Node) {
	at := sort.Search(len(b.all), func(i int) bool { return b.all[i].NameOffset() > offset }) - 1
	if at < 0 || offset >= int(b.all[at].record().end) {
		return 0, Node{}
	}
	return at, b.all[at]
}

// at gives an element by its index.
func (b *breadth) at(i int) Node {
	if i < 0 || i >= len(b.all) {
		return Node{}
	}
	return b.all[i]
}
