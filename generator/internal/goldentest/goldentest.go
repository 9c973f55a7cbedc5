package goldentest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the goldens")

// want is the file of an archive that has the text wanted.
const want = "want"

// Updates reports whether the goldens are to be written.
func Updates() bool { return *update }

// Archives calls play for each archive of a pattern, in a test of its own, and compares the result
// with the file want. There are at least so many archives, and each begins with the reason of the
// case if explained is true.
func Archives(t *testing.T, pattern string, least int, explained bool, play func(*testing.T, *txtar.Archive) string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) < least {
		t.Fatalf("found %d archives, %v, want at least %d", len(files), err, least)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			file, err := filepath.Abs(file) // play may change the folder
			if err != nil {
				t.Fatal(err)
			}
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if explained && len(bytes.TrimSpace(archive.Comment)) == 0 {
				t.Error("the archive does not begin with the reason of the case")
			}
			compare(t, file, archive, play(t, archive))
		})
	}
}

func compare(t *testing.T, file string, archive *txtar.Archive, got string) {
	t.Helper()
	if *update {
		put(archive, got)
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(Section(archive, want), got); diff != "" {
		t.Errorf("the result differs (-want +got):\n%s", diff)
	}
}

// put makes a text the last file of an archive.
func put(archive *txtar.Archive, got string) {
	kept := archive.Files[:0]
	for _, f := range archive.Files {
		if f.Name != want {
			kept = append(kept, f)
		}
	}
	archive.Files = append(kept, txtar.File{Name: want, Data: []byte(got)})
}

// Section returns the text of a file of an archive, empty where there is none.
func Section(archive *txtar.Archive, name string) string {
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}
