// Package scan finds values in JSON text without decoding it.
//
// It owns [Text], which checks grammar, encoding and depth in one pass, from a slice or from a reader of which it holds
// no more than it must, and [Members], which walks over the members of an object. Nothing here recurses, so that depth
// costs a bit a level and never stack; and nothing allocates but the buffer.
//
// Package review reads reviews with it, and engines may walk over objects with it.
package scan
