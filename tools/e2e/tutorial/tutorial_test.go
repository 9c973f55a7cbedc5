package tutorial_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/tutorial"
	"github.com/stratakube/strata/tools/testcluster/binaries"
)

// TestTutorial follows the tutorial, command by command, in an empty folder.
func TestTutorial(t *testing.T) {
	follow(t, "tutorial.md", 13, "9443")
}

// TestSchemas does the same with the tutorial for schemas, which needs no cluster.
func TestSchemas(t *testing.T) {
	tier.Soak(t, "packs all modules, and builds strata and the generated code")
	followIn(t, "tutorial-schemas.md", 17, nil)
}

// TestDoors does what the first page of each door says, with a checkout: from an empty folder to a
// converted object in at most eight commands. It then runs the commands that strata init printed.
func TestDoors(t *testing.T) {
	tier.Long(t, "builds strata, a webhook and generated code for each page")
	for _, name := range []string{"start-new-api.md", "start-kubebuilder.md", "start-external-api.md"} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath("make"); err != nil && name == "start-kubebuilder.md" {
				t.Skip("needs make: projects of kubebuilder generate with it")
			}
			s := follow(t, name, 8, "9443")
			s.dir, s.env = filepath.Join(s.dir, "demo"), append(s.env, "CONTROLLER_GEN=../bin/controller-gen")
			for _, command := range s.followed {
				if printed, err := s.run(t, command); err != nil {
					t.Errorf("%s: %v\n%s", command, err, printed)
				}
			}
			switch name {
			case "start-new-api.md":
				s.makesImages(t, "cmd/webhook/Dockerfile", "webhook")
			case "start-kubebuilder.md":
				s.testsProject(t)
			}
		})
	}
}

// testsProject runs the tests of the project, which use envtest. The suite of the webhooks gets a
// test that the hand-written conversions failed: they lost the shelf of a book.
func (s shell) testsProject(t *testing.T) {
	t.Helper()
	const shelf = `package v1

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	shopv1 "example.com/bookshop/api/v1"
	shopv1alpha1 "example.com/bookshop/api/v1alpha1"
)

func TestShelf(t *testing.T) {
	old := &shopv1alpha1.Book{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "lathe"}}
	old.Spec.Title, old.Spec.Shelf = "The Lathe of Heaven", "C1"
	if err := k8sClient.Create(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	var book shopv1.Book
	if err := k8sClient.Get(t.Context(), client.ObjectKeyFromObject(old), &book); err != nil {
		t.Fatal(err)
	}
	book.Spec.Title = "Lathe"
	if err := k8sClient.Update(t.Context(), &book); err != nil {
		t.Fatal(err)
	}
	if err := k8sClient.Get(t.Context(), client.ObjectKeyFromObject(old), old); err != nil {
		t.Fatal(err)
	}
	if old.Spec.Title != "Lathe" || old.Spec.Shelf != "C1" {
		t.Errorf("the book is %+v", old.Spec)
	}
}
`
	if err := os.WriteFile(filepath.Join(s.dir, "internal", "webhook", "v1", "shelf_test.go"), []byte(shelf), 0o644); err != nil {
		t.Fatal(err)
	}
	printed, err := s.run(t, "go test -v ./internal/...")
	if err != nil || !strings.Contains(printed, "--- PASS: TestShelf") || !strings.Contains(printed, "--- PASS: TestBooks") {
		t.Errorf("the tests of the project: %v\n%s", err, printed)
	}
}

// TestOperator does the same with the tutorial of an operator. The simulator must have the page's
// resources.
func TestOperator(t *testing.T) {
	tier.Soak(t, "builds and links seven programs, and runs a cluster")
	s := follow(t, "tutorial-operator.md", 18, "9443", "8001")
	s.dir = filepath.Join(s.dir, "demo")
	s.makesImages(t, "Dockerfile", "webhook", "operator")
}

// follow follows a page with at most so many commands. It replaces the page's ports by other
// ones.
func follow(t *testing.T, name string, most int, ports ...string) shell {
	t.Helper()
	return followIn(t, name, most, clusterPrograms(t), ports...)
}

