package history_test

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
	"github.com/stratakube/strata/tools/e2e/history"
)

func TestMain(m *testing.M) { labtest.Main(m) }

// site opens a module for trees. A test that asks for it is skipped in short mode.
func site(t *testing.T, name string) history.Site {
	t.Helper()
	l := labtest.Lab(t)
	m, unlock, err := corpus.OpenModule(l.Workspace, name, corpus.Project{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(unlock)
	return history.Site{Command: l.Command, Module: m}
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

// run compiles and runs test packages, which were placed before.
func run(t *testing.T, s history.Site, cases int, folders ...string) history.Results {
	t.Helper()
	args := []string{"test", "-json", "-timeout=0", "-vet=off"}
	for _, folder := range folders {
		args = append(args, "./"+folder)
	}
	out, err := s.Go(labtest.InTime(t), []string{fmt.Sprintf("STRATA_CASES=%d", cases)}, args...)
	results := history.ReadResults(out)
	if err != nil && len(results.Failed) == 0 {
		t.Fatalf("%v\n%s", err, most(out))
	}
	return results
}

// failures returns the output of all failed tests below a name.
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

// example returns the folder of the worked example in one kind of schema, as in crm-bicep.
func example(t *testing.T, schemas string) string {
	t.Helper()
	return filepath.Join(labtest.Lab(t).Workspace.Root, "schemas", schemas)
}

// most is the start of a text that may be very long.
func most(text string) string { return text[:min(len(text), 10_000)] }
