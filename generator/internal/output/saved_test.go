package output_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/output"
)

// tree returns the files, links and folders below a folder, with modes and contents.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		body := ""
		switch info.Mode().Type() {
		case 0:
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			body = string(b)
		case fs.ModeSymlink:
			if body, err = os.Readlink(name); err != nil {
				return err
			}
		}
		out[name] = info.Mode().String() + " " + body
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRestore replaces, edits, adds and removes files, and restores what was there. What others
// wrote in the meantime stays.
func TestRestore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "project")
	put := func(name, body string) {
		t.Helper()
		if err := output.Put(t.Context(), dir, []output.File{{Path: name, Body: []byte(body)}}); err != nil {
			t.Fatal(err)
		}
	}
	put("kept/old.go", "old")
	put("removed.go", "removed")
	put("same.go", "same")
	put("target", "target")
	for _, do := range []error{
		os.Chmod(filepath.Join(dir, "kept/old.go"), 0o640), os.Mkdir(filepath.Join(dir, "empty"), 0o750), os.Mkdir(filepath.Join(dir, "taken"), 0o750),
		os.Symlink("target", filepath.Join(dir, "link")),
	} {
		if do != nil {
			t.Fatal(do)
		}
	}
	before := tree(t, dir)

	var saved output.Saved
	names := []string{"kept/old.go", "removed.go", "same.go", "link", "new.go", "empty/new.go", "a/b/c.go", "a/b/d.go", "a/e.go", "never/made.go", "taken"}
	if err := saved.Save(dir, names); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kept/old.go", "link", "new.go", "empty/new.go", "a/b/c.go", "a/b/d.go", "a/e.go"} {
		put(name, "changed")
	}
	if err := saved.Save(dir, names); err != nil { // records nothing that is recorded
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "removed.go")); err != nil {
		t.Fatal(err)
	}
	if err := saved.Restore(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("not restored (-before +after):\n%s", diff)
	}

	put("a/b/c.go", "changed")
	put("a/theirs.go", "theirs")
	if err := saved.Restore(); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]string{"a": "drwxr-xr-x ", "a/theirs.go": "-rw-r--r-- theirs"} {
		before[filepath.Join(dir, name)] = mode
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("others' files are not as they were (-want +got):\n%s", diff)
	}
}

// TestRestoreOfNewFolder restores a folder that did not exist itself.
func TestRestoreOfNewFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "project")
	var saved output.Saved
	if err := saved.Save(dir, []string{"x/y.go"}); err != nil {
		t.Fatal(err)
	}
	if err := output.Put(t.Context(), dir, []output.File{{Path: "x/y.go"}}); err != nil {
		t.Fatal(err)
	}
	if err := saved.Restore(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
}
