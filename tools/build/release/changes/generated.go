package changes

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/release/settings"
)

// generated is the name of the output of the generator as an API.
const generated = "generated code"

// compareGenerated runs the present generator on the example of an earlier tree, and compares its
// output with what the earlier generator wrote. A release of the generator must not break code that
// imports generated code, if the schemas have not changed.
func compareGenerated(ctx context.Context, before, after string, w *modules.Workspace, g *settings.Generated) ([]Change, error) {
	work, err := os.MkdirTemp("", "strata-generated-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	if err := os.CopyFS(work, os.DirFS(after)); err != nil {
		return nil, err
	}
	for _, folder := range append([]string{g.Output}, g.Inputs...) {
		to := filepath.Join(work, filepath.FromSlash(folder))
		if err := os.RemoveAll(to); err != nil {
			return nil, err
		}
		if err := os.CopyFS(to, os.DirFS(filepath.Join(before, filepath.FromSlash(folder)))); err != nil {
			return nil, err
		}
	}
	in := command.In{Dir: work, Env: []string{"GOWORK=" + filepath.Join(work, "go.work")}}
	if _, err := in.Output(ctx, "go", append([]string{"run"}, g.Command...)...); err != nil {
		return nil, fmt.Errorf("generate the example of the last release: %w", err)
	}
	return compareOutputs(ctx, before, work, w, g)
}

func compareOutputs(ctx context.Context, before, after string, w *modules.Workspace, g *settings.Generated) ([]Change, error) {
	was, err := filesBelow(filepath.Join(before, filepath.FromSlash(g.Output)))
	if err != nil {
		return nil, err
	}
	is, err := filesBelow(filepath.Join(after, filepath.FromSlash(g.Output)))
	if err != nil {
		return nil, err
	}
	var out []Change
	isGoChanged := false
	for _, name := range slices.Sorted(maps.Keys(was)) {
		now, ok := is[name]
		switch {
		case bytes.Equal(was[name], now) && ok:
		case matches(g.Stay, name):
			out = append(out, Change{generated, Major, name + " changed, which must stay while the schemas do"})
		case strings.HasSuffix(name, ".go"):
			isGoChanged = true
			out = append(out, Change{generated, Patch, name + " changed"})
		case !ok:
			out = append(out, Change{generated, Minor, name + " was removed"})
		default:
			out = append(out, Change{generated, Minor, name + " changed"})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if _, ok := was[name]; !ok {
			isGoChanged = isGoChanged || strings.HasSuffix(name, ".go")
			out = append(out, Change{generated, Minor, name + " was added"})
		}
	}
	if !isGoChanged {
		return out, nil
	}
	if last, now := names(was, g.Constant), names(is, g.Constant); g.Constant != "" && !slices.Equal(last, now) {
		out = append(out, Change{generated, Minor, fmt.Sprintf("it needs another runtime: %s instead of %s", strings.Join(now, ", "), strings.Join(last, ", "))})
	}
	output, err := w.Module(g.Output)
	if err != nil {
		return nil, err
	}
	apis, err := compareModules(ctx, before, after, output)
	for _, c := range apis {
		out = append(out, Change{generated + ", " + c.API, c.Bump, c.Text})
	}
	return out, err
}

// compareModules compares the Go API of a module in two extracted trees.
func compareModules(ctx context.Context, before, after string, m modules.Module) ([]Change, error) {
	var both [2]*api
	for i, root := range []string{before, after} {
		var err error
		if both[i], err = load(ctx, root, m); err != nil {
			return nil, err
		}
	}
	return compareAPIs(both[0], both[1]), nil
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return doublestar.MatchUnvalidated(p, name) })
}

// names returns the constants with a prefix that files refer to, sorted.
func names(files map[string][]byte, prefix string) []string {
	all := map[string]bool{}
	pattern := regexp.MustCompile(`\b` + regexp.QuoteMeta(prefix) + `[0-9]+\b`)
	for _, text := range files {
		for _, name := range pattern.FindAll(text, -1) {
			all[string(name)] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
