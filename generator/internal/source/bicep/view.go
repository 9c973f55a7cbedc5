package bicep

import (
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// view is what a type is looked at for.
type view uint8

const (
	spec   view = iota // what one may write
	status             // what one can read
)

// The flags of a property. Others are of no account here.
const (
	isRequired  = 1
	isReadOnly  = 2
	isWriteOnly = 4
)

// splitViews finds the types that are another in the status than in the spec: those
// with a property that only one of the two has, and all that lead to them.
func (d *document) splitViews() []bool {
	split := make([]bool, len(d.types))
	from := make([][]int, len(d.types)) // that refer to a type
	var queue []int
	for i, n := range d.types {
		if isOneSided(n) {
			split[i] = true
			queue = append(queue, i)
		}
		for to := range d.references(n) {
			from[to] = append(from[to], i)
		}
	}
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, j := range from[i] {
			if !split[j] {
				split[j] = true
				queue = append(queue, j)
			}
		}
	}
	return split
}

// isOneSided reports whether a type has something that is not both written and read.
func isOneSided(n jsontree.Node) bool {
	if n.Member("sensitive").IsTrue() {
		return true
	}
	for _, list := range [...]string{"properties", "baseProperties"} {
		for p := range n.Member(list).All() {
			if flags, _ := strconv.Atoi(p.Member("flags").Raw()); flags&(isReadOnly|isWriteOnly) != 0 {
				return true
			}
		}
	}
	return false
}

// references gives the types that a type refers to. Those that lead nowhere are
// left to those who follow them.
func (d *document) references(n jsontree.Node) func(yield func(int) bool) {
	return func(yield func(int) bool) { d.eachReference(n, yield) }
}

func (d *document) eachReference(n jsontree.Node, yield func(int) bool) bool {
	for m := range n.All() {
		if m.Name() == "$ref" {
			if i, ok := d.index(m); ok && !yield(i) {
				return false
			}
		} else if !d.eachReference(m, yield) {
			return false
		}
	}
	return true
}

// index is the index that the text of a reference names, if there is such a type.
func (d *document) index(ref jsontree.Node) (int, bool) {
	digits, ok := strings.CutPrefix(ref.Text(), "#/")
	i, err := strconv.Atoi(digits)
	return i, ok && err == nil && i >= 0 && i < len(d.types) && strconv.Itoa(i) == digits
}
