package config_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
)

var update = flag.Bool("update", false, "write the goldens")

// TestMisuse reads invalid files and compares the whole output: message, line, column, excerpt and
// hint. Each archive begins with the reason of the case.
func TestMisuse(t *testing.T) {
	archives, err := filepath.Glob("testdata/misuse/*.txtar")
	if err != nil || len(archives) < 18 {
		t.Fatalf("found %d archives, %v", len(archives), err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			path, err := filepath.Abs(name)
			if err != nil {
				t.Fatal(err)
			}
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(bytes.TrimSpace(archive.Comment)) == 0 {
				t.Error("an archive says its reason before its first file")
			}
			got := misuse(t, archive)
			if *update {
				writeGolden(t, path, archive, got)
			}
			if diff := cmp.Diff(file(archive, "want"), got); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
}

// misuse unpacks the archive into a new folder, reads its strata.yaml, and returns the output, with
// the folder's name replaced.
func misuse(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, f := range archive.Files {
		if f.Name != "want" {
			write(t, f.Name, f.Data)
		}
	}
	sources := diag.NewSources(nil)
	var list diag.List
	_, err = config.Read("strata.yaml", sources)
	list.AddError(err)
	if err == nil {
		return "no error\n"
	}
	var out bytes.Buffer
	if err := (diag.Printer{Sources: sources}).Text(&out, list.Messages()); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(out.String(), dir, "$WORK")
}

func write(t *testing.T, name string, body []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, body, 0o644); err != nil {
		t.Fatal(err)
	}
}

func file(archive *txtar.Archive, name string) string {
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func writeGolden(t *testing.T, path string, archive *txtar.Archive, got string) {
	t.Helper()
	kept := archive.Files[:0]
	for _, f := range archive.Files {
		if f.Name != "want" {
			kept = append(kept, f)
		}
	}
	archive.Files = append(kept, txtar.File{Name: "want", Data: []byte(got)})
	write(t, path, txtar.Format(archive))
}
