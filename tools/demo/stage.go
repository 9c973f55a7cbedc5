package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/e2e/env"
)

// stage is a cluster with the webhook and an external API, and a folder where lines are run.
type stage struct {
	*env.Env
	built string // the folder of the programs
	calls int    // calls of the external API that were printed
}

func open(ctx context.Context, report func(string)) (_ *stage, err error) {
	w, err := modules.Find(".")
	if err != nil {
		return nil, err
	}
	s := new(stage)
	if s.built, err = os.MkdirTemp("", "strata-demo-"); err != nil {
		return nil, err
	}
	report("building the webhook, the operator and its provider")
	programs, err := env.Build(ctx, s.built)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.Env, err = env.Open(ctx, env.Options{
		Programs: programs, Definitions: filepath.Join(w.Root, "operator", "api", "crds"), Report: report,
		Simulator: armsim.Options{Schemas: []string{filepath.Join(w.Root, "schemas", "crm")}},
	})
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	for name, text := range map[string]string{"ada.yaml": ada, "grace.yaml": grace} {
		if err := os.WriteFile(filepath.Join(s.dir(), name), []byte(text), 0o600); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	return s, nil
}

func (s *stage) close() error {
	var errs []error
	if s.Env != nil {
		errs = append(errs, s.Env.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(s.built))...)
}

func (s *stage) dir() string { return s.Group.Dir }

// environment returns the variables that a shell of the user needs for the demo's cluster.
func (s *stage) environment() []string {
	return []string{"KUBECONFIG=" + s.Kubeconfig, "PATH=" + s.path("$PATH")}
}

// path returns a PATH that finds the demo's kubectl first.
func (s *stage) path(rest string) string {
	return filepath.Dir(s.Kubectl().Path) + string(filepath.ListSeparator) + rest
}

// sh runs a line in a shell, and returns its output and exit code.
func (s *stage) sh(ctx context.Context, line string) (printed string, code int, err error) {
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.WaitDelay = s.dir(), time.Second
	cmd.Env = append(s.Kubectl().Command(ctx).Env, "TMPDIR="+s.dir(), "PATH="+s.path(os.Getenv("PATH")))
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if ctx.Err() != nil {
		return "", 0, ctx.Err()
	}
	if errors.As(err, &exit) {
		return string(text), exit.ExitCode(), nil
	}
	return string(text), 0, err
}

// sent are the calls by which the external API was changed, since it was last asked: the request,
// and its body.
func (s *stage) sent() []armsim.Call {
	calls := s.Simulator.Calls()
	since := calls[s.calls:]
	s.calls = len(calls)
	var changes []armsim.Call
	for _, c := range since {
		if c.Method == http.MethodPut || c.Method == http.MethodDelete {
			changes = append(changes, c)
		}
	}
	return changes
}

// operates starts the operator.
func (s *stage) operates(ctx context.Context) error {
	_, err := s.Operate(ctx)
	if err != nil {
		return fmt.Errorf("start the operator: %w", err)
	}
	return nil
}
