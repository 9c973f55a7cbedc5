// Package generate draws bodies that ARM schemas allow: what a user could write in a version of an
// external API.
//
// It owns the reading of the schemas as trees, which is far less than the generator's: it resolves
// references, and merges and chooses branches, to write one value, not to know all of them. Tests
// that need true input of an API that they do not know are its callers. Whether a body is good is
// for the definitions and for the simulator to say.
package generate
