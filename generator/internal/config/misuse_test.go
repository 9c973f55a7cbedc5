package config_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/golden"
)

// TestMisuse reads invalid files and compares the whole output: message, line, column, excerpt and
// hint.
func TestMisuse(t *testing.T) { golden.Run(t, "testdata/misuse/*.txtar", "want", misuse) }

// misuse unpacks the archive into a new folder, reads its strata.yaml, and returns the output, with
// the folder's name replaced.
func misuse(t *testing.T, files golden.Files) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for name, body := range files {
		if name != "want" {
			write(t, name, []byte(body))
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
