package site

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/build/command"
)

func TestLatest(t *testing.T) {
	all := strings.Fields("v0.1.0 v0.1.1 v0.2.0-rc.1 v0.10.0 v1.0.0")
	want := []string{"v1.0.0", "v0.10.0", "v0.1.1"}
	if diff := cmp.Diff(want, latest(all)); diff != "" {
		t.Error(diff)
	}
	var many []string
	for _, minor := range strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12") {
		many = append(many, "v0."+minor+".0")
	}
	if got := latest(many); len(got) != documented || got[0] != "v0.12.0" {
		t.Error(got)
	}
}

// TestVersionsReadsTags requires the pages of a release as they were when it was tagged.
func TestVersionsReadsTags(t *testing.T) {
	root := t.TempDir()
	git := command.In{Dir: root, Env: []string{"GIT_CONFIG_GLOBAL=/dev/null"}}
	run := func(args ...string) {
		t.Helper()
		if _, err := git.Output(t.Context(), "git", args...); err != nil {
			t.Fatal(err)
		}
	}
	page := func(text string) {
		t.Helper()
		for _, name := range []string{"README.md", "docs/a.md"} {
			if err := written(filepath.Join(root, filepath.FromSlash(name)), []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	run("init", "--quiet")
	page("# Old\n")
	run("add", ".")
	run("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "--quiet", "--message", "x")
	run("tag", "generator/v0.1.0")
	run("tag", "generator/vNext")
	page("# New\n")

	versions, remove, err := Versions(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	if len(versions) != 2 {
		t.Fatalf("there are %d versions: %v", len(versions), versions)
	}
	for i, want := range []string{"# New\n", "# Old\n"} {
		got, err := os.ReadFile(filepath.Join(versions[i].Root, "docs", "a.md"))
		if err != nil || string(got) != want {
			t.Errorf("%s: %q %v", versions[i].Name, got, err)
		}
	}
	remove()
	if _, err := os.Stat(versions[1].Root); err == nil {
		t.Error("the checkout of the release stays")
	}
}

// TestWatch changes, adds and removes a page.
func TestWatch(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "docs", "a.md")
	if err := written(file, []byte("1")); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	changed, ended := make(chan struct{}), make(chan struct{})
	before := StateOf(root)
	go func() {
		Watch(ctx, root, before, func() { changed <- struct{}{} })
		close(ended)
	}()
	for _, change := range []func() error{
		func() error { return written(file, []byte("12")) },
		func() error { return written(filepath.Join(root, "docs", "b", "c.md"), nil) },
		func() error { return os.Remove(file) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		<-changed
	}
	stop()
	<-ended
}
