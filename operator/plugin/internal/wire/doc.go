// Package wire defines the parts of the protocol that are equal for all kinds of plugins. These
// are the handshake, the environment, the header that names an instance, the service that lists
// the served versions, and errors. Its number is that of the protocol, and independent of kinds
// and their versions.
package wire
