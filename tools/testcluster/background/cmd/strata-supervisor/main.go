// Command strata-supervisor keeps a cluster running in the background. `mage cluster:up` starts it
// with two folders: the folder of the cluster, and its programs.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/background"
	"github.com/stratakube/strata/tools/testcluster/binaries"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: strata-supervisor PLACE PROGRAMS")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := supervise(ctx, os.Args[1], binaries.Folder(os.Args[2]))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func supervise(ctx context.Context, dir string, programs binaries.Folder) error {
	folder := background.At(dir)
	return folder.Supervise(ctx, func(ctx context.Context) (background.Cluster, error) {
		return apiserver.Start(ctx, apiserver.Options{Programs: programs, Logs: folder.Logs()})
	})
}
