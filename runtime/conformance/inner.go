package conformance

import "unsafe"

// objectIn returns the object that a node contains, and the suffix of the path to it.
func objectIn(n node) (inner *object, path string) {
	switch n := n.(type) {
	case *object:
		return n, ""
	case *pointer:
		return objectIn(n.elem)
	case *list:
		inner, path = objectIn(n.elem)
		return inner, "[]" + path
	case *dict:
		inner, path = objectIn(n.elem)
		return inner, "{}" + path
	default:
		return nil, ""
	}
}

// isPlain reports whether edits never change anything within values of a type.
func isPlain(n node) bool {
	switch n.(type) {
	case *object, *pointer, *list, *dict, mapping:
		return false
	default:
		return true
	}
}

// isAbsent reports whether an optional value is absent.
func isAbsent(n node, p unsafe.Pointer) bool {
	switch n.(type) {
	case *pointer, *dict, mapping, *list, *free, *blob:
		return *(*unsafe.Pointer)(p) == nil
	default:
		return false
	}
}

// isZeroScalar reports whether a value that is no pointer is zero. Hand-written types have such a
// value in place of an absent one.
func isZeroScalar(n node, p unsafe.Pointer) bool {
	switch n := n.(type) {
	case *pointer, *list, *dict, mapping, *object:
		return false
	case interface{ isZero(p unsafe.Pointer) bool }:
		return n.isZero(p)
	default:
		return false
	}
}

// deepest bounds the nesting of a type within itself.
const deepest = 2

// isClosed reports whether a type is nested too deep in itself to be drawn again.
func isClosed(n node) bool {
	switch n := n.(type) {
	case *object:
		return n.open > deepest
	case *pointer:
		return isClosed(n.elem)
	default:
		return false
	}
}
