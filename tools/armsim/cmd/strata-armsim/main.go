// Command strata-armsim serves a simulator of Azure Resource Manager:
//
//	strata-armsim --schemas DIR [--schemas DIR ...] [flags]
//
// When it listens it prints its URL, alone on a line, to stdout; messages go to stderr. It stops at
// an interrupt, and exits with 0 then, with 1 when it failed, with 2 when it was asked wrongly.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/stratakube/strata/tools/armsim"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, out, messages io.Writer) int {
	options, listen, err := parse(args, out)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(messages, "strata-armsim: error: %v\nstrata-armsim: hint: -h lists the flags\n", err)
		return 2
	}
	if err := serve(ctx, options, listen, out); err != nil {
		fmt.Fprintf(messages, "strata-armsim: error: %v\n", err)
		return 1
	}
	return 0
}

// tokenVariable names the environment variable with the only bearer token that is taken.
const tokenVariable = "STRATA_ARMSIM_TOKEN"

func parse(args []string, out io.Writer) (options armsim.Options, listen string, err error) {
	f := flag.NewFlagSet("strata-armsim", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	o := &options
	o.Token = os.Getenv(tokenVariable)
	f.StringVar(&listen, "listen", "127.0.0.1:0", "`address` to listen on")
	f.Func("schemas", "`folder` of published ARM schemas, as <version>/<Provider>.json; repeatable", func(v string) error {
		o.Schemas = append(o.Schemas, v)
		return nil
	})
	f.StringVar(&o.State, "state", "", "`file` that stores the state; without it the state ends with the process")
	f.BoolVar(&o.Sync, "sync", false, "a write is answered when the state is on the disk; it then survives the end of the machine, and takes longer")
	f.StringVar(&o.CallLog, "call-log", "", "`file` to which each call is appended as a line of JSON")
	f.BoolVar(&o.Strict, "strict", false, "subscriptions and resource groups must be PUT first")
	f.BoolVar(&o.Anonymous, "anonymous", false, "calls need no Authorization; otherwise any bearer token is taken, or that of $"+tokenVariable)
	f.Uint64Var(&o.Seed, "seed", 0, "seed of keys and of which writes take long")
	f.DurationVar(&o.RetryAfter, "retry-after", time.Second, "the pause that clients are asked for between polls")
	f.Func("operations", "`file` of rules which writes take long, as PUT /_sim/operations takes them", decodes(&o.Operations))
	f.Func("faults", "`file` of faults, as PUT /_sim/faults takes them", decodes(&o.Faults))
	for name, rate := range map[string]*armsim.Rate{"reads": &o.Reads, "writes": &o.Writes, "deletes": &o.Deletes} {
		f.Func(name, "limit of a subscription's "+name+", as `PER-SECOND[:BURST]`", func(v string) error { return parseRate(v, rate) })
	}
	err = f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		f.SetOutput(out)
		f.Usage()
	case err == nil && f.NArg() > 0:
		err = fmt.Errorf("%q is no flag", f.Arg(0))
	case err == nil && len(o.Schemas) == 0:
		err = errors.New("--schemas names no folder")
	}
	return options, listen, err
}

func decodes(into any) func(string) error {
	return func(file string) error {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return armsim.Decode(data, into)
	}
}

func parseRate(text string, rate *armsim.Rate) (err error) {
	perSecond, burst, found := strings.Cut(text, ":")
	if rate.PerSecond, err = strconv.ParseFloat(perSecond, 64); err != nil {
		return err
	}
	if found {
		rate.Burst, err = strconv.Atoi(burst)
	}
	return err
}

func serve(ctx context.Context, options armsim.Options, listen string, out io.Writer) (err error) {
	simulator, err := armsim.Open(options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, simulator.Close()) }()
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "http://%s\n", listener.Addr())
	return simulator.Serve(ctx, listener)
}
