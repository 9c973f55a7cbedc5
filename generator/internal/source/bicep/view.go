package bicep

import (
	"strconv"

	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/jsonschema"
)

// The flags of a property. Others are ignored.
const (
	isRequired  = 1
	isReadOnly  = 2
	isWriteOnly = 4
)

// accessOf returns how a property with flags may be used.
func accessOf(flags int) jsonschema.Access {
	return jsonschema.Access{NoWrite: flags&isReadOnly != 0, NoRead: flags&isWriteOnly != 0}
}

// splitViews finds the types that differ between the spec and the status: those with a property of
// only one of them, and all that refer to such types.
func (f *file) splitViews() []bool {
	split := make([]bool, len(f.types))
	from := make([][]int, len(f.types)) // the types that refer to a type
	var open []int
	for i, n := range f.types {
		if isOneSided(n) {
			split[i] = true
			open = append(open, i)
		}
		f.eachReference(n, func(to int) { from[to] = append(from[to], i) })
	}
	jsonschema.Spread(open, func(i int) []int { return from[i] }, func(i int) bool {
		known := split[i]
		split[i] = true
		return !known
	})
	return split
}

// isOneSided reports whether a type is sensitive, or has a property that is not both written and
// read.
func isOneSided(n document.Location) bool {
	for m := range n.All() {
		switch m.Name() {
		case "sensitive":
			if m.IsTrue() {
				return true
			}
		case "properties", "baseProperties":
			if hasOneSided(m) {
				return true
			}
		}
	}
	return false
}

// hasOneSided reports whether one of some properties is not both written and read.
func hasOneSided(properties document.Location) bool {
	for p := range properties.All() {
		if flags, _ := strconv.Atoi(p.Member("flags").Number()); flags&(isReadOnly|isWriteOnly) != 0 {
			return true
		}
	}
	return false
}

// eachReference calls visit for each type that a type refers to. It skips invalid references, which
// the compiler reports.
func (f *file) eachReference(n document.Location, visit func(i int)) {
	for m := range n.Below("$ref") {
		if i, ok := f.index(m); ok {
			visit(i)
		}
	}
}
