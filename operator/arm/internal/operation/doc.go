// Package operation follows changes that take long, in all the ways in which ARM tells of them.
// What is known of one is a handle, a text that any process can go on with.
package operation
