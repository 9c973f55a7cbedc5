package workflows

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
)

// workflow is a file in .github/workflows.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Permissions    map[string]string
		TimeoutMinutes int `json:"timeout-minutes"`
		Steps          []struct{ Uses, Run string }
	}
}

func root(t *testing.T) string {
	t.Helper()
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	return w.Root
}

// read reads all workflows, by the name of the file.
func read(t *testing.T) map[string]workflow {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), ".github", "workflows", "*.yml"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]workflow{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var w workflow
		if err := yaml.Unmarshal(text, &w); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out[filepath.Base(file)] = w
	}
	if len(out) < 4 {
		t.Fatalf("there are workflows %q", files)
	}
	return out
}

// TestActionlint runs actionlint over all workflows, and over one that has a fault.
func TestActionlint(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds actionlint")
	}
	program := filepath.Join(t.TempDir(), "actionlint")
	in := command.In{Dir: filepath.Join(root(t), "tools", "build", "workflows", "actionlint"), Env: []string{"GOWORK=off"}}
	if err := programs.Build(t.Context(), in, program, "github.com/rhysd/actionlint/cmd/actionlint"); err != nil {
		t.Fatal(err)
	}
	lint := func(files ...string) (string, error) {
		return command.In{Dir: root(t)}.Output(t.Context(), program, append([]string{"-shellcheck=", "-pyflakes=", "-no-color"}, files...)...)
	}
	if printed, err := lint(); err != nil {
		t.Errorf("actionlint: %v\n%s", err, printed)
	}
	wrong := filepath.Join(t.TempDir(), "wrong.yml")
	if err := os.WriteFile(wrong, []byte("on: push\njobs:\n  test:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: echo ${{ github.nothing }}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := lint(wrong); err == nil {
		t.Error("actionlint finds nothing in a workflow with a fault")
	}
}

var (
	mage     = regexp.MustCompile(`^go tool mage ([a-z:]+)( "\$\{TAG#generator/\}")?$`)
	function = regexp.MustCompile(`(?m)^func (?:\(([A-Za-z]+)\) )?([A-Z][A-Za-z]*)\(ctx context\.Context`)
)

// TestStepsAreTargets requires that each command is a target of the magefile.
func TestStepsAreTargets(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "magefile.go"))
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, m := range function.FindAllStringSubmatch(string(text), -1) {
		targets = append(targets, strings.ToLower(strings.TrimPrefix(m[1]+":"+m[2], ":")))
	}
	for file, w := range read(t) {
		if file == shared {
			continue // it runs in repositories of users
		}
		for name, job := range w.Jobs {
			runs := 0
			for _, step := range job.Steps {
				if step.Run == "" {
					continue
				}
				runs++
				if m := mage.FindStringSubmatch(step.Run); m == nil || !slices.Contains(targets, m[1]) {
					t.Errorf("%s: %s runs %q, which is no target", file, name, step.Run)
				}
			}
			if runs == 0 || job.TimeoutMinutes == 0 {
				t.Errorf("%s: %s has %d commands, and a timeout of %d minutes", file, name, runs, job.TimeoutMinutes)
			}
		}
	}
}

// pinned are the commits of actions, with the releases that they are of.
var pinned = map[string]string{
	"actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683":        "v4.2.2",
	"actions/setup-go@d35c59abb061a4a6fb18e82ac0862c26744d6ab5":        "v5.5.0",
	"actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02": "v4.6.2",
}

// TestActionsArePinned requires that each action is one of a known commit, and that all are used.
func TestActionsArePinned(t *testing.T) {
	unused := map[string]string{}
	for action, release := range pinned {
		unused[action] = release
	}
	for file, w := range read(t) {
		for name, job := range w.Jobs {
			for _, step := range job.Steps {
				if step.Uses != "" && pinned[step.Uses] == "" {
					t.Errorf("%s: %s uses %s, which is not pinned to a known commit", file, name, step.Uses)
				}
				delete(unused, step.Uses)
			}
		}
	}
	if len(unused) > 0 {
		t.Errorf("no workflow uses %v", unused)
	}
}

// TestRights lists the rights of jobs beyond reading. All workflows begin with the right to read.
func TestRights(t *testing.T) {
	got := map[string]map[string]string{}
	for file, w := range read(t) {
		if diff := cmp.Diff(map[string]string{"contents": "read"}, w.Permissions); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
		for name, job := range w.Jobs {
			if job.Permissions != nil {
				got[file+" "+name] = job.Permissions
			}
		}
	}
	want := map[string]map[string]string{"release.yml archives": {"contents": "read", "id-token": "write"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rights of jobs (-want +got):\n%s", diff)
	}
}
