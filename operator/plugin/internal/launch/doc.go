// Package launch starts plugins, once for each call: as a process whose program it checks first, or
// in memory for tests. It returns a session, which is one run of a plugin. Package host restarts
// plugins.
//
// go-plugin starts the process, makes the handshake and sets up TLS. Its Client is used for one
// session only. This package controls the process by its own runner, so that it can end a process
// that hangs.
package launch
