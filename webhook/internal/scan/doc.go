// Package scan finds values in JSON text without decoding it.
//
// It contains [Text], which checks grammar, encoding and depth in one pass, from a slice or from a
// reader, and buffers no more than necessary; and [Members], which iterates over the members of an
// object. Nothing here recurses, so that a level of depth costs one bit and no stack. Only the
// buffer is allocated.
//
// Package review reads reviews with it, and engines read objects with it.
package scan
