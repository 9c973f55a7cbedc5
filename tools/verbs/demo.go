package verbs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/stratakube/strata/tools/modules"
)

// Demo builds and runs the demo. Ctrl-C ends it in good order, which is no error.
func Demo(ctx context.Context) error {
	return do(ctx, one("demo", func(ctx context.Context, w *modules.Workspace) error {
		dir, err := os.MkdirTemp("", "strata-build-")
		if err != nil {
			return fmt.Errorf("make folder of demo: %w", err)
		}
		file := filepath.Join(dir, "strata-demo")
		if _, err = atRoot(w).Output(ctx, "go", "build", "-o", file, "./tools/demo/cmd/strata-demo"); err == nil {
			err = tell(ctx, w, file)
		}
		return errors.Join(err, os.RemoveAll(dir))
	}))
}

// tell runs the demo on the streams of this process, until it has ended: it takes seconds to stop what it has started. A
// terminal sends Ctrl-C to both, others to this process alone.
func tell(ctx context.Context, w *modules.Workspace, file string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	cmd := exec.CommandContext(ctx, file)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = w.Root, os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState != nil && cmd.ProcessState.Success() {
		return nil
	}
	return err
}
