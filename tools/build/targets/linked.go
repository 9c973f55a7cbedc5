package targets

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/linkcache"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
)

// linkedBytes is how much programs of tests may take beside the build cache. Those of one run of
// Test take 2.7 GiB.
const linkedBytes = 4 << 30

// storing returns the flags with which the go command stores the programs of tests that it links,
// and links none that is stored. Without them, as where the disk is full, tests take longer.
func storing(ctx context.Context, w *modules.Workspace, env []string) []string {
	flag, err := storeLinked(ctx, w, env)
	if err != nil {
		fmt.Fprintf(os.Stderr, "linked programs are not stored: %v\n", err)
		return nil
	}
	return []string{flag}
}

// storeLinked returns the flag that names the program which stores others, and their folder in the
// build cache. It first removes those that were used least recently.
func storeLinked(ctx context.Context, w *modules.Workspace, env []string) (flag string, err error) {
	dir, err := besideBuilds(ctx, "strata-link")
	if err != nil {
		return "", err
	}
	if err := linkcache.Trim(dir, linkedBytes); err != nil {
		return "", err
	}
	tool := filepath.Join(dir, "bin", "strata-linkcache")
	if err := programs.Build(ctx, command.In{Dir: w.Root, Env: env}, tool, "./tools/build/linkcache/cmd/strata-linkcache"); err != nil {
		return "", err
	}
	return fmt.Sprintf("-toolexec='%s' '%s'", tool, dir), nil
}

// besideBuilds returns a folder of the build cache for what the go command does not store.
func besideBuilds(ctx context.Context, name string) (string, error) {
	builds, err := command.In{}.Output(ctx, "go", "env", "GOCACHE")
	if err != nil {
		return "", err
	}
	return filepath.Join(strings.TrimSpace(builds), name), nil
}
