package golden

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Files are the files of an archive, by name.
type Files map[string]string

// Run runs a subtest for each archive that matches a pattern. What make returns for its files must
// equal its file named want. The flag -update writes that file.
func Run(t *testing.T, pattern, want string, make func(t *testing.T, files Files) string) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases match %s: %v", pattern, err)
	}
	for _, path := range paths {
		path, err := filepath.Abs(path) // make may change the folder
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { check(t, path, want, make) })
	}
}

// Updates reports whether tests write golden files.
func Updates() bool { return *update }

// Read returns the files of one archive.
func Read(t testing.TB, path string) Files {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return filesOf(archive)
}

func filesOf(archive *txtar.Archive) Files {
	files := Files{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	return files
}

func check(t *testing.T, path, want string, make func(t *testing.T, files Files) string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(archive.Comment)) == "" {
		t.Error("the archive does not begin with the reason of the case")
	}
	files := filesOf(archive)
	got := make(t, files)
	if *update {
		files[want] = got
		write(t, path, archive, txtar.File{Name: want, Data: []byte(got)})
	}
	if diff := cmp.Diff(files[want], got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", want, diff)
	}
}

func write(t *testing.T, path string, archive *txtar.Archive, file txtar.File) {
	t.Helper()
	if i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == file.Name }); i >= 0 {
		archive.Files[i] = file
	} else {
		archive.Files = append(archive.Files, file)
	}
	if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
		t.Fatal(err)
	}
}
