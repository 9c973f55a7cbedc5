// Package releases maintains the record of a project's released kinds of plugins, in the folder
// releases of its module:
//
//	releases.json           which version of each kind is the newest in each release
//	<release>/image.binpb   the compiled protobuf files
//	<release>/plugin.txtar  the sources of a plugin, and of what the module adds to it
//
// From the protobuf files follows everything that plugins and hosts can notice: a Go interface and
// its service have the same methods, or the version does not work.
package releases
