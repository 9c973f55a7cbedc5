package programs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/stratakube/strata/tools/build/command"
)

// Build writes the program of a main package to file, and replaces one that is there, also one that
// runs. The package is named as the go command in that folder names it; flags are those of `go
// build`.
func Build(ctx context.Context, in command.In, file, pkg string, flags ...string) error {
	file, err := filepath.Abs(file)
	if err != nil {
		return fmt.Errorf("build %s: %w", filepath.Base(file), err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("build %s: %w", filepath.Base(file), err)
	}
	if err := replace(file, func(part string) error {
		_, err := in.Output(ctx, "go", arguments(part, pkg, flags)...)
		return err
	}); err != nil {
		return fmt.Errorf("build %s: %w", filepath.Base(file), err)
	}
	return nil
}

// replace has a new file written in a folder beside file, and moves it there at once. Systems
// refuse to write to a program that runs, and macOS ends a signed program that was overwritten.
func replace(file string, write func(part string) error) error {
	dir, err := os.MkdirTemp(filepath.Dir(file), ".build-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	part := filepath.Join(dir, filepath.Base(file))
	if err := write(part); err != nil {
		return err
	}
	return os.Rename(part, file)
}

// copier is the program that receives the linked program and file as its arguments.
const copier = "cp"

// arguments are those of the go command. Without copier, the program is linked anew.
func arguments(file, pkg string, flags []string) []string {
	if path, err := exec.LookPath(copier); err == nil && filepath.IsAbs(path) {
		return slices.Concat([]string{"run", "-exec=" + copier}, flags, []string{pkg, file})
	}
	return slices.Concat([]string{"build", "-ldflags=-s -w"}, flags, []string{"-o", file, pkg})
}
