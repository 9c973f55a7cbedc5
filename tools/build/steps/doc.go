// Package steps runs the parts of a verb one after another. It announces them, handles failures,
// and prints the summary.
package steps
