package command_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/build/command"
)

func TestRunShowsCommandAndStreamsItsOutput(t *testing.T) {
	var out, messages bytes.Buffer
	in := command.In{Dir: t.TempDir(), Env: []string{"GREETING=first", "GREETING=second"}, Stdout: &out, Stderr: &messages}
	if err := in.Run(t.Context(), "sh", "-c", "echo $GREETING; echo bad >&2"); err != nil {
		t.Fatal(err)
	}
	if out.String() != "second\n" {
		t.Errorf("stdout = %q, want the later of two entries of the environment", out.String())
	}
	if want := "+ sh -c 'echo $GREETING; echo bad >&2'\nbad\n"; messages.String() != want {
		t.Errorf("stderr = %q, want %q", messages.String(), want)
	}
}

func TestErrorsNameCommand(t *testing.T) {
	tests := []struct{ reason, name, script, want string }{
		{"a failing command gives its exit status", "sh", "exit 3", "run sh -c 'exit 3': exit status 3"},
		{"what it said is part of the error", "sh", "echo no such thing >&2; exit 1", "exit status 1\nno such thing"},
		{"a missing command is named", "no-such-command", "", "run no-such-command -c '': exec:"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			_, err := command.In{}.Output(t.Context(), test.name, "-c", test.script)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want it to contain %q", err, test.want)
			}
		})
	}
}

func TestNothingOutlivesContext(t *testing.T) {
	tests := []struct{ reason, script string }{
		{"a grandchild in the background ends too", "(sleep 3; touch late) & sleep 60"},
		{"so does one that ignores the request", "trap '' TERM; (sleep 3; touch late) & sleep 60; sleep 60"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(100*time.Millisecond, cancel)

			start := time.Now()
			_, err := command.In{Dir: dir}.Output(ctx, "sh", "-c", test.script)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error = %v, want context.Canceled", err)
			}
			if took := time.Since(start); took > 5*command.Grace {
				t.Errorf("took %v to end", took)
			}
			time.Sleep(time.Until(start.Add(3500 * time.Millisecond)))
			if _, err := os.Stat(filepath.Join(dir, "late")); err == nil {
				t.Error("a grandchild went on after the context had ended")
			}
		})
	}
}

func TestCommandsEndBeforeDeadlineOfContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*command.Grace+200*time.Millisecond)
	defer cancel()
	if _, err := (command.In{}).Output(ctx, "sleep", "60"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v, want context.DeadlineExceeded", err)
	}
	if ctx.Err() != nil {
		t.Error("the command was ended by mage's deadline, not before it")
	}
}
