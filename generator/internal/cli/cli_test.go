package cli_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stratakube/strata/generator/internal/cli"
)

var update = flag.Bool("update", false, "write the goldens")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"strata": func() {
			ctx, stop := cli.Signals(context.Background())
			defer stop()
			os.Exit(cli.Run(ctx, os.Args[1:], cli.System(), fake{}))
		},
		"strata-hello": func() {
			fmt.Printf("hello %s\n", strings.Join(os.Args[1:], ","))
			fmt.Fprintln(os.Stderr, "from outside")
			if len(os.Args) > 1 && os.Args[1] == "fail" {
				os.Exit(7)
			}
		},
		"strata-waiting": waiting,
		"exitcode":       exitcode,
	})
}

// TestScripts runs the command line as users and programs do. Beside testscript's own commands,
// there is `fails CODE ARGS`, which runs strata and wants that exit code.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"fails": fails},
	})
}

func TestColour(t *testing.T) {
	for _, colour := range []bool{false, true} {
		var out, errs bytes.Buffer
		code := cli.Run(t.Context(), []string{"generate", "--config", "none.yaml"}, cli.Streams{Out: &out, Err: &errs, Colour: colour}, fake{})
		if code != cli.Failed || strings.Contains(errs.String(), "\x1b[") != colour {
			t.Errorf("colour %v: exit code %d, printed %q", colour, code, &errs)
		}
		if out.Len() > 0 {
			t.Errorf("a message on stdout: %q", &out)
		}
	}
}

func TestNoColourVariable(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	if cli.System().Colour {
		t.Error("colours despite NO_COLOR")
	}
}

// broken is a writer whose reader went away.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestResultThatCannotBeWritten(t *testing.T) {
	var errs bytes.Buffer
	if code := cli.Run(t.Context(), []string{"version"}, cli.Streams{Out: broken{}, Err: &errs}, fake{}); code != cli.Failed {
		t.Errorf("exit code %d, printed %q", code, &errs)
	}
}
