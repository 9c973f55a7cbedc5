package targets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
)

// Demo builds and runs the demo. Ctrl-C ends it in good order, which is no error.
func Demo(ctx context.Context) error {
	return do(ctx, one("demo", func(ctx context.Context, w *modules.Workspace) error {
		return attended(ctx, w, "./tools/demo/cmd/strata-demo")
	}))
}

// Armsim builds and runs the simulator of ARM, with the words of ArgsVariable, else with the
// schemas of the worked example. Ctrl-C ends it.
func Armsim(ctx context.Context) error {
	args := strings.Fields(os.Getenv(ArgsVariable))
	if len(args) == 0 {
		args = []string{"--schemas", "schemas/crm"}
	}
	return do(ctx, one("armsim", func(ctx context.Context, w *modules.Workspace) error {
		return attended(ctx, w, "./tools/armsim/cmd/strata-armsim", args...)
	}))
}

// attended builds and runs a program whose output the user reads.
func attended(ctx context.Context, w *modules.Workspace, command string, args ...string) error {
	dir, err := os.MkdirTemp("", "strata-build-")
	if err != nil {
		return fmt.Errorf("make folder of %s: %w", command, err)
	}
	file := filepath.Join(dir, path.Base(command))
	if err = programs.Build(ctx, atRoot(w), file, command); err == nil {
		err = tell(ctx, w, file, args...)
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// tell runs a program on the streams of this process, and waits until it has ended: it takes
// seconds to stop its own processes. A terminal sends Ctrl-C to both processes, other senders to
// this one only.
func tell(ctx context.Context, w *modules.Workspace, file string, args ...string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	cmd := exec.CommandContext(ctx, file, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = w.Root, os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState != nil && cmd.ProcessState.Success() {
		return nil
	}
	return err
}
