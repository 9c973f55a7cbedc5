package targets

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/packages"
)

// lengthy are folders whose packages TestLong tests, and Test does not. Their tests run clusters,
// browsers and compilers for minutes, or build what only a release needs.
var lengthy = []string{
	"operator/plugin/example/backup",
	"tools/bench",
	"tools/build/archives",
	"tools/build/images",
	"tools/build/release",
	"tools/build/site",
	"tools/demo",
	"tools/e2e/chaos",
	"tools/e2e/crdsource",
	"tools/e2e/explorer",
	"tools/e2e/history",
	"tools/e2e/install",
	"tools/e2e/olderobjects",
	"tools/e2e/originalversion",
	"tools/e2e/shards",
	"tools/e2e/tutorial",
	"tools/testcluster/apiserver",
	"tools/testcluster/background",
	"tools/testcluster/shared",
}

// first are folders whose tests take longest and wait for processes of theirs. They begin first, so
// that others use the processors meanwhile and no processor is idle in the end.
var first = []string{"tools/e2e/upgrade", "tools/e2e/chaos", "generator/internal/engine", "tools/e2e", "tools/bench", "tools/demo", "tools/corpus"}

// inOrder returns patterns of the packages of the modules that rest reports, but for those below
// the folders in left. Those below the folders in first begin.
func inOrder(ctx context.Context, w *modules.Workspace, left []string) ([]string, error) {
	there := slices.DeleteFunc(slices.Clone(left), func(folder string) bool { return !isThere(w, folder) })
	var begin, others []string
	for _, folder := range first {
		if isThere(w, folder) && !isBelow(folder, left) && !hasBelow(folder, left) {
			begin = append(begin, pattern(folder)+"/...")
		}
	}
	for _, m := range chosenOf(w, rest).Modules {
		if !hasBelow(m.Name, there) {
			others = append(others, m.Pattern())
			continue
		}
		listed, err := packages.List(ctx, &modules.Workspace{Root: w.Root, Modules: []modules.Module{m}})
		if err != nil {
			return nil, err
		}
		for _, p := range listed {
			folder, err := folderOf(w, p)
			if err != nil {
				return nil, err
			}
			switch {
			case isBelow(folder, left):
			case isBelow(folder, first):
				begin = append(begin, pattern(folder))
			default:
				others = append(others, pattern(folder))
			}
		}
	}
	return slices.Concat(begin, others), nil
}

func pattern(folder string) string { return "./" + folder }

func isThere(w *modules.Workspace, folder string) bool {
	_, err := os.Stat(filepath.Join(w.Root, filepath.FromSlash(folder)))
	return err == nil
}

// isBelow reports whether a folder is one of others, or below it.
func isBelow(folder string, others []string) bool {
	return slices.ContainsFunc(others, func(o string) bool { return folder == o || strings.HasPrefix(folder, o+"/") })
}

// hasBelow reports whether one of others is below a folder.
func hasBelow(folder string, others []string) bool {
	return slices.ContainsFunc(others, func(o string) bool { return isBelow(o, []string{folder}) })
}
