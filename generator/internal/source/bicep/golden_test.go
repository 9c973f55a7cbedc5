package bicep

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

var update = flag.Bool("update", false, "write the goldens")

// The files of an archive that are wanted, not read: the model's text, and all
// that is reported.
const (
	wantModel    = "want.model"
	wantMessages = "want.messages"
)

// TestIdioms reads archives of types, one idiom each, and compares the model.
func TestIdioms(t *testing.T) { goldens(t, "testdata/idioms", 10) }

// TestMisuse reads archives of bad files and compares what is reported, with line,
// column, path and excerpt.
func TestMisuse(t *testing.T) { goldens(t, "testdata/misuse", 15) }

func goldens(t *testing.T, dir string, least int) {
	names, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(names) < least {
		t.Fatalf("found %d archives below %s, want at least %d, %v", len(names), dir, least, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { golden(t, name) })
	}
}

func golden(t *testing.T, name string) {
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(bytes.TrimSpace(archive.Comment)) == 0 {
		t.Error("an archive says what it is about before its first file")
	}
	want := take(archive, wantModel, wantMessages)
	got := unpacked(t, archive)
	if *update {
		write(t, path, archive, got)
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// take removes files from an archive.
func take(archive *txtar.Archive, names ...string) map[string]string {
	taken := map[string]string{}
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool {
		if slices.Contains(names, f.Name) {
			taken[f.Name] = string(f.Data)
			return true
		}
		return false
	})
	return taken
}

// unpacked unpacks an archive into a new folder and reads the files there.
func unpacked(t *testing.T, archive *txtar.Archive) map[string]string {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, f := range archive.Files {
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	result, err := Read(context.Background(), Options{Root: "."})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	if len(result.Resources) > 0 {
		got[wantModel] = string(model.Print(result.Resources...))
	}
	if text := messages(t, result); text != "" {
		got[wantMessages] = text
	}
	return got
}

func messages(t *testing.T, r *source.Result) string {
	t.Helper()
	var text bytes.Buffer
	printer := diag.Printer{Sources: diag.NewSources(nil), Limit: -1}
	for _, b := range r.Broken {
		fmt.Fprintf(&text, "broken: %q %q %s %s\n", b.Type, b.Version, b.Source.File, b.Source.Scope)
		if err := printer.Text(&text, b.Messages); err != nil {
			t.Fatal(err)
		}
	}
	if err := printer.Text(&text, r.Notes); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func write(t *testing.T, path string, archive *txtar.Archive, got map[string]string) {
	t.Helper()
	for _, name := range []string{wantModel, wantMessages} {
		if got[name] != "" {
			archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(got[name])})
		}
	}
	if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}
