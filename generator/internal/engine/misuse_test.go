package engine_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/goldentest"
)

// TestMisuse runs the command on bad configurations, schemas, ledgers and folders, and compares
// its whole output. Each archive begins with the reason of the case; a file args has further
// flags. Every run fails with the exit code of wrong input, and writes nothing.
func TestMisuse(t *testing.T) { goldentest.Archives(t, "testdata/misuse/*.txtar", 20, true, misuse) }

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
	args := append([]string{"generate"}, strings.Fields(goldentest.Section(archive, "args"))...)
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
