// Package steps runs the parts of a verb one after another. It owns how they are announced, what a
// failure does to the rest, and the summary at the end.
package steps
