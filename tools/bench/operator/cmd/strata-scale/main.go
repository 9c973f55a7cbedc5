// Command strata-scale measures how operators start with several numbers of resources, and how much
// memory a resource takes.
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
	"time"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/bench/operator"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/ratios"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
)

func main() {
	resources := flag.Int("resources", 50_000, "how many resources there are in the end; a tenth, a fifth and half of them come before")
	namespaces := flag.Int("namespaces", 100, "how many namespaces the resources are in")
	reports := flag.String("reports", "", "a folder that scale.md, scale.svg and ratios.json are written to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := measure(ctx, *resources, *namespaces)
	if err == nil && *reports != "" {
		err = errors.Join(
			os.WriteFile(filepath.Join(*reports, "scale.md"), []byte(s.Page()), 0o644),
			os.WriteFile(filepath.Join(*reports, "scale.svg"), []byte(s.Chart()), 0o644),
			s.Ratios().Write(filepath.Join(*reports, ratios.File)),
		)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "strata-scale: error:", err)
		os.Exit(1)
	}
	fmt.Print(s.Page())
}

// memory is what the API server may use. Each object takes it some four times its bytes, and lists
// take more.
const memory = "6GiB"

// calls is how many calls the simulator remembers for each resource: more than an operator may
// make.
const calls = 4

func measure(ctx context.Context, resources, namespaces int) (s operator.Scale, err error) {
	dir, err := os.MkdirTemp("", "strata-scale-")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(dir)
	w, err := modules.Find(".")
	if err != nil {
		return s, err
	}
	programs, err := env.Build(ctx, dir)
	if err != nil {
		return s, err
	}
	cluster, err := apiserver.Start(ctx, apiserver.Options{Memory: memory, Report: report})
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, cluster.Stop()) }()
	r, err := env.Open(ctx, env.Options{
		Programs: programs, Definitions: filepath.Join(w.Root, "operator", "api", "crds"), Cluster: cluster, Report: report,
		Simulator: armsim.Options{Schemas: []string{filepath.Join(w.Root, "schemas", "crm")}, Calls: calls * resources, CallBytes: 1 << 30},
	})
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := r.Define(ctx); err != nil {
		return s, err
	}
	return operator.RunScale(ctx, r, operator.ScaleOptions{
		Sizes: []int{resources / 10, resources / 5, resources / 2, resources}, Namespaces: namespaces, Rest: 5 * time.Minute,
	}, report)
}

func report(line string) {
	fmt.Fprintln(os.Stderr, time.Now().Format(time.TimeOnly), line)
}
