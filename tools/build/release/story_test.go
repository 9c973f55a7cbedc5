package release_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/pack"
	"github.com/stratakube/strata/tools/build/release"
	"github.com/stratakube/strata/tools/build/release/repository"
	"github.com/stratakube/strata/tools/build/steps"
	"github.com/stratakube/strata/tools/build/testrun/tier"
)

// site is a repository in a temporary folder.
type site struct {
	t    *testing.T
	root string
	repository.Repository
}

// newSite makes a repository of testdata/workspace.txtar.
func newSite(t *testing.T) *site {
	t.Helper()
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GOFLAGS": "-trimpath -buildvcs=false", "GOWORK": "",
		"GIT_AUTHOR_NAME": "author", "GIT_AUTHOR_EMAIL": "author@example.com", "GIT_COMMITTER_NAME": "author", "GIT_COMMITTER_EMAIL": "author@example.com",
	} {
		t.Setenv(name, value)
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "workspace.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	licence, err := os.ReadFile(filepath.Join("testdata", "mit.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range archive.Files {
		if filepath.Base(f.Name) == "LICENSE" {
			archive.Files[i].Data = licence
		}
	}
	s := &site{t: t, root: t.TempDir()}
	s.Repository.Dir = s.root
	if err := txtar.Write(archive, s.root); err != nil {
		t.Fatal(err)
	}
	s.git("init", "--quiet", "--initial-branch=main")
	s.commit("begin")
	return s
}

