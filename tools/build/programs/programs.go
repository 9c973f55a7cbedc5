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

// Build writes the program of a main package to file. The package is named as the go command in
// that folder names it; flags are those of `go build`.
func Build(ctx context.Context, in command.In, file, pkg string, flags ...string) error {
	file, err := filepath.Abs(file)
	if err != nil {
		return fmt.Errorf("build %s: %w", filepath.Base(file), err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("build %s: %w", filepath.Base(file), err)
	}
	if _, err := in.Output(ctx, "go", arguments(file, pkg, flags)...); err != nil {
		return fmt.Errorf("build %s: %w", filepath.Base(file), err)
	}
	return nil
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
