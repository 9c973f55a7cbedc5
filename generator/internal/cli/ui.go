package cli

// The rules of this user interface:
//
//   - Results go to stdout, and everything else to stderr. So a pipe gets only results.
//   - A message is `strata: error: ...`, `strata: warning: ...` or `strata: note: ...`, in lower
//     case and without a full stop. Its position is in front, and the piece of the source below.
//     `strata: hint: ...` says what to do about it.
//   - A run reports all errors at once, sorted, each once. After twenty of a kind it counts the
//     rest.
//   - -o json and -o yaml print one document on stdout, after errors, too. It includes the
//     messages. What goes to stderr stays the same.
//   - --quiet omits all but errors, warnings and results that the user asked for.
//   - Exit codes: 0 success; 1 findings (generate --check found drift, a strict check something
//     that is not assessed, diff --fail-on what breaks); 2 usage or input error; 130 after an
//     interrupt; 143 after a SIGTERM.
//   - No command asks, or waits for input, except for init on a terminal. An interrupt stops the
//     work. A second one kills the process.
//   - Colours are for terminals only, and never used when NO_COLOR is set.

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
	// Program is the name by which the user called the program, or empty.
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

// System returns the streams of the process.
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
