//go:build unix

package targets_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/tools/build/targets"
	"github.com/stratakube/strata/tools/testcluster/binaries"
)

const workspace = `
-- go.work --
go 1.26.0
use (
	./generator
	./tools
)
-- generator/go.mod --
module example.com/generator
go 1.26.0
require example.com/tools v0.0.0
-- generator/g_test.go --
package generator
import "testing"
func BenchmarkB(*testing.B) {}
func FuzzA(*testing.F) {}
func FuzzB(*testing.F) {}
-- tools/go.mod --
module example.com/tools
go 1.26.0
-- tools/t.go --
package tools
-- tools/testcluster/binaries/kubernetes/go.mod --
module example.com/cluster
go 1.26.0
-- tools/build/lint/go.mod --
module example.com/lint
go 1.26.0
-- tools/build/mutation/gremlins/go.mod --
module example.com/mutate
go 1.26.0
-- tools/testcluster/binaries/helm/go.mod --
module example.com/helm
go 1.26.0
-- tools/build/archives/krew/go.mod --
module example.com/krew
go 1.26.0
-- tools/build/archives/sign/go.mod --
module example.com/sign
go 1.26.0
-- tools/build/archives/sign/main.go --
package main
func main() {}
-- tools/build/workflows/actionlint/go.mod --
module example.com/actionlint
go 1.26.0
-- tools/build/images/dockerfile/go.mod --
module example.com/dockerfile
go 1.26.0
-- tools/build/images/dockerfile/main.go --
package main
func main() {}
-- tools/build/site/hugo/go.mod --
module example.com/hugo
go 1.26.0
-- operator/image/go.mod --
module example.com/image
go 1.26.0
-- operator/image/main.go --
package main
func main() {}
`

// abreast is how many packages are tested at once.
var abreast = fmt.Sprintf("-p=%d", max(3, runtime.GOMAXPROCS(0)))