// followIn does so with additions to the environment, and does not build the programs of a cluster.
func followIn(t *testing.T, name string, most int, env []string, ports ...string) shell {
	t.Helper()
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(w.Root, "docs", "guide", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	s := shell{dir: t.TempDir(), env: append(environment(t, w.Root), env...)}
	return s.follow(t, tutorial.Checkout, string(text), most, ports...)
}

// follow follows a variant of a page. The result has the settings of Go that the page
// made, and the commands that strata init printed last.
func (s shell) follow(t *testing.T, variant, text string, most int, ports ...string) shell {
	t.Helper()
	for _, port := range ports {
		text = strings.ReplaceAll(text, port, freePort(t))
	}
	text, err := tutorial.With(variant, text)
	if err != nil {
		t.Fatal(err)
	}
	page, err := tutorial.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(page.Commands()); n > most {
		t.Errorf("the page has %d commands", n)
	}
	set := filepath.Join(t.TempDir(), "set")
	begun := time.Now()
	printed, err := s.run(t, page.Script()+"env | grep '^GO' > '"+set+"'\nkill $(jobs -p) 2> /dev/null || true\n")
	t.Logf("the page took %s", time.Since(begun).Round(time.Second))
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, printed, logs(s.dir))
	}
	settings, err := os.ReadFile(set)
	if err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, strings.Split(strings.TrimSpace(string(settings)), "\n")...)
	s.followed = compare(t, page, printed)
	return s
}

// compare compares what the commands of a page printed with the page. It returns the commands that
// strata init printed last.
func compare(t *testing.T, page *tutorial.Page, printed string) (followed []string) {
	t.Helper()
	outputs := page.Outputs(printed)
	for i, step := range page.Steps {
		got, ran := outputs[i]
		switch {
		case step.Command == "":
		case !ran:
			t.Errorf("%s was not run", step.Command)
		case step.Output != "" && !strings.Contains(untimed(got), untimed(step.Output)):
			t.Errorf("%s printed\n%s\nthe page says\n%s", step.Command, got, step.Output)
		}
		if _, list, ok := strings.Cut(got, "\nnext:\n"); ok {
			followed = strings.Split(strings.TrimSpace(list), "\n")
		}
	}
	return followed
}

var duration = regexp.MustCompile(` in [0-9.]+m?s`)

// untimed returns an output without how long the command took.
func untimed(output string) string { return duration.ReplaceAllString(output, "") }

// logs are the outputs of programs in the background.
func logs(dir string) string {
	var b strings.Builder
	files, _ := filepath.Glob(filepath.Join(dir, "demo", "*.log"))
	for _, file := range files {
		printed, _ := os.ReadFile(file)
		fmt.Fprintf(&b, "%s:\n%s\n", filepath.Base(file), printed)
	}
	return b.String()
}

// clusterPrograms returns an environment in which a cluster uses the programs that exist already.
func clusterPrograms(t *testing.T) []string {
	t.Helper()
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	programs, err := binaries.Build(t.Context(), func(line string) { t.Log(line) }, binaries.Etcd, binaries.APIServer, binaries.Kubectl)
	if err != nil {
		t.Fatal(err)
	}
	return []string{"KUBEBUILDER_ASSETS=" + string(programs)}
}

// environment returns an environment in which git clones this checkout.
func environment(t *testing.T, root string) []string {
	t.Helper()
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	short, err := os.MkdirTemp("", "strata-tutorial-") // not in t.TempDir: paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	return append(os.Environ(),
		"GOWORK=", "GOFLAGS=-trimpath", "GOSUMDB=off", // no go.sum has the sums of modules that a new project requires
		"GOCACHE="+strings.TrimSpace(string(cache)), "XDG_CACHE_HOME="+short,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url."+root+".insteadOf", "GIT_CONFIG_VALUE_0=https://github.com/stratakube/strata")
}

// shell runs a script in a process group of its own.
type shell struct {
	dir      string
	env      []string
	followed []string // the commands that strata init printed
}

