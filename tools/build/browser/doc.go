// Package browser starts a real browser for tests of pages, and for pictures that a browser
// renders, with the flags with which it calls nobody.
package browser