// TestVerbs checks which go commands a verb runs, and in which order. It replaces the go command
// by one that records its calls, and fails for the calls that the test names.
func TestVerbs(t *testing.T) {
	tests := []struct {
		reason string
		do     func(context.Context) error
		args   string // of STRATA_ARGS
		fails  string // the first word of the go command that fails
		want   []string
		err    string
	}{
		{
			reason: "all examples are generated",
			do:     targets.Generate,
			want: []string{
				"run ./generator/cmd/strata generate --config schemas/crm/strata.yaml",
				"run ./generator/cmd/strata generate --config webhook/internal/example/strata.yaml",
				"run ./generator/cmd/strata generate --config tools/e2e/teams/strata.yaml",
			},
		},
		{
			reason: "with flags of the user the worked example alone, whose files they name",
			do:     targets.Generate,
			args:   " --dry-run  -o json ",
			want: []string{
				"run ./generator/cmd/strata generate --config schemas/crm/strata.yaml --dry-run -o json",
			},
		},
		{
			reason: "a build is of all modules, and of the command",
			do:     targets.Build,
			want:   []string{"build ./tools/... ./generator/...", "build -o bin/ ./generator/cmd/strata ./operator/arm/cmd/strata-arm ./operator/cluster/cmd/strata-cluster ./operator/cmd/strata-operator ./operator/plugin/cmd/strata-plugin ./tools/armsim/cmd/strata-armsim ./operator/cmd/strata-webhook"},
		},
		{
			reason: "a test begins with what is quick, and goes by the order of modules",
			do:     targets.Test,
			want: []string{
				"vet ./tools/... ./generator/...",
				"tool -n golangci-lint",
				"golangci-lint run ./tools/... ./generator/...",
				"run ./generator/cmd/strata generate --config schemas/crm/strata.yaml --check",
				"run ./generator/cmd/strata generate --config webhook/internal/example/strata.yaml --check",
				"run ./generator/cmd/strata generate --config tools/e2e/teams/strata.yaml --check",
				"test -json -count=1 -timeout=60m -vet=off " + abreast + " ./tools ./generator/...",
			},
		},
		{
			reason: "drift is a failure, and does not hide the others",
			do:     targets.Test,
			fails:  "run",
			want: []string{
				"vet ./tools/... ./generator/...",
				"tool -n golangci-lint",
				"golangci-lint run ./tools/... ./generator/...",
				"run ./generator/cmd/strata generate --config schemas/crm/strata.yaml --check",
				"run ./generator/cmd/strata generate --config webhook/internal/example/strata.yaml --check",
				"run ./generator/cmd/strata generate --config tools/e2e/teams/strata.yaml --check",
				"test -json -count=1 -timeout=60m -vet=off " + abreast + " ./tools ./generator/...",
			},
			err: "drift: run go run ./generator/cmd/strata generate --config schemas/crm/strata.yaml --check: exit status 1\nrun go run ./generator/cmd/strata generate --config webhook/internal/example/strata.yaml --check: exit status 1\nrun go run ./generator/cmd/strata generate --config tools/e2e/teams/strata.yaml --check: exit status 1",
		},
		{
			reason: "a lint is of all modules at once, and a failure of it does not hide the others",
			do:     targets.Test,
			fails:  "lint",
			want: []string{
				"vet ./tools/... ./generator/...",
				"tool -n golangci-lint",
				"golangci-lint run ./tools/... ./generator/...",
				"run ./generator/cmd/strata generate --config schemas/crm/strata.yaml --check",
				"run ./generator/cmd/strata generate --config webhook/internal/example/strata.yaml --check",
				"run ./generator/cmd/strata generate --config tools/e2e/teams/strata.yaml --check",
				"test -json -count=1 -timeout=60m -vet=off " + abreast + " ./tools ./generator/...",
			},
			err: "golangci-lint: run golangci-lint run ./tools/... ./generator/...: exit status 1",
		},
		{
			reason: "a quick test knows what has not changed, but of the workspace",
			do:     targets.TestQuick,
			want:   []string{"test -json -short ./generator/...", "test -json -short -count=1 ./tools/..."},
		},
		{
			reason: "a long test has no time limit, and no linter",
			do:     targets.TestLong,
			want: []string{
				"mod tidy -modfile", "mod tidy -modfile", "mod tidy",
				"STRATA_LONG=1 test -json -count=1 -timeout=0 -vet=off " + abreast + " ./tools/... ./generator/...",
			},
		},
		{
			reason: "the corpus has no time limit",
			do:     targets.Corpus,
			want:   []string{"STRATA_CORPUS=1 STRATA_LONG=1 test -v -count=1 -timeout=0 ./tools/corpus/... ./tools/e2e/olderobjects ./tools/bench/generator ./tools/bench/webhook"},
		},
		{
			reason: "benchmarks run where there are some, without tests",
			do:     func(ctx context.Context) error { return targets.Bench(ctx, "B$", 6) },
			want:   []string{"test -run=^$ -bench=B$ -benchmem -count=6 -timeout=0 example.com/generator"},
		},
		{
			reason: "soaking goes through all fuzz tests one by one",
			do:     func(ctx context.Context) error { return targets.Soak(ctx, time.Minute) },
			want: []string{
				"STRATA_CASES=500 test -race -count=1 -timeout=0 ./tools/... ./generator/...",
				"test -run=^$ -fuzz=^FuzzA$ -fuzztime=1m0s -fuzzminimizetime=10x example.com/generator",
				"test -run=^$ -fuzz=^FuzzB$ -fuzztime=1m0s -fuzzminimizetime=10x example.com/generator",
			},
		},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Chdir(extract(t))
			log := noteGo(t, test.fails)
			giveAssets(t)
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			t.Setenv(targets.ArgsVariable, test.args)

			if got := strings.ReplaceAll(message(test.do(t.Context())), filepath.Dir(log)+"/", ""); got != test.err {
				t.Errorf("error = %q, want %q", got, test.err)
			}
			noted, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			commands := temporary.ReplaceAllString(storing.ReplaceAllString(strings.TrimSpace(string(noted)), ""), "-modfile")
			if diff := cmp.Diff(test.want, strings.Split(commands, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// storing matches the flag by which linked programs are stored.
var storing = regexp.MustCompile(` -toolexec='[^']*/strata-link/bin/strata-linkcache' '[^']*/strata-link'`)

// temporary matches the flag that names a copy of a go.mod.
var temporary = regexp.MustCompile(`-modfile=\S+`)

// more are modules and packages that are tested in ways of their own.
const more = `
-- go.work --
go 1.26.0
use (
	./generator
	./operator
	./operator/plugin
	./runtime
	./tools
)
-- operator/go.mod --
module example.com/operator
go 1.26.0
-- operator/main.go --
package operator
-- operator/reconciler/passes_test.go --
package reconciler
func TestPass(t *testing.T) { pass() }
func TestWorkers(t *testing.T) { go pass() }
func TestMoreWorkers(t *testing.T) { t.Parallel() }
func pass() {}
-- runtime/go.mod --
module example.com/runtime
go 1.26.0
-- operator/plugin/go.mod --
module example.com/plugin
go 1.26.0
-- operator/plugin/host/host.go --
package host
-- tools/e2e/chaos/chaos.go --
package chaos
-- tools/e2e/upgrade/upgrade.go --
package upgrade
`

// TestCompleteTests is about modules that are tested with checks of their own, beside the others.
func TestCompleteTests(t *testing.T) {
	all, few := "test -json -count=1 -timeout=60m -vet=off ", fmt.Sprintf("-p=%d", max(2, runtime.GOMAXPROCS(0)/2))
	checkptr := " -gcflags=github.com/stratakube/strata/runtime/...=-d=checkptr "
	first := all + abreast + " ./tools/e2e/upgrade/... ./tools/e2e/upgrade ./tools ./generator/..."
	long := "STRATA_LONG=1 test -json -count=1 -timeout=0 -vet=off "
	for _, test := range []struct {
		reason   string
		run      func(context.Context) error
		programs []string // that can be found, beside go
		want     []string
	}{
		{"with a C compiler", targets.Test, []string{"gcc"}, []string{
			first + " ./operator/reconciler\n", all + few + checkptr + "./runtime/...\n",
			all + few + " -race ./operator ./operator/plugin/host\n",
		}},
		{"without one", targets.Test, nil, []string{first + "\n", all + few + checkptr + "./operator/... ./operator/plugin/... ./runtime/...\n"}},
		{"in full", targets.TestLong, []string{"gcc"}, []string{
			long + abreast + " ./tools/e2e/upgrade/... ./tools/e2e/chaos/... ./tools/e2e/... ./tools/... ./generator/...\n",
			long + few + checkptr + "./runtime/...\n",
			long + few + " -skip=^(TestMoreWorkers|TestWorkers)$ ./operator/reconciler\n",
			long + few + " -race ./operator ./operator/plugin/host\n",
			long + few + " -race -run=^(TestMoreWorkers|TestWorkers)$ ./operator/reconciler\n",
		}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Chdir(extract(t))
			if err := errors.Join(os.Remove("go.work"), txtar.Write(txtar.Parse([]byte(more)), ".")); err != nil {
				t.Fatal(err)
			}
			log := noteGo(t, "")
			t.Setenv("PATH", filepath.Dir(log))
			for _, name := range test.programs {
				if err := os.WriteFile(filepath.Join(filepath.Dir(log), name), nil, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			giveAssets(t)
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			if err := test.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			noted, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			if want, got := len(test.want), len(storing.FindAll(noted, -1)); got != want {
				t.Errorf("%d of %d commands store linked programs:\n%s", got, want, noted)
			}
			noted = storing.ReplaceAll(noted, nil)
			for _, want := range test.want {
				if !strings.Contains(string(noted), want) {
					t.Errorf("%q is not in\n%s", want, noted)
				}
			}
		})
	}
}

// TestTestsShareCompiledPackages requires the same flags of the compiler for the tests of all
// verbs. The tests of mage test must download nothing.
func TestTestsShareCompiledPackages(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(context.Context) error
		want string
	}{
		"test":       {targets.Test, "-mod=readonly -trimpath 0 off"},
		"test:quick": {targets.TestQuick, "-mod=readonly -trimpath 0 https://proxy.example.com"},
		"test:long":  {targets.TestLong, "-mod=readonly -trimpath 0 off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(extract(t))
			log := noteGo(t, "")
			giveAssets(t)
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			t.Setenv("GOFLAGS", "-mod=readonly")
			t.Setenv("CGO_ENABLED", "1")
			t.Setenv("GOPROXY", "https://proxy.example.com")
			if err := test.do(t.Context()); err != nil {
				t.Fatal(err)
			}
			noted, err := os.ReadFile(log + ".env")
			if err != nil || len(noted) == 0 {
				t.Fatalf("no tests were run (error %v)", err)
			}
			for line := range strings.Lines(string(noted)) {
				if strings.TrimSpace(line) != test.want {
					t.Errorf("tests run with %q, want %q", line, test.want)
				}
			}
		})
	}
}

func TestVerbsNeedWorkspace(t *testing.T) {
	t.Chdir(t.TempDir())
	if got := message(targets.Build(t.Context())); !strings.HasPrefix(got, "no go.work in ") {
		t.Errorf("error = %q, want it to miss go.work", got)
	}
}

// noteGo puts a go command first in PATH that notes its arguments in the file that is returned, and
// leaves listing packages to the real one.
func noteGo(t *testing.T, fails string) (log string) {
	t.Helper()
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	log = filepath.Join(dir, "log")
	script := `#!/bin/sh
case $1 in list | env) exec '` + real + `' "$@" ;; esac
variables=
for name in STRATA_CORPUS STRATA_LONG STRATA_CASES; do
	eval "value=\$$name"
	[ -z "$value" ] || variables="$variables$name=$value "
done
case "$1 $2" in # the program that stores others is built with cp, or without
'run -exec=cp') for last; do :; done; : > "$last"; exit ;;
'build -ldflags=-s -w') : > "$4"; exit ;;
esac
echo "$variables$*" >> '` + log + `' # in one write: commands run beside others
[ "$1 $2" != 'tool -n' ] || echo '` + dir + `'/"$3"
[ "$1 $2" != 'test -json' ] || echo "$GOFLAGS $CGO_ENABLED $GOPROXY" >> '` + log + `.env'
[ "$1 $2" != 'test -json' ] || for action in run pass; do echo '{"Action":"'$action'","Package":"example.com/p","Test":"TestA"}'; done
[ "$1" != '` + fails + `' ]
`
	linter := "#!/bin/sh\necho \"golangci-lint $*\" >> '" + log + "'\n[ lint != '" + fails + "' ]\n"
	for name, text := range map[string]string{"go": script, "golangci-lint": linter} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("GOCACHE", t.TempDir()) // for the program that stores others
	t.Setenv("STRATA_CORPUS", "")
	t.Setenv("STRATA_LONG", "")
	t.Setenv("STRATA_CASES", "")
	return log
}

// giveAssets makes the programs of a cluster be there already.
func giveAssets(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv(binaries.Variable, dir)
	for _, p := range binaries.Server {
		if err := os.WriteFile(binaries.Folder(dir).Path(p), nil, 0o777); err != nil {
			t.Fatal(err)
		}
	}
}

func extract(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := txtar.Write(txtar.Parse([]byte(workspace)), root); err != nil {
		t.Fatal(err)
	}
	return root
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
