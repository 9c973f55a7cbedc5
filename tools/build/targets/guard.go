package targets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/ratios"
)

// mostLoss is how large a result may be, as a multiple of the recorded one.
const mostLoss = 1.15

// attempts is how often a benchmark is run while results are worse than recorded ones. The least
// of each result counts, because other work on the machine makes results worse.
const attempts = 3

// guarded are the benchmarks whose results are compared with recorded ones. Their sizes are those
// of a run that takes minutes: the results do not depend on them.
var guarded = []struct {
	benchmark
	size    int
	profile func(ctx context.Context, w *modules.Workspace, file string) error // nil if there is none
}{
	{webhook("."), 7, func(ctx context.Context, w *modules.Workspace, file string) error {
		return profileWebhook(ctx, w, ".", file)
	}},
	{plugin, 7, nil},
	{operator, 300, nil},
	{scale, 10_000, nil},
	{upgrade, 200, nil},
	{reviews, 1, nil},
	{crds, 100, nil},
	{limits, 7, nil},
	{code(true), 1, nil},
}

// BenchGuard measures the benchmarks whose names the expression matches, and compares their ratios
// and counts with the recorded ones. It fails where one is larger by more than 15 %. The report and
// profiles go to bin/guard.
func BenchGuard(ctx context.Context, only string) error {
	expression, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	var parts []part
	for _, g := range guarded {
		if expression.MatchString(g.name) {
			parts = append(parts, one("guard "+g.name, func(ctx context.Context, w *modules.Workspace) error {
				return guard(ctx, w, g.benchmark, g.size, g.profile)
			}))
		}
	}
	if len(parts) == 0 {
		return fmt.Errorf("-only: no benchmark has a name that matches %q", only)
	}
	return do(ctx, parts...)
}

func guard(ctx context.Context, w *modules.Workspace, b benchmark, size int, profile func(context.Context, *modules.Workspace, string) error) error {
	all, err := ratios.Read(record(w))
	if err != nil {
		return err
	}
	recorded := all[b.name]
	if len(recorded) == 0 {
		return fmt.Errorf("nothing is recorded of %s; record it with `go tool mage bench:%s -write`", b.name, b.name)
	}
	folder := filepath.Join(w.Root, "bin", "guard")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make folder of guard: %w", err)
	}
	least, losses, err := b.again(ctx, w, size, recorded)
	if err != nil {
		return err
	}
	page := compared(b.name, recorded, least, losses)
	fmt.Print(page)
	err = os.WriteFile(filepath.Join(folder, b.name+".md"), []byte(page), 0o644)
	if profile != nil {
		err = errors.Join(err, profile(ctx, w, filepath.Join(folder, b.name+".pprof")))
	}
	if len(losses) > 0 {
		err = errors.Join(err, fmt.Errorf("%d of %d results of %s are more than %.0f %% worse than recorded", len(losses), len(recorded), b.name, 100*(mostLoss-1)))
	}
	return err
}

// again measures until no result is worse than the recorded one, a few times at most. It returns
// the least of each result.
func (b benchmark) again(ctx context.Context, w *modules.Workspace, size int, recorded ratios.Set) (least ratios.Set, losses []ratios.Loss, err error) {
	for range attempts {
		err := b.in(ctx, w, size, func(folder string) error {
			set, err := ratios.ReadSet(filepath.Join(folder, ratios.File))
			least = least.Least(set)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		if losses, err = recorded.Losses(least, mostLoss); err != nil || len(losses) == 0 {
			return least, nil, err
		}
	}
	return least, losses, nil
}

// compared is the report on a benchmark, in Markdown.
func compared(name string, recorded, least ratios.Set, losses []ratios.Loss) string {
	var out strings.Builder
	fmt.Fprintf(&out, "## %s\n\n%d results, %d of them more than %.0f %% worse than recorded.\n", name, len(least), len(losses), 100*(mostLoss-1))
	all, _ := recorded.Losses(least, 0) // with an error, nobody gets here
	if len(all) == 0 {
		return out.String()
	}
	out.WriteString("\n| the worst results | recorded | measured | times |\n|---|---|---|---|\n")
	for _, l := range all[:min(len(all), max(10, len(losses)))] {
		fmt.Fprintf(&out, "| %s | %.3f | %.3f | %.2f |\n", l.Name, l.Recorded, l.Measured, l.Times())
	}
	return out.String()
}
