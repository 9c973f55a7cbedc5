//go:build unix

package targets

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/tools/build/modules"
)

// TestBoxesAreAll finds the modules of the repository that are in no workspace, and expects them to
// be boxes.
func TestBoxesAreAll(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	err = filepath.WalkDir(w.Root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || file != w.Root && strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case entry.Name() != "go.mod":
			return nil
		}
		folder, err := filepath.Rel(w.Root, filepath.Dir(file))
		name := filepath.ToSlash(folder)
		if !slices.ContainsFunc(w.Modules, func(m modules.Module) bool { return m.Name == name }) {
			want = append(want, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range boxes {
		got = append(got, b.name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modules outside of the workspace, and boxes (-want +got):\n%s", diff)
	}
}

// TestTestedBoxesAreDownloaded expects tests to list the packages of the workspace and of all boxes
// that they build while they may still download modules.
func TestTestedBoxesAreDownloaded(t *testing.T) {
	for name, test := range map[string]struct {
		run func(context.Context) error
		of  tests
	}{
		"test":      {Test, usualTests},
		"test:long": {TestLong, longTests},
	} {
		t.Run(name, func(t *testing.T) { downloadsBoxes(t, test.run, test.of) })
	}
}

func downloadsBoxes(t *testing.T, run func(context.Context) error, of tests) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"go.work": "go 1.26.0\nuse ./tools\n", "tools/go.mod": "module example.com/tools\ngo 1.26.0\n"}
	want := []string{"."}
	for _, b := range boxes {
		files[b.name+"/go.mod"] = "module example.com/box\ngo 1.26.0\n"
		if b.tests > of {
			continue
		}
		want = append(want, b.name)
		if b.packages != "tool" {
			want = append(want, b.name+":tests") // what only tests import
		}
	}
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	noted := noteLists(t, t.TempDir())
	t.Chdir(root)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("GOCACHE", t.TempDir())
	t.Setenv("GOPROXY", "https://proxy.example.com")
	if err := run(t.Context()); err == nil {
		t.Error("a run without a test passes")
	}
	listed := strings.Fields(noted())
	for _, name := range want {
		if !slices.Contains(listed, filepath.Join(root, filepath.FromSlash(name))) {
			t.Errorf("packages of %s are not listed with a proxy, but those of %q", name, listed)
		}
	}
}

// TestReleasedPluginsAreDownloaded finds the archives of all modules, with unpublished siblings of
// the workspace.
func TestReleasedPluginsAreDownloaded(t *testing.T) {
	const text = `
-- go.work --
go 1.26.0
use (
	./frame
	./frame/example
)
-- frame/go.mod --
module example.com/frame
go 1.26.0
-- frame/f.go --
package frame
-- frame/example/go.mod --
module example.com/example
go 1.26.0
`
	root := t.TempDir()
	if err := txtar.Write(txtar.Parse([]byte(text)), root); err != nil {
		t.Fatal(err)
	}
	w, err := modules.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", "off")
	for _, test := range []struct{ requires, want string }{
		{"example.com/frame v0.0.0", ""},
		{"example.com/other v1.0.0", "releases/v0.1.0/plugin.txtar"},
	} {
		path, _, _ := strings.Cut(test.requires, " ")
		archive := &txtar.Archive{Files: []txtar.File{
			{Name: "go.mod", Data: []byte("module example.com/example\ngo 1.26.0\nrequire " + test.requires + "\n")},
			{Name: "main.go", Data: []byte("package main\nimport _ \"" + path + "\"\nfunc main() {}\n")},
		}}
		folder := filepath.Join(root, "frame", "example", "releases", "v0.1.0")
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "plugin.txtar"), txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
		err := downloadReleased(t.Context(), w)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error = %v, want %q", test.requires, err, test.want)
		}
	}
}

// noteLists puts a go command first in PATH that does nothing. It notes in which folders it was
// asked to list packages, unless it may not download. Only the real one knows its environment.
func noteLists(t *testing.T, dir string) (noted func() string) {
	t.Helper()
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "log")
	script := `#!/bin/sh
case $1 in list) ;; env) exec '` + real + `' "$@" ;; *) exit ;; esac
[ "$GOPROXY" = off ] || echo "$PWD" >> '` + log + `'
case " $* " in *" -test "*) [ "$GOPROXY" = off ] || echo "$PWD:tests" >> '` + log + `' ;; esac
`
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() string {
		t.Helper()
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}
