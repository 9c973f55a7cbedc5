// Package releases owns the record of what has been released of the kinds of plugins, in the folder releases of the module:
//
//	releases.json           which version of each kind is the newest in each release
//	<release>/api.txt       the Go interfaces of all versions
//	<release>/image.binpb   the protobuf files, as buf builds them
//	<release>/framework.txtar   what a plugin was built of, and a plugin
//
// The tests of this package hold today's code to it. What it does not check, the protobuf files against the images, needs
// buf: go tool mage proto:check.
package releases
