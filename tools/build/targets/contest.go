package targets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/stratakube/strata/tools/bench/webhook"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/corpus"
)

// BenchWebhook measures the webhook beside its peers, in the cases that the expression matches, and prints the results as
// Markdown. With write they go, with their chart, to docs/reports.
func BenchWebhook(ctx context.Context, only string, rounds int, write bool) error {
	return do(ctx, one("bench:webhook", func(ctx context.Context, w *modules.Workspace) error {
		return inContest(ctx, func(c *webhook.Contest) error {
			results, err := c.Results(ctx, only, rounds)
			if err != nil {
				return err
			}
			fmt.Print(results.Page())
			if !write {
				return nil
			}
			return report(w, "webhook", results.Page(), results.Chart())
		})
	}))
}

// ProfileWebhook writes a CPU profile of the webhook in the cases that the expression matches.
func ProfileWebhook(ctx context.Context, only, file string) error {
	return do(ctx, one("bench:webhook", func(ctx context.Context, _ *modules.Workspace) error {
		return inContest(ctx, func(c *webhook.Contest) error { return c.Profile(ctx, only, file) })
	}))
}

func inContest(ctx context.Context, f func(*webhook.Contest) error) (err error) {
	l, err := corpus.OpenLab(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if l.Missing != nil {
		return l.Missing
	}
	c, err := webhook.Open(ctx, l)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Check(ctx); err != nil {
		return err
	}
	return f(c)
}

// report writes a page of docs/reports, and its chart.
func report(w *modules.Workspace, name, page, chart string) error {
	return reports(w, map[string]string{name + ".md": page, name + ".svg": chart})
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

// BenchPlugin measures plugins beside a bare go-plugin, and prints the results as Markdown. With write they go to docs/reports.
func BenchPlugin(ctx context.Context, rounds int, write bool) error {
	return do(ctx, one("bench:plugin", func(ctx context.Context, w *modules.Workspace) error {
		dir, err := os.MkdirTemp("", "strata-bench-*")
		if err != nil {
			return fmt.Errorf("make folder of benchmark: %w", err)
		}
		defer os.RemoveAll(dir)
		program := filepath.Join(dir, "bench")
		if err := atRoot(w).Go(ctx, "build", "-o", program, "./operator/plugin/internal/bench"); err != nil {
			return err
		}
		page, err := atRoot(w).Output(ctx, program, "-rounds="+strconv.Itoa(rounds))
		if err != nil {
			return err
		}
		fmt.Print(page)
		if !write {
			return nil
		}
		return reports(w, map[string]string{"plugin.md": page})
	}))
}

// BenchOperator has the operator look after a number of resources, and prints what that took as Markdown. With write it goes
// to docs/reports.
func BenchOperator(ctx context.Context, resources int, write bool) error {
	return do(ctx, one("bench:operator", func(ctx context.Context, w *modules.Workspace) error {
		page, err := atRoot(w).Output(ctx, "go", "run", "./tools/bench/operator/cmd/strata-load", "-resources="+strconv.Itoa(resources))
		if err != nil {
			return err
		}
		fmt.Print(page)
		if !write {
			return nil
		}
		return reports(w, map[string]string{"operator.md": page})
	}))
}
