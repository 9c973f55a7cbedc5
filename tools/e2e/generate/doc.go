// Package generate draws bodies that ARM schemas allow: bodies that a user could write in a
// version of an external API.
//
// It reads schemas as trees, much more simply than the generator: it resolves references, merges
// schemas and chooses branches, to write one value and not to know all of them. Tests call it
// that need valid input of an API that they do not know. CRDs and the simulator judge the bodies.
package generate
