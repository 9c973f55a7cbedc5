package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// The exit codes.
const (
	Done     = 0
	Findings = 1
	Failed   = 2
)

// Streams are the outputs of the command line.
type Streams struct{ Out, Err io.Writer }

// errFindings ends a command that has already printed its findings.
var errFindings = errors.New("findings")

type command struct {
	usage, short string
	run          func(ctx context.Context, args []string, s Streams) error
}

func commands() map[string]command {
	return map[string]command{
		"new":    {"new NAME [--dir DIR] [--module PATH]", "write a plugin to begin with", runNew},
		"list":   {"list [--dir DIR] [-o table|json]", "list the plugins of a folder, each name once", runList},
		"verify": {"verify [--dir DIR] [--write [--environment FILE=PATTERN]]", "start the plugins of a folder and compare them with its lock", runVerify},
	}
}

var order = []string{"new", "list", "verify"}

// Run runs one command line, without the program's name, and returns the exit code.
func Run(ctx context.Context, args []string, s Streams) int {
	if len(args) == 0 || args[0] == "help" || args[0] == "--help" || args[0] == "-h" {
		help(s.Out)
		return Done
	}
	c, ok := commands()[args[0]]
	if !ok {
		complain(s, fmt.Errorf("unknown command %q", args[0]))
		fmt.Fprintf(s.Err, "strata plugin: hint: there are %s\n", strings.Join(order, ", "))
		return Failed
	}
	switch err := c.run(ctx, args[1:], s); {
	case err == nil:
		return Done
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(s.Out, "usage: strata plugin %s\n\n%s\n", c.usage, c.short)
		return Done
	case errors.Is(err, errFindings):
		return Findings
	default:
		complain(s, err)
		return Failed
	}
}

func help(w io.Writer) {
	fmt.Fprintln(w, "strata plugin looks after plugins of the operator.")
	fmt.Fprintln(w)
	for _, name := range order {
		c := commands()[name]
		fmt.Fprintf(w, "  strata plugin %-38s %s\n", c.usage, c.short)
	}
}

// complain prints all errors, one a line.
func complain(s Streams, err error) {
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(s.Err, "strata plugin: error: %s\n", strings.TrimRight(line, "\n"))
	}
}

// flags parses the flags of a command at any position, and returns the other arguments.
func flags(args []string, declare func(*flag.FlagSet)) ([]string, error) {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	declare(set)
	var words []string
	for len(args) > 0 {
		if err := set.Parse(args); err != nil {
			return nil, err
		}
		if args = set.Args(); len(args) > 0 {
			words, args = append(words, args[0]), args[1:]
		}
	}
	return words, nil
}

func noWords(words []string) error {
	if len(words) > 0 {
		return fmt.Errorf("unexpected %q", strings.Join(words, " "))
	}
	return nil
}