func (s *site) git(args ...string) string {
	s.t.Helper()
	out, err := s.Git(s.t.Context(), args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

func (s *site) commit(message string) {
	s.t.Helper()
	s.git("add", "--all")
	s.git("commit", "--quiet", "--message", message)
}

// edit replaces text in a file; an empty text stands for all of it.
func (s *site) edit(name, before, after string) {
	s.t.Helper()
	path := filepath.Join(s.root, filepath.FromSlash(name))
	text, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(before)) {
		s.t.Fatalf("%s has no %q:\n%s", name, before, text)
	}
	if before == "" {
		before = string(text)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(text, []byte(before), []byte(after)), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) open() *release.Release {
	s.t.Helper()
	r, err := release.Open(s.root)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// check runs the gates.
func (s *site) check() error {
	s.t.Helper()
	all, remove, err := s.open().Check(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	defer remove()
	return steps.Run(s.t.Context(), io.Discard, all...)
}

// release prepares, checks and tags.
func (s *site) release(wanted ...string) []string {
	s.t.Helper()
	if plan, err := s.open().Prepare(s.t.Context(), wanted...); err != nil {
		s.t.Fatalf("%v\n%s", err, plan)
	}
	if err := s.check(); err != nil {
		s.t.Fatal(err)
	}
	tags, err := s.open().Tag(s.t.Context(), release.TagOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return tags
}

// proxy serves all tagged versions.
func (s *site) proxy() *pack.Proxy {
	s.t.Helper()
	all, err := s.open().All(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	proxy, err := pack.Serve(s.t.Context(), s.t.TempDir(), all)
	if err != nil {
		s.t.Fatal(err)
	}
	return proxy
}

// outsider runs go commands in a folder, with the proxy of all tags.
func (s *site) outsider(dir string) func(args ...string) string {
	s.t.Helper()
	env, err := s.proxy().Environ(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	in := command.In{Dir: dir, Env: append(env, "GOBIN="+filepath.Join(dir, "bin"))}
	return func(args ...string) string {
		s.t.Helper()
		out, err := in.Output(s.t.Context(), "go", args...)
		if err != nil {
			s.t.Fatal(err)
		}
		return out
	}
}

const strata = "example.com/strata/"

// TestThreeReleases makes v0.1.0 of all modules, v0.1.1 of one, and v0.2.0 of all. A project
// outside of the workspace goes through them with go get -u.
func TestThreeReleases(t *testing.T) {
	tier.Long(t, "makes three releases")
	s := newSite(t)
	if got := strings.Join(s.release("v0.1.0"), " "); got != "base/v0.1.0 made/v0.1.0 maker/v0.1.0 upper/v0.1.0 apart/v0.1.0" {
		t.Fatalf("tags: %s", got)
	}
	project := t.TempDir()
	if err := os.WriteFile(filepath.Join(project, "main.go"), []byte("package main\n\nimport \""+strata+"made\"\n\nfunc main() { println(made.Greeting()) }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	run := s.outsider(project)
	run("mod", "init", "example.org/project")
	run("get", strata+"made@latest")
	run("install", strata+"upper/cmd/hello@latest")
	s.requires(project, "base v0.1.0 made v0.1.0")

	// A fix of one module is a patch of it, and of nothing else.
	s.edit("base/base.go", `"hello " + name`, `"hello" + " " + name`)
	s.commit("base: greet")
	plan, err := s.open().Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range plan {
		if want := map[string]string{"base": "v0.1.1"}[e.Module.Name]; e.Version != want {
			t.Errorf("%s: planned %q, want %q: %v", e.Module.Name, e.Version, want, e.Changes)
		}
	}
	if got := strings.Join(s.release(), " "); got != "base/v0.1.1" {
		t.Fatalf("tags: %s", got)
	}
	run = s.outsider(project)
	run("get", "-u", "./...")
	run("vet", "./...")
	s.requires(project, "base v0.1.1 made v0.1.0")

	// Generated code calls something new: the constant gets the next number.
	for _, name := range []string{"maker/cmd/maker/main.go", "made/made.go", "base/base.go"} {
		s.edit(name, "NeedsBase1", "NeedsBase2")
	}
	s.edit("base/base.go", "const NeedsBase2 = true", "const (\n\tNeedsBase1 = true\n\tNeedsBase2 = true\n)\n\n// Kindly greets well.\nfunc Kindly(name string) string { return Greet(name) }")
	for _, name := range []string{"maker/cmd/maker/main.go", "made/made.go"} {
		s.edit(name, "base.Greet(", "base.Kindly(")
	}
	s.edit("apart/apart.go", "// Name ", "// Also is new.\nconst Also = true\n\n// Name ")
	s.commit("base: greet well")
	if got := strings.Join(s.release(), " "); got != "base/v0.2.0 made/v0.2.0 maker/v0.2.0 upper/v0.2.0 apart/v0.2.0" {
		t.Fatalf("tags: %s", got)
	}
	run = s.outsider(project)
	run("get", "-u", "./...")
	run("vet", "./...")
	s.requires(project, "base v0.2.0 made v0.2.0")
	if n, err := s.open().Verify(t.Context(), false); err != nil || n != 11 {
		t.Errorf("verified %d tags: %v", n, err)
	}
	s.branch()
	s.retract(project)
}

// requires compares the modules of Strata that a project requires.
func (s *site) requires(project, want string) {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(project, "go.mod"))
	if err != nil {
		s.t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(text)) {
		if _, rest, ok := strings.Cut(line, strata); ok {
			words := strings.Fields(rest)
			got = append(got, words[0]+" "+words[1])
		}
	}
	slices.Sort(got)
	if strings.Join(got, " ") != want {
		s.t.Errorf("the project requires %v, want %s", got, want)
	}
}

// branch gets an unreleased commit by the name of its branch: the siblings that it requires are
// released, and so they are found.
func (s *site) branch() {
	s.t.Helper()
	s.edit("upper/cmd/hello/main.go", "made.Greeting()", `made.Greeting() + "!"`)
	s.commit("upper: shout")
	all, err := s.open().All(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	upper, err := s.open().Workspace.Module("upper")
	if err != nil {
		s.t.Fatal(err)
	}
	files, err := s.Files(s.t.Context(), "HEAD", "upper")
	if err != nil {
		s.t.Fatal(err)
	}
	const version = "v0.2.1-0.20260101000000-0123456789ab"
	pseudo, err := pack.Release(upper, version, files)
	if err != nil {
		s.t.Fatal(err)
	}
	proxy, err := pack.Serve(s.t.Context(), s.t.TempDir(), append(all, pseudo))
	if err != nil {
		s.t.Fatal(err)
	}
	if err := proxy.Answer(upper.Path, "main", version); err != nil {
		s.t.Fatal(err)
	}
	env, err := proxy.Environ(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	dir := s.t.TempDir()
	in := command.In{Dir: dir, Env: append(env, "GOBIN="+dir)}
	if _, err := in.Output(s.t.Context(), "go", "install", upper.Path+"/cmd/hello@main"); err != nil {
		s.t.Fatal(err)
	}
	if out, err := in.Output(s.t.Context(), filepath.Join(dir, "hello")); err != nil || out != "hello Ada!\n" {
		s.t.Errorf("%q, %v", out, err)
	}
}

// retract takes a version back. The next one says so, and the go command reports it to projects
// that have the retracted one.
func (s *site) retract(project string) {
	s.t.Helper()
	s.edit("base/go.mod", "go 1.26.0\n", "go 1.26.0\n\n// It greets nobody.\nretract v0.2.0\n")
	s.commit("base: retract v0.2.0")
	s.release("base@v0.2.1")
	run := s.outsider(project)
	if out := run("list", "-m", "-u", "-f", "{{.Retracted}}", strata+"base"); !strings.Contains(out, "It greets nobody.") {
		s.t.Errorf("the go command reports %q", out)
	}
	run("get", "-u", "./...")
	s.requires(project, "base v0.2.1 made v0.2.0")
}
