// Package command starts other programs for the verbs of the magefile. It owns what holds for all
// of them: the command line is shown before it runs, output is streamed, an error names the
// command, and when the context ends the program goes with everything that it has started.
package command
