package engine_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/golden"
)

// TestMain makes the command strata, as cmd/strata does, of the test's binary. It runs serve where
// the binary has the name of a resident.
func TestMain(m *testing.M) {
	if os.Args[0] == residentName {
		results := os.Stdout
		os.Stdout = os.Stderr
		if err := serve(os.Stdin, results); err != nil {
			log.Fatal(err)
		}
		return
	}
	testscript.Main(m, map[string]func(){
		"strata": func() {
			ctx, stop := cli.Signals(context.Background())
			defer stop()
			os.Exit(cli.Run(ctx, os.Args[1:], cli.System(), engine.Engine{}))
		},
	})
}

// TestScripts tells the stories of output folders: each archive has the schemas
// and runs the real command.
//
// Beside testscript's own commands there are:
//
//   - `run ARGS` runs strata, which must succeed.
//   - `fails CODE ARGS` runs strata, and wants that exit code.
//   - `keep DIR` remembers what is in a folder.
//   - `kept DIR [EXCEPT...]` wants it to be the same, but for files that match a glob.
//
// The first two run strata in a process that may have run it before. `exec strata` starts one.
func TestScripts(t *testing.T) { testscript.Run(t, params(t, "testdata/script")) }

// params returns how the archives of a folder run.
func params(t *testing.T, dir string) testscript.Params {
	t.Helper()
	builds, modules := goFolder(t, "GOCACHE"), goFolder(t, "GOMODCACHE")
	end, ok := t.Deadline()
	if !ok {
		end = time.Now().Add(time.Hour)
	}
	end = end.Add(-time.Second) // so that the test prints the stack
	return testscript.Params{
		Dir: dir, UpdateScripts: golden.Updates(), RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			env.Setenv("XDG_CACHE_HOME", env.WorkDir+"/.cache")
			env.Setenv("GOCACHE", builds) // with that of its own, a script compiles the standard library
			env.Setenv("GOMODCACHE", modules)
			env.Setenv("GOFLAGS", "-trimpath")
			env.Values[kept{}] = map[string]map[string]string{}
			env.Values[variables{}] = env.Vars
			return inModule(env.WorkDir)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"run": func(ts *testscript.TestScript, _ bool, args []string) { run(ts, dir, end, 0, args) },
			"fails": func(ts *testscript.TestScript, _ bool, args []string) {
				code, err := strconv.Atoi(args[0])
				ts.Check(err)
				run(ts, dir, end, code, args[1:])
			},
			"keep": keep,
			"kept": isKept,
		},
		Condition: func(name string) (bool, error) {
			if name == "long" {
				return isLong(), nil
			}
			return false, fmt.Errorf("no condition %q", name)
		},
	}
}

// inModule makes a folder one of a module without a name, if it has no go.mod: the import path of
// the output folder may then be any. A file no-module leaves the folder as it is.
func inModule(dir string) error {
	for _, name := range []string{"go.mod", "no-module"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return nil
		}
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"), nil, 0o600)
}

// goFolder is a folder of the go command: where it stores what it compiles, or downloads.
func goFolder(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// run runs strata in a script of a folder until a deadline, and wants an exit code.
func run(ts *testscript.TestScript, dir string, end time.Time, want int, args []string) {
	got, err := within(call{ts.MkAbs("."), environment(ts, dir), args}, end)
	ts.Check(err)
	_, err = ts.Stdout().Write(got.Out)
	ts.Check(err)
	_, err = ts.Stderr().Write(got.Err)
	ts.Check(err)
	if got.Code != want {
		ts.Fatalf("exit code %d, want %d", got.Code, want)
	}
}
