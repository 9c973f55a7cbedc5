package conformance

import "unsafe"

// objectIn returns the object that a node holds, and how one gets there.
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

// isPlain reports whether edits change nothing within values of a type.
func isPlain(n node) bool {
	switch n.(type) {
	case *object, *pointer, *list, *dict, mapping:
		return false
	default:
		return true
	}
}

// isAbsent reports whether a value is absent that may be.
func isAbsent(n node, p unsafe.Pointer) bool {
	switch n.(type) {
	case *pointer, *dict, mapping, *list, *free, *blob:
		return *(*unsafe.Pointer)(p) == nil
	default:
		return false
	}
}

// isZeroScalar reports whether a value that is no pointer is zero: types that authors wrote have
// such where others have nothing.
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

// deepest is how often a type may be entered again within itself.
const deepest = 2

// isClosed reports whether a type may not be entered again.
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
