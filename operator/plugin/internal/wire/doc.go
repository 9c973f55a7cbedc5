// Package wire defines what both sides of the wire must agree on for all kinds of plugins: the
// handshake, the environment, the header that names an instance, the service that lists what is
// served, and errors. Its number is that of the protocol, and independent of kinds and their
// versions.
package wire
