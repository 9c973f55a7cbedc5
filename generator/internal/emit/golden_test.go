package emit_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// TestGolden generates the files of every case. In an archive, the comment describes the case,
// and every section with a slash in its name is an expected file. The compiler checks the other
// files. -update fills an empty section.
func TestGolden(t *testing.T) {
	for _, path := range archives(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { golden(t, path) })
	}
}

func golden(t *testing.T, path string) {
	archive, s := readCase(t, path)
	if len(archive.Comment) == 0 {
		t.Error("the case does not say what it shows")
	}
	got := map[string]string{}
	for _, f := range s.files(2) {
		got[f.Path] = string(f.Body)
	}
	chosen := 0
	for i := range archive.Files {
		want := &archive.Files[i]
		if !strings.Contains(want.Name, "/") {
			continue
		}
		chosen++
		body, ok := got[want.Name]
		if !ok {
			t.Fatalf("no file %s is generated", want.Name)
		}
		if *update {
			want.Data = []byte(body)
		} else if diff := cmp.Diff(string(want.Data), body); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", want.Name, diff)
		}
	}
	if chosen == 0 {
		t.Error("the case has chosen no file")
	}
	if *update {
		rewrite(t, path, archive)
	}
}

func rewrite(t *testing.T, path string, archive *txtar.Archive) {
	t.Helper()
	if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}
