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

// workflow is a file in .github/workflows, with all members that workflows may have. A step has no
// shell of its own, and none that lets it fail. The only condition is that of [TestConditions].
type workflow struct {
	Name        string            `json:"name"`
	Events      map[string]any    `json:"true"` // YAML 1.1 reads on as true
	Permissions map[string]string `json:"permissions"`
	Concurrency any               `json:"concurrency"`
	Jobs        map[string]struct {
		Needs          string            `json:"needs"`
		Runner         string            `json:"runs-on"`
		Permissions    map[string]string `json:"permissions"`
		Environment    map[string]string `json:"env"`
		TimeoutMinutes int               `json:"timeout-minutes"`
		Steps          []struct {
			If   string         `json:"if"`
			Uses string         `json:"uses"`
			With map[string]any `json:"with"`
			Run  string         `json:"run"`
		} `json:"steps"`
	} `json:"jobs"`
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
	out := map[string]workflow{}
	for file, text := range texts(t) {
		var w workflow
		if err := yaml.UnmarshalStrict([]byte(text), &w); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out[file] = w
	}
	return out
}

// texts returns the texts of all workflows, by the name of the file.
func texts(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), ".github", "workflows", "*.y*ml"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(file)] = string(text)
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
	mage     = regexp.MustCompile(`^go tool mage ([a-z:]+)( "\$\{TAG#generator/\}"| bin/[a-z_.]+)?$`)
	function = regexp.MustCompile(`(?m)^func (?:\(([A-Za-z]+)\) )?([A-Z][A-Za-z]*)\(ctx context\.Context`)
)

// TestStepsAreTargets lists the commands of each job. Each is a target of the magefile.
func TestStepsAreTargets(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "magefile.go"))
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, m := range function.FindAllStringSubmatch(string(text), -1) {
		targets = append(targets, strings.ToLower(strings.TrimPrefix(m[1]+":"+m[2], ":")))
	}
	got := map[string]string{}
	for file, w := range read(t) {
		if file == shared {
			continue // it runs in repositories of users
		}
		for name, job := range w.Jobs {
			var runs []string
			for _, step := range job.Steps {
				if step.Run == "" {
					continue
				}
				m := mage.FindStringSubmatch(step.Run)
				if m == nil || !slices.Contains(targets, m[1]) {
					t.Errorf("%s: %s runs %q, which is no target", file, name, step.Run)
					continue
				}
				runs = append(runs, m[1])
			}
			got[file+" "+name] = strings.Join(runs, " ")
			if job.TimeoutMinutes == 0 || job.Runner != "ubuntu-24.04" {
				t.Errorf("%s: %s has a timeout of %d minutes, and runs on %s", file, name, job.TimeoutMinutes, job.Runner)
			}
		}
	}
	want := map[string]string{
		"test.yml test":        "modules test",
		"lint.yml lint":        "lint test:quick",
		"nightly.yml corpus":   "fetch corpus",
		"nightly.yml long":     "fetch test:long",
		"nightly.yml guard":    "fetch bench:guard",
		"nightly.yml soak":     "soak",
		"release.yml archives": "release:archives release:sign",
		"release.yml verify":   "release:root release:verify",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("targets of jobs (-want +got):\n%s", diff)
	}
}

