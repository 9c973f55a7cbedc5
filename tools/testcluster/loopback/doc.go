// Package loopback finds free addresses on the loopback interface, and reads from servers there.
package loopback
