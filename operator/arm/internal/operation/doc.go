// Package operation follows changes that take long, in all forms in which ARM reports them. A
// handle is the state of one, as a text with which any process can continue it.
package operation
