package engine_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/engine"
)

// TestMisuse runs the command on bad configurations, schemas, ledgers and
// folders, and compares all that it says. Each archive begins with the reason of
// the case; a file args holds further flags. Every run fails with the exit code
// of wrong input, and writes nothing.
func TestMisuse(t *testing.T) {
	archives, err := filepath.Glob("testdata/misuse/*.txtar")
	if err != nil || len(archives) < 20 {
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
			if diff := cmp.Diff(part(archive, "want"), got); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
}

func misuse(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, f := range archive.Files {
		if f.Name != "want" && f.Name != "args" {
			write(t, ".", f.Name, string(f.Data))
		}
	}
	before, err := contents(".")
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	args := append([]string{"generate"}, strings.Fields(part(archive, "args"))...)
	if code := cli.Run(t.Context(), args, cli.Streams{Out: &out, Err: &errs}, engine.Engine{}); code != cli.Failed {
		t.Errorf("exit code %d, want %d", code, cli.Failed)
	}
	if out.Len() > 0 {
		t.Errorf("a result of a run that failed: %s", &out)
	}
	after, err := contents(".")
	if changed := differing(before, after); err != nil || len(changed) > 0 {
		t.Errorf("written: %q, %v", changed, err)
	}
	return strings.ReplaceAll(errs.String(), dir, "$WORK")
}

func part(archive *txtar.Archive, name string) string {
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
	write(t, filepath.Dir(path), filepath.Base(path), string(txtar.Format(archive)))
}
