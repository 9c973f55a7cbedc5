package upgrade_test

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
	"github.com/stratakube/strata/tools/e2e/releases"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// strataCluster is the package of strata-cluster.
const strataCluster = "./operator/cluster/cmd/strata-cluster"

// program builds a program of the repository once for all tests of the package, and returns its
// file. pkg is its package, as in ./generator/cmd/strata.
func program(t testing.TB, pkg string) string {
	t.Helper()
	return once(t, pkg, func(ctx context.Context, dir string) (string, error) {
		w, err := modules.Find(".")
		if err != nil {
			return "", err
		}
		file := filepath.Join(dir, path.Base(pkg))
		return file, programs.Build(ctx, command.In{Dir: w.Root}, file, pkg)
	})
}

// made makes successive releases of the worked example once for all tests of the package, which
// only read them.
func made(t testing.TB, last ...string) []releases.Release {
	t.Helper()
	return once(t, strings.Join(last, " "), func(ctx context.Context, dir string) ([]releases.Release, error) {
		return releases.Make(ctx, dir, last...)
	})
}

// six makes the releases that most tests share. Each program of them is built once.
func six(t testing.TB) []releases.Release {
	t.Helper()
	return made(t, "2014-04-04", "2015-05-05", "2016-06-06", "2017-07-07", "2018-08-08", "2019-09-09")
}

// firstTwo returns two releases whose CRDs have few versions.
func firstTwo(t testing.TB) []releases.Release { return six(t)[:2] }

// lastTwo returns two releases whose CRDs have many versions, which take an API server long.
func lastTwo(t testing.TB) []releases.Release { return six(t)[4:] }

// known has the results of once, by the key.
var known struct {
	sync.Mutex
	results map[string]any
}

// once returns the result of make for a key. It calls make again only after an error.
func once[T any](t testing.TB, key string, make func(ctx context.Context, dir string) (T, error)) T {
	t.Helper()
	known.Lock()
	defer known.Unlock()
	if result, ok := known.results[key]; ok {
		return result.(T)
	}
	dir, err := os.MkdirTemp(shared.Folder(t), "built-")
	if err != nil {
		t.Fatal(err)
	}
	result, err := make(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if known.results == nil {
		known.results = map[string]any{}
	}
	known.results[key] = result
	return result
}
