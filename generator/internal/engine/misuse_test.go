package engine_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/golden"
)

// TestMisuse runs the command on bad configurations, schemas, ledgers and folders, and compares
// its whole output. Each archive begins with the reason of the case; a file args has further
// flags. Every run fails with the exit code of wrong input, and writes nothing.
func TestMisuse(t *testing.T) { golden.Run(t, "testdata/misuse/*.txtar", "want", misuse) }

func misuse(t *testing.T, files golden.Files) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for name, body := range files {
		if name != "want" && name != "args" {
			write(t, ".", name, body)
		}
	}
	before, err := contents(".")
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	args := append([]string{"generate"}, strings.Fields(files["args"])...)
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
