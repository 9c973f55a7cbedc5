// Package wire is what both sides of the wire must agree on, whatever the kinds of plugins: the handshake, the environment,
// the header that names an instance, the service that lists what is served, and errors. Its own number is that of the
// protocol; it says nothing about kinds and their versions.
package wire
