package history_test

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
	"github.com/stratakube/strata/tools/e2e/history"
)

func TestMain(m *testing.M) { labtest.Main(m) }

// soak reports whether the histories of all types are told, not just those of a few.
var soak = os.Getenv("STRATA_SOAK") != ""

// site opens a module for trees. A test that asks for it is skipped in short mode.
func site(t *testing.T, name string) history.Site {
	t.Helper()
	if testing.Short() {
		t.Skip("short: runs the generator and compiles for long")
	}
	l, err := labtest.Open()
	if err != nil {
		t.Fatal(err)
	}
	m, unlock, err := corpus.OpenModule(l.Workspace, name, corpus.Project{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(unlock)
	return history.Site{Command: l.Command, Module: m}
}

// published is the root of the real schemas. A test that asks for it is skipped where there are
// none.
func published(t *testing.T) string {
	t.Helper()
	l, err := labtest.Open()
	if err != nil {
		t.Fatal(err)
	}
	if l.Missing != nil {
		t.Skipf("needs corpora: %v", l.Missing)
	}
	return l.Schemas()
}

// spare is what is left of a test's time for saying what went wrong.
const spare = 20 * time.Second

// inTime ends somewhat before the test has to.
func inTime(t *testing.T) context.Context {
	deadline, ok := t.Deadline()
	if !ok {
		return t.Context()
	}
	ctx, cancel := context.WithDeadlineCause(t.Context(), deadline.Add(-spare),
		errors.New("the test's time is over; what was compiled is kept, so that the next run is faster (or give -timeout=20m)"))
	t.Cleanup(cancel)
	return ctx
}

//go:embed testdata/generation testdata/history testdata/skipping testdata/forms
var engines embed.FS

// engine returns the files of test code in folders of testdata, by name.
func engine(t *testing.T, folders ...string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, folder := range folders {
		dir := path.Join("testdata", folder)
		entries, err := engines.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			body, err := engines.ReadFile(path.Join(dir, entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			files[entry.Name()] = body
		}
	}
	return files
}

// run compiles and runs packages of proofs, which were placed before.
func run(t *testing.T, s history.Site, cases int, folders ...string) history.Results {
	t.Helper()
	args := []string{"test", "-json", "-timeout=0", "-vet=off"}
	for _, folder := range folders {
		args = append(args, "./"+folder)
	}
	out, err := s.Go(inTime(t), []string{fmt.Sprintf("STRATA_CASES=%d", cases)}, args...)
	results := history.ReadResults(out)
	if err != nil && len(results.Failed) == 0 {
		t.Fatalf("%v\n%s", err, most(out))
	}
	return results
}

// failures is what was printed by all that failed under a name.
func failures(r history.Results, name string) string {
	var text strings.Builder
	for _, failed := range slices.Sorted(maps.Keys(r.Failed)) {
		if strings.HasPrefix(failed, name) {
			text.WriteString(r.Failed[failed])
		}
	}
	return most(text.String())
}

// glue adds the glue of trees to the files of a package.
func glue(t *testing.T, files map[string][]byte, trees ...history.Tree) {
	t.Helper()
	for _, tree := range trees {
		body, err := tree.Glue("proofs")
		if err != nil {
			t.Fatal(err)
		}
		files[tree.Variable()+"_test.go"] = body
		steps, err := tree.Steps("proofs")
		if err != nil {
			t.Fatal(err)
		}
		if steps != nil {
			files[tree.Variable()+"_steps_test.go"] = steps
		}
	}
}

// versionsOf lists the versions of a tree in order.
func versionsOf(tree history.Tree) []string {
	var versions []string
	for _, row := range tree.Resources {
		versions = append(versions, row.Source.Version)
	}
	slices.SortFunc(versions, history.Order)
	return slices.Compact(versions)
}

// example is the root of the worked example's schemas.
func example(t *testing.T) string {
	t.Helper()
	l, err := labtest.Open()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(l.Workspace.Root, "schemas", "crm")
}

// most is the start of a text that may be very long.
func most(text string) string { return text[:min(len(text), 10_000)] }
