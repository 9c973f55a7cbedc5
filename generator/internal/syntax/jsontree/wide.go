package jsontree

import "sort"

// few is the number of members or elements up to which they are searched one by one.
const few = 64

// breadth indexes the members or elements of a value that has many, so that looking up all of them
// takes linear time.
type breadth struct {
	all   []Node
	named map[string]Node // members, the first of each name
}

// wide returns the breadth of a value, which the first look-up creates.
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

// around returns the member or element that contains an offset.
func (b *breadth) around(offset int) (int, Node) {
	at := sort.Search(len(b.all), func(i int) bool { return b.all[i].NameOffset() > offset }) - 1
	if at < 0 || offset >= int(b.all[at].record().end) {
		return 0, Node{}
	}
	return at, b.all[at]
}

// at returns an element by its index.
func (b *breadth) at(i int) Node {
	if i < 0 || i >= len(b.all) {
		return Node{}
	}
	return b.all[i]
}
