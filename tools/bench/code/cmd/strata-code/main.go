// Command strata-code measures what generated code costs its users.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/stratakube/strata/tools/bench/code"
	"github.com/stratakube/strata/tools/build/ratios"
	"github.com/stratakube/strata/tools/corpus"
)

func main() {
	reports := flag.String("reports", "", "a folder that code.md and ratios.json are written to")
	all := flag.Bool("all", true, "also measure a process that registers the types of all schemas")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	results, err := measure(ctx, *all)
	if err == nil && *reports != "" {
		err = errors.Join(
			os.WriteFile(filepath.Join(*reports, "code.md"), []byte(results.Page()), 0o644),
			results.Ratios().Write(filepath.Join(*reports, ratios.File)),
		)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "strata-code: error:", err)
		os.Exit(1)
	}
	fmt.Print(results.Page())
}

func measure(ctx context.Context, all bool) (r code.Results, err error) {
	l, err := corpus.OpenLab(ctx)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if l.Missing != nil {
		return r, l.Missing
	}
	if err := pair(ctx, l, &r); err != nil || !all {
		return r, err
	}
	for _, set := range []struct {
		name, module string
		providers    []string
	}{{"five providers", "code-five", corpus.Five}, {"all schemas", "code-all", nil}} {
		report("generating and compiling the code of " + set.name)
		f, err := registered(ctx, l, set.module, set.providers)
		if err != nil {
			return r, err
		}
		f.Name = set.name
		r.All = append(r.All, f)
	}
	return r, nil
}

// pair measures the code of Strata beside that of the peer.
func pair(ctx context.Context, l *corpus.Lab, r *code.Results) error {
	report("downloading the peer")
	p, err := code.OpenPeer(ctx, filepath.Join(l.Workspace.Root, "tools", "corpus", "testdata", "aso"))
	if err != nil {
		return err
	}
	r.Peer = p.Version
	report("generating code, and compiling both")
	ours, theirs, closing, err := code.Pair(ctx, l, p, filepath.Join(l.Dir, "peer"))
	if err != nil {
		return err
	}
	defer closing()
	if r.Ours, err = ours.Measure(ctx); err != nil {
		return err
	}
	if r.Theirs, err = theirs.Measure(ctx); err != nil {
		return err
	}
	report("compiling both by turns")
	times, err := code.Compile(ctx, ours, theirs)
	if err != nil {
		return err
	}
	r.Ours.Compile, r.Theirs.Compile = times[0], times[1]
	return nil
}

// registered measures a process that registers the types of providers.
func registered(ctx context.Context, l *corpus.Lab, module string, providers []string) (code.Figures, error) {
	c, closing, err := code.All(ctx, l, module, providers...)
	if err != nil {
		return code.Figures{}, err
	}
	defer closing()
	return c.Measure(ctx)
}

func report(line string) { fmt.Fprintln(os.Stderr, line) }
