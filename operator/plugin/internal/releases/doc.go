// Package releases maintains the record of released kinds of plugins, in the folder releases of the
// module:
//
//	releases.json           which version of each kind is the newest in each release
//	<release>/api.txt       the Go interfaces of all versions
//	<release>/image.binpb   the protobuf files, as buf builds them
//	<release>/framework.txtar   what a plugin was built of, and a plugin
//
// The tests of this package compare today's code with it. They do not compare the protobuf files
// with the images, which needs buf: go tool mage proto:check.
package releases
