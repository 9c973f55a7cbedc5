// Command strata-fetch brings the sources that schemas/sources.yaml pins, and
// computes new pins:
//
//	strata-fetch [run] [flags] [name ...]
//	strata-fetch pin [flags] <name>
//
// Results go to stdout, progress and messages to stderr. It exits with 0 when done, 1
// when a source could not be brought, 2 when it was asked wrongly.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/stratakube/strata/tools/build/fetch"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// asked is an error of how the command was called.
type asked struct{ error }

func (a asked) Unwrap() error { return a.error }

func run(ctx context.Context, args []string) int {
	verb := bring
	if len(args) > 0 && (args[0] == "run" || args[0] == "pin") {
		if args[0] == "pin" {
			verb = pin
		}
		args = args[1:]
	}
	err := verb(ctx, args)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	if _, wrong := errors.AsType[asked](err); wrong {
		return 2
	}
	return 1
}

// flags are those that both verbs know.
func flags(verb string, o *fetch.Options) *flag.FlagSet {
	f := flag.NewFlagSet("strata-fetch "+verb, flag.ContinueOnError)
	f.StringVar(&o.Sources, "sources", "schemas/sources.yaml", "the file of pins")
	f.StringVar(&o.Dest, "to", "schemas/.cache", "the folder where sources are brought")
	f.StringVar(&o.Mirror, "mirror", os.Getenv(fetch.MirrorVariable),
		"a folder or an https URL to use instead of the code host (default $"+fetch.MirrorVariable+")")
	o.Report = func(line string) { fmt.Fprintln(os.Stderr, line) }
	return f
}

func parse(f *flag.FlagSet, args []string) error {
	f.SetOutput(io.Discard)
	err := f.Parse(args)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, flag.ErrHelp):
		f.SetOutput(os.Stdout)
		f.Usage()
	}
	return asked{fmt.Errorf("fetch: %w; -h lists the flags", err)}
}

func bring(ctx context.Context, args []string) error {
	var o fetch.Options
	f := flags("run", &o)
	if err := parse(f, args); err != nil {
		return err
	}
	o.Only = f.Args()
	return fetch.Run(ctx, o)
}

// pin prints the entry of a source. If the source is pinned already, its pin provides the values
// of omitted flags.
func pin(ctx context.Context, args []string) error {
	var o fetch.Options
	var given fetch.Source
	f := flags("pin", &o)
	f.StringVar(&given.Repository, "repository", "", "host and path of the repository")
	f.StringVar(&given.Commit, "commit", "", "the full hash of the commit")
	f.Func("path", "a doublestar `glob` of files to take; may be given again", func(glob string) error {
		given.Paths = append(given.Paths, glob)
		return nil
	})
	if err := parse(f, args); err != nil {
		return err
	}
	if f.NArg() != 1 {
		return asked{errors.New("fetch: pin wants the name of one source, after the flags")}
	}
	given.Name = f.Arg(0)
	source, err := complete(given, o.Sources)
	if err != nil {
		return err
	}
	pinned, err := fetch.Compute(ctx, source, o)
	if err != nil {
		return err
	}
	_, err = fmt.Print(pinned)
	return err
}

func complete(s fetch.Source, path string) (fetch.Source, error) {
	if s.Repository != "" && s.Commit != "" && len(s.Paths) > 0 {
		return s, nil
	}
	known, err := fetch.ReadSources(path)
	if err != nil {
		return s, err
	}
	at := slices.IndexFunc(known, func(k fetch.Source) bool { return k.Name == s.Name })
	if at < 0 {
		return s, asked{fmt.Errorf("fetch: %s is not pinned in %s: give -repository, -commit and -path", s.Name, path)}
	}
	if s.Repository == "" {
		s.Repository = known[at].Repository
	}
	if s.Commit == "" {
		s.Commit = known[at].Commit
	}
	if len(s.Paths) == 0 {
		s.Paths = known[at].Paths
	}
	return s, nil
}
