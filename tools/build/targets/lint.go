package targets

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/packages"
	"github.com/stratakube/strata/tools/build/standalone"
)

// Lint reads the code without running it.
func Lint(ctx context.Context) error {
	return do(ctx, one("gofmt", gofmt), overAll("vet", nil, "vet"), one("vet magefile", vetMagefile), golangci(nil),
		one("tidy", untidy), toolboxes("tidy", "mod", "tidy", "-diff"))
}

// Tidy writes go.mod and go.sum of all modules.
func Tidy(ctx context.Context) error {
	return do(ctx, one("tidy", func(ctx context.Context, w *modules.Workspace) error {
		changed, err := standalone.Tidy(ctx, w)
		for _, name := range changed {
			fmt.Println("tidied", name)
		}
		return err
	}), toolboxes("tidy", "mod", "tidy"))
}

func untidy(ctx context.Context, w *modules.Workspace) error {
	names, err := standalone.Untidy(ctx, w)
	if err == nil && len(names) > 0 {
		err = fmt.Errorf("go.mod or go.sum of %s is not tidy: run go tool mage tidy", strings.Join(names, ", "))
	}
	return err
}

func gofmt(ctx context.Context, w *modules.Workspace) error {
	root, err := command.In{}.Output(ctx, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	all, err := packages.List(ctx, w)
	if err != nil {
		return err
	}
	args := []string{"-l", filepath.Join(w.Root, "magefile.go")}
	for _, p := range all {
		args = append(args, p.Files()...)
	}
	unformatted, err := command.In{}.Output(ctx, filepath.Join(strings.TrimSpace(root), "bin", "gofmt"), args...)
	if err == nil && unformatted != "" {
		err = errors.New("not in gofmt's form:\n" + unformatted)
	}
	return err
}

func vetMagefile(ctx context.Context, w *modules.Workspace) error {
	return atRoot(w).Go(ctx, "vet", "magefile.go")
}

// golangci is one step for the packages of all modules, so that golangci-lint loads their imports
// once. It is a tool of tools/build/lint, a module outside of the workspace, so that no other
// module gets its many requirements. Its results for unchanged packages are stored beside the
// build cache.
func golangci(env []string) part {
	return one("golangci-lint", func(ctx context.Context, w *modules.Workspace) error {
		home := command.In{Dir: filepath.Join(w.Root, filepath.FromSlash(lintBox)), Env: append(slices.Clone(env), "GOWORK=off")}
		binary, err := home.Output(ctx, "go", "tool", "-n", "golangci-lint")
		if err != nil {
			return err
		}
		results, err := besideBuilds(ctx, "golangci-lint")
		if err != nil {
			return err
		}
		in := atRoot(w)
		in.Env = append(slices.Clone(env), "GOLANGCI_LINT_CACHE="+results)
		return in.Run(ctx, strings.TrimSpace(binary), append([]string{"run"}, w.Patterns()...)...)
	})
}
