package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/diag"
)

// prefix begins the names of programs that are commands of strata.
const prefix = "strata-"

var commandName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// external runs `strata X` as strata-X, if X is not built in and there is such
// a program. It is false when there is not.
func (a *app) external(ctx context.Context, root *cobra.Command, args []string) (bool, int) {
	if len(args) == 0 || !commandName.MatchString(args[0]) || builtIn(root, args[0]) {
		return false, 0
	}
	program, ok := findExternal(args[0])
	if !ok {
		return false, 0
	}
	command := exec.CommandContext(ctx, program, args[1:]...)
	command.Stdin, command.Stdout, command.Stderr = a.streams.In, a.streams.Out, a.streams.Err
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 30 * time.Second
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return true, Done
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return true, exit.ExitCode()
	}
	a.print([]diag.Message{diag.Errorf(diag.Pos{}, "%s: %v", filepath.Base(program), err)}, nil)
	return true, Failed
}

func builtIn(root *cobra.Command, name string) bool {
	return slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name || c.HasAlias(name) }) ||
		slices.Contains([]string{cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}, name)
}

// findExternal looks beside the executable first, then in PATH.
func findExternal(name string) (string, bool) {
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), fmt.Sprint(prefix, name))
		if program, err := exec.LookPath(beside); err == nil {
			return program, true
		}
	}
	program, err := exec.LookPath(prefix + name)
	return program, err == nil
}