// longest is the time after which a page has hung: its loops wait until a server answers.
const longest = 20 * time.Minute

func (s shell) run(t *testing.T, script string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", script)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.dir, s.env, &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 30 * time.Second // what was started in the background drains
	t.Cleanup(func() {
		// If the script was interrupted, its processes still run.
		down := exec.CommandContext(context.Background(), "go", "-C", filepath.Join(s.dir, "strata"), "tool", "mage", "cluster:down")
		down.Env = s.env
		_ = down.Run()
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
	})
	err := cmd.Run()
	return out.String(), err
}

// freePort returns a port that nothing listens on. It is below the range of ports that Linux
// assigns to listeners without a port of their own. Otherwise the page's API server could take it
// before the page's own server does.
func freePort(t *testing.T) string {
	t.Helper()
	for range 100 {
		port := fmt.Sprint(20_000 + rand.IntN(10_000))
		if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port)); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no port from 20000 to 29999 is free")
	return ""
}

func TestWith(t *testing.T) {
	const page = "Do:\n<!-- with a release -->\nrelease\n<!-- /with a release -->\nall\n<!-- with a checkout -->\ncheckout\n<!-- /with a checkout -->\n" +
		"<!-- with a release -->\nlast\n<!-- /with a release -->\n"
	for variant, want := range map[string]string{
		tutorial.Release:  "Do: release all last",
		tutorial.Checkout: "Do: all checkout",
	} {
		text, err := tutorial.With(variant, page)
		for _, comment := range []string{"<!-- with " + variant + " -->\n", "<!-- /with " + variant + " -->\n"} {
			text = strings.ReplaceAll(text, comment, "")
		}
		if got := strings.Join(strings.Fields(text), " "); err != nil || got != want {
			t.Errorf("with %s: %q (%v), want %q", variant, got, err, want)
		}
	}
	for _, wrong := range []string{"<!-- with a release -->\n", "<!-- /with a checkout -->\n<!-- with a checkout -->\n"} {
		if text, err := tutorial.With(tutorial.Release, wrong); err == nil {
			t.Errorf("%q is %q", wrong, text)
		}
	}
}

func TestRead(t *testing.T) {
	const page = "Do:\n\n```sh\necho a\necho b\n```\n\n```json\nb\n```\n\nSave this as `x/y.txt`:\n\n```text\nfirst\n```\n\nAdd this to the end of `x/y.txt`:\n\n```text\nlast\n```\n\n```sh\ncat x/y.txt\n```\n"
	p, err := tutorial.Read(page)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.Commands(), "; "); got != "echo a; echo b; cat x/y.txt" {
		t.Errorf("commands are %s", got)
	}
	printed, err := shell{dir: t.TempDir(), env: os.Environ()}.run(t, p.Script())
	if err != nil {
		t.Fatal(err, printed)
	}
	outputs := p.Outputs(printed)
	if outputs[0] != "a\n" || outputs[1] != p.Steps[1].Output || outputs[4] != "first\nlast\n" {
		t.Errorf("printed %v", outputs)
	}
	console, err := tutorial.Read("Look:\n\n```console\n$ echo a\na\n\nb\n$ true\n$ echo c\nc\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []tutorial.Step{{Command: "echo a", Output: "a\n\nb"}, {Command: "true"}, {Command: "echo c", Output: "c"}}
	if diff := cmp.Diff(want, console.Steps); diff != "" {
		t.Errorf("steps of a console (-want +got):\n%s", diff)
	}
	failing, err := tutorial.Read("Do:\n\n```sh\nfalse && echo a\necho b\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	if printed, err := (shell{dir: t.TempDir(), env: os.Environ()}).run(t, failing.Script()); err == nil || strings.Contains(printed, "b\n") {
		t.Errorf("a page goes on behind a command that failed: %s", printed)
	}
	if _, err := tutorial.Read("Look:\n\n```json\n{}\n```\n"); err == nil {
		t.Error("a block that nobody speaks of is taken for something")
	}
}
