// Command strata-contest measures the conversion webhook beside its peers, and prints the results
// as Markdown.
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

	"github.com/stratakube/strata/tools/bench/webhook"
	"github.com/stratakube/strata/tools/build/ratios"
	"github.com/stratakube/strata/tools/corpus"
)

type options struct {
	only, profile, reports string
	rounds                 int
}

func main() {
	var o options
	flag.StringVar(&o.only, "only", ".", "a regular expression of cases")
	flag.IntVar(&o.rounds, "rounds", 15, "how often each handler has its turn")
	flag.StringVar(&o.profile, "profile", "", "a file for a CPU profile of the webhook, in place of results")
	flag.StringVar(&o.reports, "reports", "", "a folder that webhook.md, webhook.svg and ratios.json are written to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "strata-contest: error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	return webhook.With(ctx, func(c *webhook.Contest, _ *corpus.Lab) error {
		if err := c.Check(ctx); err != nil {
			return err
		}
		if o.profile != "" {
			_, err := c.Profile(ctx, o.only, webhook.Planned, o.profile)
			return err
		}
		results, err := c.Results(ctx, o.only, o.rounds)
		if err != nil {
			return err
		}
		fmt.Print(results.Page())
		return write(o.reports, results)
	})
}

// write writes the page, its chart and the ratios, if a folder is given.
func write(folder string, results webhook.Results) error {
	if folder == "" {
		return nil
	}
	return errors.Join(
		os.WriteFile(filepath.Join(folder, "webhook.md"), []byte(results.Page()), 0o644),
		os.WriteFile(filepath.Join(folder, "webhook.svg"), []byte(results.Chart()), 0o644),
		results.Ratios().Write(filepath.Join(folder, ratios.File)),
	)
}
