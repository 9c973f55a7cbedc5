package chain

import "strconv"

// Break says that since a version the values of a property are others than before, also where
// their types look alike: they are not handed over, but converted by functions, and what these
// lose lies in bags.
type Break struct{ Folder, Version, Type, Property string }

// epochs counts, for every version, the breaks of a lineage up to there, and the changes of its
// unit.
func (b *placer) epochs(l *Lineage) []int {
	out := make([]int, len(l.Live))
	all := b.linker.opts.Breaks
	n, before := 0, -1
	for i, p := range l.Live {
		if p != nil && b.isBreak(all, l.Place, i, p.Name) {
			n++
		}
		out[i] = l.unit(i, before, n)
		if !b.resource.Versions[i].Leaf {
			n, before = out[i], i
		}
	}
	return out
}

func (b *placer) isBreak(all []Break, p *Place, version int, property string) bool {
	at := Break{b.resource.Group.Folder, b.resource.Versions[version].Model.Name, p.Defs[version].Name, property}
	for _, x := range all {
		if x == at {
			return true
		}
	}
	return false
}

// epoch ends the kind of a value that is another than before.
func epoch(n int) string {
	if n == 0 {
		return ""
	}
	return " " + strconv.Itoa(n)
}
