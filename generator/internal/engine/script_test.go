package engine_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/golden"
)

// TestMain makes two commands of the test's binary: strata, as cmd/strata does, and the process in
// which scripts run strata.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"strata-resident": func() {
			results := os.Stdout
			os.Stdout = os.Stderr
			if err := serve(os.Stdin, results); err != nil {
				log.Fatal(err)
			}
		},
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
// Beside testscript's own commands there are: `run ARGS`, which runs strata and must
// succeed, in a process that has run strata before;
// `fails CODE ARGS`, which runs strata and wants that exit code; `keep DIR`,
// which remembers what is in a folder; and `kept DIR [EXCEPT...]`, which wants it
// to be the same, but for files that match a glob.
func TestScripts(t *testing.T) { testscript.Run(t, params(t, "testdata/script")) }

// params returns how the archives of a folder run.
func params(t *testing.T, dir string) testscript.Params {
	t.Helper()
	builds, modules := goFolder(t, "GOCACHE"), goFolder(t, "GOMODCACHE")
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
			"run": func(ts *testscript.TestScript, _ bool, args []string) { run(ts, dir, 0, args) },
			"fails": func(ts *testscript.TestScript, _ bool, args []string) {
				code, err := strconv.Atoi(args[0])
				ts.Check(err)
				run(ts, dir, code, args[1:])
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

// run runs strata in a script of a folder, and wants an exit code.
func run(ts *testscript.TestScript, dir string, want int, args []string) {
	got, err := within(call{ts.MkAbs("."), environment(ts, dir), args})
	ts.Check(err)
	_, err = io.WriteString(ts.Stdout(), got.Out)
	ts.Check(err)
	_, err = io.WriteString(ts.Stderr(), got.Err)
	ts.Check(err)
	if got.Code != want {
		ts.Fatalf("exit code %d, want %d", got.Code, want)
	}
}
