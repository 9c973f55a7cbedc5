package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/diag"
)

// prefix begins the names of programs that are commands of strata.
const prefix = "strata-"

// program is one of Strata's, which is a command of strata if it is installed.
type program struct {
	name, short, path string
	apart             bool // its module is outside of the workspace of Strata
}

// programs are those of Strata, with their import paths.
var programs = []program{
	{"arm", "import existing resources of Azure", "github.com/stratakube/strata/operator/arm/cmd/strata-arm", false},
	{"cluster", "list the versions and hidden values of stored objects, and upgrade them", "github.com/stratakube/strata/operator/cluster/cmd/strata-cluster", false},
	{"image", "build images of your webhook and operator, without a container engine", "github.com/stratakube/strata/operator/image/cmd/strata-image", true},
	{"plugin", "create, list and lock plugins of the operator", "github.com/stratakube/strata/operator/plugin/cmd/strata-plugin", false},
}

// command returns the command of a program that is not there: it says how to get the program.
// Where the program is there, external runs it instead.
func (p program) command() *cobra.Command {
	return &cobra.Command{
		Use: p.name, Short: p.short, GroupID: programCommands, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error { return p.missing() },
	}
}

// missing says how to get a program of Strata that is not there, or why it is not run.
func (p program) missing() diag.Message {
	if file, ok := findExternal(p.name); ok {
		return diag.Errorf(diag.Pos{}, "strata %s is the program %s, which takes no flags before its name", p.name, file).
			WithHint("begin with strata %s", p.name)
	}
	m := diag.Errorf(diag.Pos{}, "strata %s is the program %s%s, which is neither beside strata nor in PATH", p.name, prefix, p.name)
	folder := strings.TrimPrefix(p.path, "github.com/stratakube/strata/")
	build := "go build -o bin/ ./" + folder
	if module, command, _ := strings.Cut(folder, "/cmd/"); p.apart {
		build = fmt.Sprintf("GOWORK=off go build -C %s -o \"$PWD/bin/\" ./cmd/%s", module, command)
	}
	return m.WithHint("install it, or build it from a checkout of Strata, into the folder that has strata:").WithPaste(
		fmt.Sprintf("  go install %s@latest\n  %s\n", p.path, build))
}

var commandName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// external runs `strata X` as strata-X, if X is not built in and there is such a program, which
// takes the place of this process. It is false when there is not.
func (a *app) external(ctx context.Context, root *cobra.Command, args []string) (bool, int) {
	if len(args) == 2 && args[0] == "help" && !builtIn(root, args[1]) {
		args = []string{args[1], "--help"}
	}
	if len(args) == 0 || !commandName.MatchString(args[0]) || builtIn(root, args[0]) {
		return false, 0
	}
	program, ok := findExternal(args[0])
	if !ok {
		return false, 0
	}
	code, err := become(ctx, program, args[1:])
	if err != nil {
		a.print([]diag.Message{diag.Errorf(diag.Pos{}, "%s: %v", filepath.Base(program), err)}, nil)
	}
	return true, code
}

// askCluster runs a command of strata-cluster, and returns what it prints. Findings are no error.
func (a *app) askCluster(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	const name = "cluster"
	file, found := findExternal(name)
	if !found {
		at := slices.IndexFunc(programs, func(p program) bool { return p.name == name })
		return nil, programs[at].missing()
	}
	c := exec.CommandContext(ctx, file, args...)
	out := &limited{left: maxAnswer}
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(input), out, a.streams.Err
	if err := c.Run(); err != nil && c.ProcessState.ExitCode() != Findings {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, diag.Errorf(diag.Pos{}, "strata cluster %s: %v", args[0], cmp.Or(out.err, err))
	}
	return out.Bytes(), nil
}

// maxAnswer is the largest answer of strata-cluster. The CRDs of a thousand kinds have some 200 MB.
const maxAnswer = 1 << 30

// limited keeps what is written, up to a number of bytes.
type limited struct {
	bytes.Buffer
	left int
	err  error
}

func (l *limited) Write(text []byte) (int, error) {
	if l.left -= len(text); l.left < 0 {
		l.err = fmt.Errorf("it printed more than %d bytes", maxAnswer)
		return 0, l.err
	}
	return l.Buffer.Write(text)
}

func builtIn(root *cobra.Command, name string) bool {
	return slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.GroupID == ownCommands && c.Name() == name }) ||
		slices.Contains([]string{cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}, name)
}

// findExternal looks beside the executable first, then in PATH.
func findExternal(name string) (string, bool) {
	if self, err := os.Executable(); err == nil {
		for _, folder := range foldersOf(self) {
			if program, err := exec.LookPath(filepath.Join(folder, fmt.Sprint(prefix, name))); err == nil {
				return program, true
			}
		}
	}
	program, err := exec.LookPath(prefix + name)
	return program, err == nil
}

// foldersOf returns the folder of a program and, if it is a symbolic link, that of its target. krew
// links kubectl-strata to strata, and not all systems report the target as the executable.
func foldersOf(program string) []string {
	folders := []string{filepath.Dir(program)}
	if target, err := filepath.EvalSymlinks(program); err == nil && filepath.Dir(target) != folders[0] {
		folders = append(folders, filepath.Dir(target))
	}
	return folders
}
