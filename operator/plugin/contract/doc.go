// Package contract defines kinds of plugins and their versions.
//
// A kind is a contract between hosts and plugins, and has numbered versions. A version is a Go
// interface, T, and a protobuf service with the same methods. The service is named
// <project>.<kind>.v<number>.<Interface>. The package of the version declares it:
//
//	var Version = define(contract.Adapted(v1.Version, adapt))
//
// The function define is generated with the messages. It adds the service, its methods and its
// client.
//
// Servers and hosts need nothing else. A version refers to the one before it, and may refer to
// earlier ones directly. It determines how a plugin with only such a version is adapted, or why
// it must not be. Versions therefore form a chain, and only the newest refers to all of it.
//
// The protocol on the wire has a number of its own, which is independent of kinds and versions.
// Package wire defines it.
package contract
