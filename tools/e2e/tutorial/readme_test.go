package tutorial_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
	"github.com/stratakube/strata/tools/build/programs"
	"github.com/stratakube/strata/tools/build/release"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/tutorial"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/binaries"
)

// TestReadme releases v0.1.0 of all modules in a clone of this repository. It then does what the
// README and the first page of each door say, with the tags as a file proxy: from go install to an
// object that a real API server converts. There is no checkout. At last it follows the Dockerfile
// that strata init wrote.
func TestReadme(t *testing.T) {
	tier.Soak(t, "releases all modules, builds strata and a webhook, and runs a cluster")
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	_, env := newReleases(t, w.Root).release("v0.1.0")
	t.Run("README.md", func(t *testing.T) {
		_, rest, begins := strings.Cut(read(t, w, "README.md"), "<!-- first commands -->")
		steps, _, ends := strings.Cut(rest, "<!-- /first commands -->")
		if !begins || !ends {
			t.Fatal("the README has no first commands")
		}
		s := newcomer(t, env).follow(t, tutorial.Release, steps, 7, "9443")
		version, err := s.run(t, "bin/strata version")
		if err != nil || !strings.HasPrefix(version, "strata v0.1.0 ") {
			t.Errorf("the installed program is %q (%v)", version, err)
		}
		s.dir = filepath.Join(s.dir, "demo")
		s.makesImages(t, "cmd/webhook/Dockerfile", "webhook")
	})
	for _, name := range []string{"start-new-api.md", "start-external-api.md"} {
		t.Run(name, func(t *testing.T) {
			newcomer(t, env).follow(t, tutorial.Release, read(t, w, "docs/guide/"+name), 6, "9443")
		})
	}
	t.Run("start-kubebuilder.md", func(t *testing.T) {
		s := newcomer(t, env)
		s.dir = filepath.Join(s.dir, "demo") // the project of the reader
		if err := os.CopyFS(s.dir, os.DirFS(filepath.Join(w.Root, "generator", "internal", "scaffold", "testdata", "projects", "single"))); err != nil {
			t.Fatal(err)
		}
		generator := filepath.Join(s.dir, "bin", "controller-gen")
		if err := programs.Build(t.Context(), command.In{Dir: w.Root}, generator, "sigs.k8s.io/controller-tools/cmd/controller-gen"); err != nil {
			t.Fatal(err)
		}
		s.env = append(s.env, "CONTROLLER_GEN="+generator)
		s.follow(t, tutorial.Release, read(t, w, "docs/guide/start-kubebuilder.md"), 8, "9443")
	})
}

func read(t *testing.T, w *modules.Workspace, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.Root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// newcomer returns a shell in an empty folder, with an API server of its own.
func newcomer(t *testing.T, env []string) shell {
	t.Helper()
	cluster, err := apiserver.Start(t.Context(), apiserver.Options{Report: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Stop() })
	built, err := binaries.Build(t.Context(), func(line string) { t.Log(line) }, binaries.Kubectl)
	if err != nil {
		t.Fatal(err)
	}
	return shell{dir: t.TempDir(), env: append(append(os.Environ(), env...), "KUBECONFIG="+cluster.Kubeconfig,
		"PATH="+filepath.Dir(built.Path(binaries.Kubectl))+string(filepath.ListSeparator)+os.Getenv("PATH"))}
}

// releases is a clone of this repository in which the test makes releases. Nothing is pushed.
type releases struct {
	t     *testing.T
	clone string
}

func newReleases(t *testing.T, root string) *releases {
	t.Helper()
	r := &releases{t, filepath.Join(t.TempDir(), "clone")}
	if out, err := exec.CommandContext(t.Context(), "git", "clone", "--quiet", "--no-tags", root, r.clone).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r.git("config", "user.name", "author")
	r.git("config", "user.email", "author@example.com")
	return r
}

func (r *releases) git(args ...string) {
	r.t.Helper()
	if out, err := exec.CommandContext(r.t.Context(), "git", append([]string{"-C", r.clone}, args...)...).CombinedOutput(); err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (r *releases) open() *release.Release {
	r.t.Helper()
	opened, err := release.Open(r.clone)
	if err != nil {
		r.t.Fatal(err)
	}
	return opened
}

// release makes a release of the wanted versions, or of those that the changes demand. It returns
// its tags, and the settings of Go with which a project finds all releases.
func (r *releases) release(wanted ...string) (tags, env []string) {
	r.t.Helper()
	if plan, err := r.open().Prepare(r.t.Context(), wanted...); err != nil {
		r.t.Fatalf("%v\n%s", err, plan)
	}
	tags, err := r.open().Tag(r.t.Context(), release.TagOptions{Unchecked: true})
	if err != nil {
		r.t.Fatal(err)
	}
	all, err := r.open().All(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	proxy, err := pack.Serve(r.t.Context(), r.t.TempDir(), all)
	if err != nil {
		r.t.Fatal(err)
	}
	if env, err = proxy.Environ(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	return tags, env
}

// edit replaces text in a file of the clone, and commits.
func (r *releases) edit(name, before, after string) {
	r.t.Helper()
	file := filepath.Join(r.clone, filepath.FromSlash(name))
	text, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	if !strings.Contains(string(text), before) {
		r.t.Fatalf("%s has no %q", name, before)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), before, after, 1)), 0o644); err != nil {
		r.t.Fatal(err)
	}
	r.git("commit", "--quiet", "--all", "--message", "edit "+name)
}
