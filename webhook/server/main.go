package server

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/runtime"
)

// Exit codes of a command.
const (
	exitDone    = 0
	exitFailed  = 1
	exitMisused = 2
)

// Main is the main function of a webhook for the types that add registers. It reads the flags of
// the process, serves until SIGTERM or SIGINT, and exits. The code is 0 after all reviews were
// answered, 1 after an error, and 2 for wrong flags. A second signal ends the process at once.
//
// With the first argument convert, it answers the reviews on standard input instead, one on each
// line, and serves nothing. A signal ends it with the code 130 or 143.
func Main(add ...func(*k8sruntime.Scheme) error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, stop)
	os.Exit(Command(ctx, os.Args, os.Stdout, os.Stderr, add...))
}

// Command is Main without a process: it serves until ctx is done, and returns the exit code.
// args[0] is the name of the command. The command convert reads the standard input of the process.
func Command(ctx context.Context, args []string, stdout, stderr io.Writer, add ...func(*k8sruntime.Scheme) error) int {
	if len(args) > 1 && args[1] == convertCommand {
		return newConverting(args[0]).command(ctx, args[2:], os.Stdin, stdout, stderr, add)
	}
	f := newFlags(args[0])
	switch err := f.parse(args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		f.help(stdout)
		return exitDone
	case err != nil:
		fmt.Fprintf(stderr, "%s: error: %v\n%s: hint: --help lists all flags\n", f.name, err, f.name)
		return exitMisused
	}
	if err := f.serve(ctx, stderr, add); err != nil {
		fmt.Fprintf(stderr, "%s: error: %v\n", f.name, err)
		return exitFailed
	}
	return exitDone
}

// serve runs the server that the flags configure.
func (f *flags) serve(ctx context.Context, stderr io.Writer, add []func(*k8sruntime.Scheme) error) error {
	options := f.options
	options.Log = f.logger(stderr)
	options.Scheme = k8sruntime.NewScheme()
	if err := runtime.AddToScheme(options.Scheme, add...); err != nil {
		return fmt.Errorf("register types: %w", err)
	}
	source, err := f.source(options.Log)
	if err != nil {
		return err
	}
	options.Certificates = source
	traces, flush, err := f.traces(ctx)
	if err != nil {
		return err
	}
	options.Traces = traces
	defer flush()
	return Run(ctx, options)
}

func (f *flags) logger(stderr io.Writer) *slog.Logger {
	if f.logLevel == off {
		return nil
	}
	options := &slog.HandlerOptions{Level: f.level}
	if f.logFormat == "text" {
		return slog.New(slog.NewTextHandler(stderr, options))
	}
	return slog.New(slog.NewJSONHandler(stderr, options))
}
