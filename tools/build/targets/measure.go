package targets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/ratios"
)

// benchmark is a program that writes its report into a folder: NAME.md, perhaps NAME.svg, and
// ratios.json.
type benchmark struct {
	name string
	// measure runs the program. The size is the number of rounds, resources or objects.
	measure func(ctx context.Context, w *modules.Workspace, size int, folder string) error
}

// measuring shows the progress of a program that measures, but not the page that it prints: the
// page is in its folder.
func measuring(w *modules.Workspace) command.In {
	in := atRoot(w)
	in.Stdout = io.Discard
	return in
}

// in measures into a new folder, and calls a function with it.
func (b benchmark) in(ctx context.Context, w *modules.Workspace, size int, then func(folder string) error) error {
	folder, err := os.MkdirTemp("", "strata-bench-*")
	if err != nil {
		return fmt.Errorf("make folder of benchmark: %w", err)
	}
	defer os.RemoveAll(folder)
	if err := b.measure(ctx, w, size, folder); err != nil {
		return err
	}
	return then(folder)
}

// run measures, and prints the page. With write the report goes to docs/reports, and its ratios
// into their record.
func (b benchmark) run(ctx context.Context, size int, write bool) error {
	return do(ctx, one("bench:"+b.name, func(ctx context.Context, w *modules.Workspace) error {
		return b.in(ctx, w, size, func(folder string) error {
			page, err := os.ReadFile(filepath.Join(folder, b.name+".md"))
			if err != nil {
				return fmt.Errorf("read report: %w", err)
			}
			fmt.Print(string(page))
			if !write {
				return nil
			}
			return b.keep(w, folder)
		})
	}))
}

// keep copies a report from a folder to docs/reports, and records its ratios.
func (b benchmark) keep(w *modules.Workspace, folder string) error {
	files := map[string]string{}
	for _, name := range []string{b.name + ".md", b.name + ".svg"} {
		switch text, err := os.ReadFile(filepath.Join(folder, name)); {
		case err == nil:
			files[name] = string(text)
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("read report: %w", err)
		}
	}
	set, err := ratios.ReadSet(filepath.Join(folder, ratios.File))
	if err != nil {
		return err
	}
	all, err := ratios.Read(record(w))
	if err != nil {
		return err
	}
	if all[b.name] == nil {
		all[b.name] = ratios.Set{}
	}
	maps.Copy(all[b.name], set)
	if drawn := all.Chart(b.name); drawn != "" {
		files[b.name+".svg"] = drawn
	}
	return errors.Join(reports(w, files), all.Write(record(w)))
}

// record is the file of the recorded ratios.
func record(w *modules.Workspace) string {
	return filepath.Join(w.Root, "docs", "reports", ratios.File)
}

func reports(w *modules.Workspace, files map[string]string) error {
	dir := filepath.Join(w.Root, "docs", "reports")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	return nil
}

// contest is the command that measures the webhook. It is run, and not imported, since it needs
// what only corpora need.
const contest = "./tools/bench/webhook/cmd/strata-contest"

// webhook measures the webhook beside its peers, in the cases that the expression matches.
func webhook(only string) benchmark {
	return benchmark{"webhook", func(ctx context.Context, w *modules.Workspace, rounds int, folder string) error {
		return measuring(w).Go(ctx, "run", contest, "-only="+only, "-rounds="+strconv.Itoa(rounds), "-reports="+folder)
	}}
}

// BenchWebhook measures the webhook beside its peers, in the cases that the expression matches, and
// prints the results as Markdown. With write they go, with their chart, to docs/reports.
func BenchWebhook(ctx context.Context, only string, rounds int, write bool) error {
	return webhook(only).run(ctx, rounds, write)
}

// ProfileWebhook writes a CPU profile of the webhook in the cases that the expression matches.
func ProfileWebhook(ctx context.Context, only, file string) error {
	return do(ctx, one("bench:webhook", func(ctx context.Context, w *modules.Workspace) error {
		file, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		return profileWebhook(ctx, w, only, file)
	}))
}

func profileWebhook(ctx context.Context, w *modules.Workspace, only, file string) error {
	return atRoot(w).Go(ctx, "run", contest, "-only="+only, "-profile="+file)
}

