package cli

// The rules of this user interface:
//
//   - Results go to stdout, everything else to stderr; so a pipe gets results only.
//   - A message is `strata: error: ...`, `strata: warning: ...` or `strata: note: ...`,
//     lower case, without a full stop, with its place in front and the piece of
//     the source below; `strata: hint: ...` says what to do about it.
//   - All that is wrong is told at once, sorted, each thing once; after twenty of
//     a kind the rest is counted.
//   - -o json and -o yaml print one document on stdout, whatever happens, messages
//     included; what goes to stderr stays the same.
//   - --quiet leaves errors, warnings and results that were asked for.
//   - Exit codes: 0 done, 1 findings (generate --check found drift, a strict check
//     something that nobody has assessed, diff --fail-on what breaks), 2 usage or
//     input error, 130 after an interrupt and 143 after a SIGTERM.
//   - Nothing asks, nothing waits for input, but for init on a terminal. An
//     interrupt stops the work; a second one kills.
//   - Colours only on a terminal, and never when NO_COLOR is set.

import (
	"io"
	"os"

	"golang.org/x/term"
)

// The exit codes.
const (
	Done     = 0
	Findings = 1
	Failed   = 2

	Interrupted = 130
	Terminated  = 143
)

// Streams are the streams of the command line.
type Streams struct {
	// Program is how the user called the program; empty where nobody did.
	Program  string
	In       io.Reader
	Out, Err io.Writer
	// Terminal states that Err is a terminal, which shows progress as a bar.
	Terminal bool
	// Interactive reports whether the user can answer: In and Err are terminals.
	Interactive bool
	// Colour allows terminal colours on Err.
	Colour bool
}

// System gives the streams of the process.
func System() Streams {
	terminal := term.IsTerminal(int(os.Stderr.Fd()))
	return Streams{
		Program: os.Args[0],
		In:      os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Terminal:    terminal && os.Getenv("TERM") != "dumb",
		Interactive: terminal && term.IsTerminal(int(os.Stdin.Fd())),
		Colour:      terminal && os.Getenv("TERM") != "dumb" && os.Getenv("NO_COLOR") == "",
	}
}
