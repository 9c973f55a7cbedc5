package commandline

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// The exit codes.
const (
	Done     = 0
	Findings = 1
	Failed   = 2
)

// Streams are the outputs of the command line.
type Streams struct{ Out, Err io.Writer }

// Command is one command of a program.
type Command struct {
	Name, Usage, Short string
	Run                func(ctx context.Context, args []string, s Streams) error
}

// Program is a program with commands.
type Program struct {
	Name, Short string
	Commands    []Command
}

// Main runs the command line of the process until a signal, and returns the exit code.
func (p Program) Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // so that a second signal kills the process
	code := p.Run(ctx, os.Args[1:], Streams{Out: os.Stdout, Err: os.Stderr})
	if cause := context.Cause(ctx); cause != nil && code == Failed {
		return signaled(cause)
	}
	return code
}

// signaled returns the exit code of a run that a signal ended, as shells report it: 143 for
// SIGTERM, and 130 for an interrupt. The cause of the context's end names the signal.
func signaled(cause error) int {
	if strings.HasPrefix(cause.Error(), syscall.SIGTERM.String()) {
		return 128 + int(syscall.SIGTERM)
	}
	return 128 + int(syscall.SIGINT)
}

// Run runs one command line, without the program's name, and returns the exit code.
func (p Program) Run(ctx context.Context, args []string, s Streams) int {
	if len(args) > 1 && args[0] == "help" {
		args = []string{args[1], "--help"}
	}
	if len(args) == 0 || args[0] == "help" || args[0] == "--help" || args[0] == "-h" {
		p.help(s.Out)
		return Done
	}
	c, ok := p.find(args[0])
	if !ok {
		p.complain(s, fmt.Errorf("unknown command %q", args[0]))
		fmt.Fprintf(s.Err, "%s: hint: there are %s\n", p.Name, p.names())
		return Failed
	}
	var found *findings
	switch err := c.Run(ctx, args[1:], s); {
	case err == nil:
		return Done
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(s.Out, "usage: %s %s\n\n%s\n", p.Name, c.Usage, c.Short)
		return Done
	case errors.As(err, &found):
		p.complain(s, found.error)
		return Findings
	default:
		p.complain(s, err)
		return Failed
	}
}

func (p Program) find(name string) (Command, bool) {
	for _, c := range p.Commands {
		if c.Name == name {
			return c, true
		}
	}
	return Command{}, false
}

func (p Program) names() string {
	var all []string
	for _, c := range p.Commands {
		all = append(all, c.Name)
	}
	return strings.Join(all, ", ")
}

func (p Program) help(w io.Writer) {
	fmt.Fprintln(w, p.Short)
	fmt.Fprintln(w)
	width := 0
	for _, c := range p.Commands {
		width = max(width, len(c.Usage))
	}
	for _, c := range p.Commands {
		fmt.Fprintf(w, "  %s %-*s  %s\n", p.Name, width, c.Usage, c.Short)
	}
}

// complain prints all errors, one a line.
func (p Program) complain(s Streams, err error) {
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(s.Err, "%s: error: %s\n", p.Name, strings.TrimRight(line, "\n"))
	}
}

// Found returns an error that ends a command with findings, which Run prints.
func Found(err error) error { return &findings{err} }

type findings struct{ error }

// Flags parses the flags of a command at any position, and returns the other arguments.
func Flags(args []string, declare func(*flag.FlagSet)) ([]string, error) {
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

// NoWords refuses arguments that are not flags.
func NoWords(words []string) error {
	if len(words) > 0 {
		return fmt.Errorf("unexpected %q", strings.Join(words, " "))
	}
	return nil
}
