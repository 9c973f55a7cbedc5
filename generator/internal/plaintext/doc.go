// Package plaintext makes text from users' files safe for what Strata writes: comments,
// descriptions, reports and terminals. Every printer cleans such text here, so that nothing in it
// is read as a directive, a marker, markup or an escape sequence.
package plaintext
