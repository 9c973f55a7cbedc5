package hostile

import (
	"math/rand/v2"
	"reflect"
)

// Kind describes the kind whose objects a [Drawer] draws.
type Kind struct {
	Group, Name string
	// Hub is the label of the storage version, and Stored the type of its objects.
	Hub    string
	Stored reflect.Type
	// Versions are labels of API versions.
	Versions []string
}

// drawer draws values, as trees of JSON.
type drawer struct {
	*rand.Rand
	kind Kind
	// odd is the probability, in 1000ths, of rare features.
	odd int
	// byName are the types that members of a name have in storage. Floats are the names of
	// numbers that are not always whole.
	byName map[string][]reflect.Type
	floats map[string]bool
	names  []string
}

func (d *drawer) one(in int) bool { return d.IntN(in) == 0 }
func (d *drawer) isOdd() bool     { return d.IntN(1000) < d.odd }

func pick[T any](d *drawer, all ...T) T { return all[d.IntN(len(all))] }
