package targets

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/stratakube/strata/tools/build/modules"
)

// contest is the command that measures the webhook. It is run, and not imported, since it needs
// what only corpora need.
const contest = "./tools/bench/webhook/cmd/strata-contest"

// BenchWebhook measures the webhook beside its peers, in the cases that the expression matches, and
// prints the results as Markdown. With write they go, with their chart, to docs/reports.
func BenchWebhook(ctx context.Context, only string, rounds int, write bool) error {
	return do(ctx, one("bench:webhook", func(ctx context.Context, w *modules.Workspace) error {
		args := []string{"run", contest, "-only=" + only, "-rounds=" + strconv.Itoa(rounds)}
		if write {
			args = append(args, "-reports="+filepath.Join(w.Root, "docs", "reports"))
		}
		return atRoot(w).Go(ctx, args...)
	}))
}

// ProfileWebhook writes a CPU profile of the webhook in the cases that the expression matches.
func ProfileWebhook(ctx context.Context, only, file string) error {
	return do(ctx, one("bench:webhook", func(ctx context.Context, w *modules.Workspace) error {
		file, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		return atRoot(w).Go(ctx, "run", contest, "-only="+only, "-profile="+file)
	}))
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

// BenchPlugin measures plugins beside a bare go-plugin, and prints the results as Markdown. With
// write they go to docs/reports.
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

// BenchOperator measures the operator with a number of resources, and prints the figures as
// Markdown. With write it writes them to docs/reports.
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

// BenchUpgrade measures an upgrade with a number of objects, and prints the figures as Markdown.
// With write it writes them to docs/reports.
func BenchUpgrade(ctx context.Context, objects int, write bool) error {
	return do(ctx, one("bench:upgrade", func(ctx context.Context, w *modules.Workspace) error {
		dir, err := os.MkdirTemp("", "strata-bench-*")
		if err != nil {
			return fmt.Errorf("make folder of benchmark: %w", err)
		}
		defer os.RemoveAll(dir)
		file := filepath.Join(dir, "upgrade.md")
		if err := atRoot(w).Go(ctx, "test", afresh, "-timeout=0", "-run=^TestFigures$", "./tools/e2e/upgrade", "-figures="+strconv.Itoa(objects), "-figures-page="+file); err != nil {
			return err
		}
		page, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read figures: %w", err)
		}
		fmt.Print(string(page))
		if !write {
			return nil
		}
		return reports(w, map[string]string{"upgrade.md": string(page)})
	}))
}
