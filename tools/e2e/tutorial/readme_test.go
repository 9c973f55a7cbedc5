package tutorial_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
	"github.com/stratakube/strata/tools/build/release"
	"github.com/stratakube/strata/tools/e2e/tutorial"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/binaries"
)

// TestReadme releases v0.1.0 of all modules in a clone of this repository. It then does what the
// README says, in an empty folder, with the tags as a file proxy: from go install to an object that
// a real API server converts. The folder has no checkout.
func TestReadme(t *testing.T) {
	if os.Getenv("STRATA_SOAK") == "" {
		t.Skip("needs STRATA_SOAK=1: releases all modules, builds strata and a webhook, and runs a cluster")
	}
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(w.Root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, begins := strings.Cut(string(text), "<!-- first commands -->")
	steps, _, ends := strings.Cut(rest, "<!-- /first commands -->")
	if !begins || !ends {
		t.Fatal("the README has no first commands")
	}
	page, err := tutorial.Read(strings.ReplaceAll(steps, "9443", freePort(t)))
	if err != nil {
		t.Fatal(err)
	}
	env, err := released(t, w.Root).Environ(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := apiserver.Start(t.Context(), apiserver.Options{Report: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Stop() })
	programs, err := binaries.Build(t.Context(), func(line string) { t.Log(line) }, binaries.Kubectl)
	if err != nil {
		t.Fatal(err)
	}
	s := shell{dir: t.TempDir(), env: append(append(os.Environ(), env...), "KUBECONFIG="+cluster.Kubeconfig,
		"PATH="+filepath.Dir(programs.Path(binaries.Kubectl))+string(filepath.ListSeparator)+os.Getenv("PATH"))}
	printed, err := s.run(t, page.Script()+"kill $(jobs -p) 2> /dev/null || true\n")
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, printed, logs(s.dir))
	}
	compare(t, page, printed)
	version, err := s.run(t, "bin/strata version")
	if err != nil || !strings.HasPrefix(version, "strata v0.1.0 ") {
		t.Errorf("the installed program is %q (%v)", version, err)
	}
}

// released makes release v0.1.0 in a clone of a repository, and serves its tags.
func released(t *testing.T, root string) *pack.Proxy {
	t.Helper()
	clone := filepath.Join(t.TempDir(), "clone")
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("clone", "--quiet", "--no-tags", root, clone)
	git("-C", clone, "config", "user.name", "author")
	git("-C", clone, "config", "user.email", "author@example.com")
	open := func() *release.Release {
		t.Helper()
		r, err := release.Open(clone)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if _, err := open().Prepare(t.Context(), "v0.1.0"); err != nil {
		t.Fatal(err)
	}
	r := open()
	if _, err := r.Tag(t.Context(), release.TagOptions{Unchecked: true}); err != nil {
		t.Fatal(err)
	}
	all, err := r.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := pack.Serve(t.Context(), t.TempDir(), all)
	if err != nil {
		t.Fatal(err)
	}
	return proxy
}
