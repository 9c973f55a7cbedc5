// Command strata-reviews counts the conversion reviews that an API server sends for one request.
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

	"github.com/stratakube/strata/tools/bench/reviews"
	"github.com/stratakube/strata/tools/build/ratios"
)

func main() {
	reports := flag.String("reports", "", "a folder that reviews.md and ratios.json are written to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	table, err := measure(ctx)
	if err == nil && *reports != "" {
		err = errors.Join(
			os.WriteFile(filepath.Join(*reports, "reviews.md"), []byte(reviews.Page(table)), 0o644),
			reviews.Ratios(table).Write(filepath.Join(*reports, ratios.File)),
		)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "strata-reviews: error:", err)
		os.Exit(1)
	}
	fmt.Print(reviews.Page(table))
}

func measure(ctx context.Context) (map[string]reviews.Costs, error) {
	counts, err := reviews.Run(ctx, func(line string) { fmt.Fprintln(os.Stderr, line) })
	if err != nil {
		return nil, err
	}
	return reviews.Table(counts)
}
