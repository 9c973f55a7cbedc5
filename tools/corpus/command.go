package corpus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
)

// Command is the command strata, built from the workspace.
type Command struct{ Path string }

// Build builds the command into a folder.
func Build(ctx context.Context, w *modules.Workspace, dir string) (Command, error) {
	path := filepath.Join(dir, "strata")
	return Command{path}, programs.Build(ctx, command.In{Dir: w.Root}, path, "./generator/cmd/strata", "-trimpath", "-buildvcs=false")
}

// Outcome is how a run of the command ended.
type Outcome struct {
	Code           int
	Stdout, Stderr []byte
	Cost           Cost
}

// Run runs the command for a project and waits for it. A run that ends with another code than 0 is
// no error.
func (c Command) Run(ctx context.Context, p Project, args ...string) (Outcome, error) {
	cmd := exec.CommandContext(ctx, c.Path, append(args, "--config", p.Config())...)
	cmd.Env = append(cmd.Environ(), p.environ()...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cost, err := Measure(cmd)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return Outcome{}, fmt.Errorf("run strata: %w", err)
	}
	return Outcome{cmd.ProcessState.ExitCode(), stdout.Bytes(), stderr.Bytes(), cost}, ctx.Err()
}

// Report is the output of `strata generate -o json`.
type Report struct {
	Outcome `json:"-"`
	Summary struct {
		Resources, Versions, Files, Omitted int
		FreeJSON                            int
		UpToDate                            bool
	}
	Changes []struct{ Path, Action string }
	Drift   []struct{ Path, Kind string }
}

// Generate runs the generator on a project. Only a run that finds fault with its input is an error:
// drift is not.
func (c Command) Generate(ctx context.Context, p Project, flags ...string) (Report, error) {
	var r Report
	outcome, err := c.Run(ctx, p, append([]string{"generate", "-o", "json"}, flags...)...)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(outcome.Stdout, &r); err != nil || outcome.Code > 1 {
		return r, fmt.Errorf("generate %s: exit code %d\n%s", p.Config(), outcome.Code, outcome.Stderr)
	}
	r.Outcome = outcome
	return r, nil
}

// Show returns what `strata show` prints of some resources: their models.
func (c Command) Show(ctx context.Context, p Project, resources ...string) (Models, error) {
	args := []string{"show"}
	for _, resource := range resources {
		args = append(args, "--only", resource)
	}
	outcome, err := c.Run(ctx, p, args...)
	if err != nil {
		return nil, err
	}
	if outcome.Code != 0 {
		return nil, fmt.Errorf("show %s: exit code %d\n%s", p.Config(), outcome.Code, outcome.Stderr)
	}
	return ReadModels(outcome.Stdout)
}
