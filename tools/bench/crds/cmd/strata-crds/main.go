// Command strata-crds measures what CRDs cost an API server.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/stratakube/strata/tools/bench/crds"
	"github.com/stratakube/strata/tools/build/ratios"
	"github.com/stratakube/strata/tools/corpus"
)

func main() {
	count := flag.Int("count", 100, "how many CRDs a set of Strata has")
	reports := flag.String("reports", "", "a folder that crds.md and ratios.json are written to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	figures, err := measure(ctx, *count)
	var cached []crds.Cached
	if err == nil {
		cached, err = cache(ctx)
	}
	if err == nil && *reports != "" {
		err = errors.Join(
			os.WriteFile(filepath.Join(*reports, "crds.md"), []byte(crds.Page(figures, cached)), 0o644),
			crds.Ratios(figures, cached).Write(filepath.Join(*reports, ratios.File)),
		)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "strata-crds: error:", err)
		os.Exit(1)
	}
	fmt.Print(crds.Page(figures, cached))
}

func measure(ctx context.Context, count int) (all []crds.Figures, err error) {
	sets, err := sets(ctx, count)
	if err != nil {
		return nil, err
	}
	for _, set := range sets {
		f, err := crds.Measure(ctx, set, report)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", set.Name, err)
		}
		report(fmt.Sprintf("%+v", f))
		all = append(all, f)
	}
	return all, nil
}

// sets generates the CRDs of Strata, and reads those of vendors.
func sets(ctx context.Context, count int) (all []crds.Set, err error) {
	l, err := corpus.OpenLab(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if l.Missing != nil {
		return nil, l.Missing
	}
	report("generating CRDs from all ARM schemas")
	p, err := l.Project("crds", corpus.Project{Include: corpus.Of()})
	if err != nil {
		return nil, err
	}
	if _, err := l.Generate(ctx, p); err != nil {
		return nil, err
	}
	generated, err := corpus.ReadDefinitions(p.Output())
	if err != nil {
		return nil, err
	}
	bySize := crds.Spread(generated, len(generated))
	all = append(all,
		crds.Set{Name: "Strata, kinds of all sizes", Definitions: crds.Spread(generated, count)},
		crds.Set{Name: "Strata, the largest kinds", Definitions: bySize[max(0, len(bySize)-10):]},
	)
	vendors, err := filepath.Glob(filepath.Join(l.Definitions(), "*"))
	if err != nil {
		return nil, err
	}
	slices.Sort(vendors)
	for _, vendor := range vendors {
		definitions, err := crds.Read(vendor)
		if err != nil {
			return nil, err
		}
		if len(definitions) > 0 {
			all = append(all, crds.Set{Name: filepath.Base(vendor), Definitions: definitions})
		}
	}
	return all, nil
}

// cache measures kinds that serve one version, and twice as many each time.
func cache(ctx context.Context) (all []crds.Cached, err error) {
	for _, served := range []int{1, 2, 4, 8} {
		c, err := crds.Cache(ctx, served, 1000, report)
		if err != nil {
			return nil, fmt.Errorf("cache objects in %d versions: %w", served, err)
		}
		all = append(all, c)
	}
	return all, nil
}

func report(line string) { fmt.Fprintln(os.Stderr, line) }
