// Package demo runs the story of `mage demo`: one person, written in 2011 and read in 2019, on a
// real API server with the real webhook and kubectl. Every printed line is a shell command, and
// is run as printed. A command with an unexpected result ends the demo with an error.
//
// The story is a table in story.go. The demo prints it to a writer, and removes everything that
// it made.
package demo