// TestEvents lists what starts each workflow. None runs with the rights of this repository on the
// code of another one.
func TestEvents(t *testing.T) {
	got := map[string]map[string]any{}
	for file, w := range read(t) {
		got[file] = w.Events
		if file == shared {
			got[file] = map[string]any{}
			for event := range w.Events {
				got[file][event] = nil // its inputs are those of users
			}
		}
	}
	changes := map[string]any{"push": map[string]any{"branches": []any{"main"}}, "pull_request": nil}
	want := map[string]map[string]any{
		"test.yml": changes, "lint.yml": changes,
		"nightly.yml": {"schedule": []any{map[string]any{"cron": "17 1 * * *"}}, "workflow_dispatch": nil},
		"release.yml": {"push": map[string]any{"tags": []any{"generator/v*"}}},
		shared:        {"workflow_call": nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestCheckouts requires the whole history in each job, which tests read, and that no later step
// can push. The jobs that sign and verify use no cache, which jobs of other events can write.
func TestCheckouts(t *testing.T) {
	for file, w := range read(t) {
		for name, job := range w.Jobs {
			var actions []string
			for _, step := range job.Steps {
				action, _, _ := strings.Cut(step.Uses, "@")
				actions = append(actions, action)
				switch action {
				case "actions/checkout":
					if diff := cmp.Diff(map[string]any{"fetch-depth": 0.0, "persist-credentials": false}, step.With); diff != "" {
						t.Errorf("%s: %s checks out (-want +got):\n%s", file, name, diff)
					}
				case "actions/setup-go":
					trusted := file == "release.yml" || job.Permissions["id-token"] != ""
					if trusted && step.With["cache"] != false {
						t.Errorf("%s: %s signs or verifies with a cache: %v", file, name, step.With)
					}
				}
			}
			if len(actions) < 2 || actions[0] != "actions/checkout" || actions[1] != "actions/setup-go" {
				t.Errorf("%s: %s begins with %q", file, name, actions)
			}
		}
	}
}

// TestVerifies requires that a job that cannot sign verifies what users download, by the trust that
// the guide tells users to state.
func TestVerifies(t *testing.T) {
	w := read(t)["release.yml"]
	signs, verifies := w.Jobs["archives"], w.Jobs["verify"]
	if verifies.Needs != "archives" || verifies.Permissions != nil {
		t.Errorf("the job needs %q, and has the rights %v", verifies.Needs, verifies.Permissions)
	}
	uploaded, downloaded := signs.Steps[len(signs.Steps)-1], verifies.Steps[2]
	if !strings.HasPrefix(uploaded.Uses, "actions/upload-artifact@") || !strings.HasPrefix(downloaded.Uses, "actions/download-artifact@") {
		t.Errorf("it uploads by %q, and downloads by %q", uploaded.Uses, downloaded.Uses)
	}
	for _, name := range []string{"name", "path"} {
		if uploaded.With[name] == nil || uploaded.With[name] != downloaded.With[name] {
			t.Errorf("the %s that is uploaded is %v, and %v is downloaded", name, uploaded.With[name], downloaded.With[name])
		}
	}
	page, err := os.ReadFile(filepath.Join(root(t), "docs", "guide", "howto", "install-strata.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^export (\w+)=(.+)$`).FindAllStringSubmatch(string(page), -1) {
		want[m[1]] = m[2]
	}
	runs := strings.NewReplacer("${{ github.server_url }}", "https://github.com",
		"${{ github.workflow_ref }}", "stratakube/strata/.github/workflows/release.yml@refs/tags/generator/v0.1.0")
	got := map[string]string{}
	for name, value := range verifies.Environment {
		got[name] = runs.Replace(value)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("the trust (-guide +job):\n%s", diff)
	}
	for _, step := range verifies.Steps[3:] {
		if !strings.Contains(string(page), strings.Replace(step.Run, " bin/release", " DIR", 1)+"\n") {
			t.Errorf("the guide has no %q", step.Run)
		}
	}
}

// TestConditions requires that only the upload of a report depends on a condition: it is also
// wanted where a benchmark has failed.
func TestConditions(t *testing.T) {
	for file, w := range read(t) {
		for name, job := range w.Jobs {
			for _, step := range job.Steps {
				action, _, _ := strings.Cut(step.Uses, "@")
				if step.If != "" && (step.If != "always()" || action != "actions/upload-artifact" || len(job.Permissions) > 0) {
					t.Errorf("%s: %s: %s%s depends on %q", file, name, action, step.Run, step.If)
				}
			}
		}
	}
}

// TestNoSecrets requires that no workflow reads a secret.
func TestNoSecrets(t *testing.T) {
	for file, text := range texts(t) {
		if found := regexp.MustCompile(`secrets\b|github\.token`).FindString(text); found != "" {
			t.Errorf("%s names %s", file, found)
		}
	}
}

// pinned are the commits of actions, with the releases that they are of.
var pinned = map[string]string{
	"actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683":          "v4.2.2",
	"actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093": "v4.3.0",
	"actions/setup-go@d35c59abb061a4a6fb18e82ac0862c26744d6ab5":          "v5.5.0",
	"actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02":   "v4.6.2",
}

// used matches the line of an action, with its release.
var used = regexp.MustCompile(`(?m)^ *- uses: (\S+)(.*)$`)

// TestActionsArePinned requires that each action is one of a known commit, with its release in a
// comment, and that all are used.
func TestActionsArePinned(t *testing.T) {
	for file, text := range texts(t) {
		for _, m := range used.FindAllStringSubmatch(text, -1) {
			if m[2] != " # "+pinned[m[1]] {
				t.Errorf("%s: the comment of %s is %q, want the release %s", file, m[1], m[2], pinned[m[1]])
			}
		}
	}
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
