package bicep

import (
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// view selects the properties of a type: for the spec or for the status.
type view uint8

const (
	spec   view = iota // writable properties
	status             // readable properties
)

// The flags of a property. Others are ignored.
const (
	isRequired  = 1
	isReadOnly  = 2
	isWriteOnly = 4
)

// splitViews finds the types that differ between the spec and the status: those with a property of
// only one of them, and all that refer to such types.
func (d *document) splitViews() []bool {
	split := make([]bool, len(d.types))
	from := make([][]int, len(d.types)) // the types that refer to a type
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

// isOneSided reports whether a type has a property that is not both written and read.
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

// references yields the types that a type refers to. It skips invalid references; the compiler
// reports them.
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

// index returns the index in the text of a reference, if there is such a type.
func (d *document) index(ref jsontree.Node) (int, bool) {
	digits, ok := strings.CutPrefix(ref.Text(), "#/")
	i, err := strconv.Atoi(digits)
	return i, ok && err == nil && i >= 0 && i < len(d.types) && strconv.Itoa(i) == digits
}
