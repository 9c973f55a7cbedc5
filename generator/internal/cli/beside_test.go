package cli

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
)

// TestFoldersOf finds the folder of a program that a symbolic link names, as krew links plugins.
func TestFoldersOf(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	store, bin := filepath.Join(dir, "store"), filepath.Join(dir, "bin")
	for _, folder := range []string{store, bin} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program, link := filepath.Join(store, "strata"), filepath.Join(bin, "kubectl-strata")
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, link); err != nil {
		t.Skip("needs symbolic links: krew makes them")
	}
	if got := foldersOf(link); !slices.Equal(got, []string{bin, store}) {
		t.Errorf("a link has %q", got)
	}
	if got := foldersOf(program); !slices.Equal(got, []string{store}) {
		t.Errorf("a program has %q", got)
	}
}

// TestAboutThis reads the version and the commit of builds by the go command and of archives.
func TestAboutThis(t *testing.T) {
	built := &debug.BuildInfo{Main: debug.Module{Version: "v0.2.0"}, Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"}}}
	if is := aboutThis(built); is.Version != "v0.2.0" || is.Commit != "0123456789abcdef" || !is.Modified {
		t.Errorf("a build is %+v", is)
	}
	release, commit = "v0.3.0", "fedcba9876543210"
	defer func() { release, commit = "", "" }()
	if is := aboutThis(built); is.Version != "v0.3.0" || is.Commit != "fedcba9876543210" || is.Modified || !isReleased() {
		t.Errorf("an archive is %+v", is)
	}
}
