package jsontree

// fewMembers is the number of members up to which comparing each pair of names is faster than a
// set.
const fewMembers = 12

// double marks an object that names a member twice.
func (p *parser) double(object Node, count int) {
	if count <= fewMembers && !doubledPair(object) || count > fewMembers && !doubledSet(object, count) {
		return
	}
	object.record().doubled = true
	p.tree.doubled = append(p.tree.doubled, object.Doubled()...)
}

func doubledPair(object Node) bool {
	for a := object.First(); a.Exists(); a = a.Next() {
		name := a.Name()
		for b := a.Next(); b.Exists(); b = b.Next() {
			if b.Name() == name {
				return true
			}
		}
	}
	return false
}

func doubledSet(object Node, count int) bool {
	seen := make(map[string]struct{}, count)
	for c := object.First(); c.Exists(); c = c.Next() {
		seen[c.Name()] = struct{}{}
	}
	return len(seen) < count
}
