// Package shape describes the memory layout of Go types that represent JSON: the members of
// objects, their offsets, and which values can contain property bags.
//
// [Of] makes the shape of a type by reflection, once. Values are then read and changed by
// address, which makes visiting many values cheap. An address must be that of a value of the
// shape's type; the package does not check that.
package shape
