// Package shape owns what the runtime knows of a Go type that stands for JSON: the members of its
// objects, where they lie in memory, and which of them can hold property bags.
//
// [Of] makes the shape of a type by reflection, once. Afterwards values are read and changed by
// address, so that code that visits many values costs little. Addresses are valid as long as a
// value of the type of the shape lies there; nothing here checks that.
package shape
