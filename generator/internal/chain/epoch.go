package chain

import (
	"slices"
	"strconv"
)

// Break is metadata that the values of a property differ, as of a version, from those before,
// even if their types are equal. Such values are not handed over. Functions convert them, and
// bags store the values that the functions lose.
type Break struct{ Folder, Version, Type, Property string }

// epochs returns, for every version, a number that changes with each break of a lineage up to
// that version, and with each change of its unit.
func (b *placer) epochs(l *Lineage) []int {
	out := make([]int, len(l.Live))
	all := b.linker.opts.Breaks
	n, before := 0, -1
	for i, p := range l.Live {
		if p != nil && b.isBreak(all, l.Place, i, p.Name) {
			n++
		}
		if out[i] = l.unit(i, before, n); before >= 0 && b.arrives(l, before, i) {
			out[i]++
		}
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

// arrives reports whether a move that version before declares leads to a lineage's property in
// version i, and before lacks it. The property is then another one than those of its name that
// earlier versions, or their leaves, have.
func (b *placer) arrives(l *Lineage, before, i int) bool {
	if l.Live[before] != nil || l.Live[i] == nil {
		return false
	}
	return slices.ContainsFunc(b.stack, func(p *Place) bool {
		return p.Defs[before] != nil && slices.ContainsFunc(p.Departures(before), func(c Change) bool {
			d, name := around(p.Defs[i], c.Operation.To)
			return b.resource.arrives(&c, i) && d != nil && d == l.Place.Defs[i] && propertyOf(d, name) == l.Live[i]
		})
	})
}

// epoch returns the suffix of a value's kind that distinguishes it from the values before a
// break.
func epoch(n int) string {
	if n == 0 {
		return ""
	}
	return " " + strconv.Itoa(n)
}
