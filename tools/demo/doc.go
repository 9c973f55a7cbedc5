// Package demo owns the story that `mage demo` shows: one person, written in 2011 and read in 2019,
// on a real API server with the real webhook and kubectl. Every line that is shown is a line for a
// shell, and is run as it is shown; a line that ends in another way than the story says ends the
// demo with an error.
//
// The story is a table in story.go. It is told to a writer, and nothing is left when it is over.
package demo
