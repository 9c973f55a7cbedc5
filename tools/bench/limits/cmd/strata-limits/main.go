// Command strata-limits measures how the time of conversion reviews grows, and calculates what a
// large cluster costs.
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

	"github.com/stratakube/strata/tools/bench/limits"
	"github.com/stratakube/strata/tools/bench/webhook"
	"github.com/stratakube/strata/tools/build/ratios"
	"github.com/stratakube/strata/tools/corpus"
)

func main() {
	rounds := flag.Int("rounds", 15, "how often each point of a curve has its turn")
	reports := flag.String("reports", "", "a folder that limits.md, limits.svg and ratios.json are written to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *rounds, *reports); err != nil {
		fmt.Fprintln(os.Stderr, "strata-limits: error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds int, reports string) error {
	return webhook.With(ctx, func(c *webhook.Contest, l *corpus.Lab) error {
		points, err := c.Curves(ctx, rounds)
		if err != nil {
			return err
		}
		r := limits.Report{Curves: limits.Curves(points)}
		if r.Record, err = ratios.Read(filepath.Join(l.Workspace.Root, "docs", "reports", ratios.File)); err != nil {
			return err
		}
		page, err := r.Page()
		fmt.Print(page)
		if err != nil || reports == "" {
			return err
		}
		return errors.Join(
			os.WriteFile(filepath.Join(reports, "limits.md"), []byte(page), 0o644),
			os.WriteFile(filepath.Join(reports, "limits.svg"), []byte(r.Chart()), 0o644),
			r.Ratios().Write(filepath.Join(reports, ratios.File)),
		)
	})
}