var plugin = benchmark{"plugin", func(ctx context.Context, w *modules.Workspace, rounds int, folder string) error {
	program := filepath.Join(folder, "bench")
	if err := atRoot(w).Go(ctx, "build", "-o", program, "./operator/plugin/internal/bench"); err != nil {
		return err
	}
	return measuring(w).Run(ctx, program, "-rounds="+strconv.Itoa(rounds), "-reports="+folder)
}}

// BenchPlugin measures plugins beside a bare go-plugin, and prints the results as Markdown. With
// write they go to docs/reports.
func BenchPlugin(ctx context.Context, rounds int, write bool) error {
	return plugin.run(ctx, rounds, write)
}

var operator = benchmark{"operator", func(ctx context.Context, w *modules.Workspace, resources int, folder string) error {
	return measuring(w).Go(ctx, "run", "./tools/bench/operator/cmd/strata-load", "-resources="+strconv.Itoa(resources), "-reports="+folder)
}}

// BenchOperator measures the operator with a number of resources, and prints the figures as
// Markdown. With write it writes them to docs/reports.
func BenchOperator(ctx context.Context, resources int, write bool) error {
	return operator.run(ctx, resources, write)
}

var scale = benchmark{"scale", func(ctx context.Context, w *modules.Workspace, resources int, folder string) error {
	return measuring(w).Go(ctx, "run", "./tools/bench/operator/cmd/strata-scale", "-resources="+strconv.Itoa(resources), "-reports="+folder)
}}

// BenchScale measures how operators start with several numbers of resources, up to one, and prints
// the figures as Markdown. With write it writes them to docs/reports.
func BenchScale(ctx context.Context, resources int, write bool) error {
	return scale.run(ctx, resources, write)
}

var upgrade = benchmark{"upgrade", func(ctx context.Context, w *modules.Workspace, objects int, folder string) error {
	return atRoot(w).Go(ctx, "test", afresh, "-timeout=0", "-run=^TestFigures$", "./tools/e2e/upgrade", "-figures="+strconv.Itoa(objects), "-figures-reports="+folder)
}}

// BenchUpgrade measures an upgrade with a number of objects, and prints the figures as Markdown.
// With write it writes them to docs/reports.
func BenchUpgrade(ctx context.Context, objects int, write bool) error {
	return upgrade.run(ctx, objects, write)
}

var reviews = benchmark{"reviews", func(ctx context.Context, w *modules.Workspace, _ int, folder string) error {
	return measuring(w).Go(ctx, "run", "./tools/bench/reviews/cmd/strata-reviews", "-reports="+folder)
}}

// BenchReviews counts the conversion reviews that an API server sends for one request, and prints
// the counts as Markdown. With write it writes them to docs/reports.
func BenchReviews(ctx context.Context, write bool) error { return reviews.run(ctx, 1, write) }

var crds = benchmark{"crds", func(ctx context.Context, w *modules.Workspace, count int, folder string) error {
	return measuring(w).Go(ctx, "run", "./tools/bench/crds/cmd/strata-crds", "-count="+strconv.Itoa(count), "-reports="+folder)
}}

// BenchCRDs measures what a number of CRDs cost an API server, and prints the figures as Markdown.
// With write it writes them to docs/reports.
func BenchCRDs(ctx context.Context, count int, write bool) error { return crds.run(ctx, count, write) }

// code measures generated code beside its peer, and with all also a process that registers the
// types of all schemas.
func code(all bool) benchmark {
	return benchmark{"code", func(ctx context.Context, w *modules.Workspace, _ int, folder string) error {
		return measuring(w).Go(ctx, "run", "./tools/bench/code/cmd/strata-code", "-all="+strconv.FormatBool(all), "-reports="+folder)
	}}
}

// BenchCode measures what generated code costs its users, and prints the figures as Markdown. With
// write it writes them to docs/reports.
func BenchCode(ctx context.Context, all, write bool) error { return code(all).run(ctx, 1, write) }

var limits = benchmark{"limits", func(ctx context.Context, w *modules.Workspace, rounds int, folder string) error {
	return measuring(w).Go(ctx, "run", "./tools/bench/limits/cmd/strata-limits", "-rounds="+strconv.Itoa(rounds), "-reports="+folder)
}}

// BenchLimits measures how the time of conversion reviews grows, and prints the figures as
// Markdown. With write it writes them to docs/reports.
func BenchLimits(ctx context.Context, rounds int, write bool) error {
	return limits.run(ctx, rounds, write)
}
