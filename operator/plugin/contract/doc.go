// Package contract says what a kind of plugin and a version of it are.
//
// A kind is a contract between hosts and plugins, and has numbered versions. A version is a Go interface, T, and a
// protobuf service with the same methods, strata.<kind>.v<number>.<Interface>. Its package declares it:
//
//	var Version = define(contract.Adapted(v1.Version, adapt))
//
// What define says of the service, its methods and its client, is generated with the messages.
//
// Servers and hosts need no more than that. A version knows the one before it, and how a plugin that has only that one is
// used instead, or why it must not be. Versions therefore form a chain, and nobody but the newest has to know all of it.
//
// The number of the protocol on the wire is a third thing beside kind and version, and none of this package's.
package contract
