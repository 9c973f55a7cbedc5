// Package textlist reads the lists of the build tools: words, budgets, and findings that a test
// accepts. A list has one entry a line. Lines that begin with # are comments.
package textlist
