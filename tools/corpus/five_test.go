package corpus_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

// fiveCases is how many objects the generated tests draw for each version of the five providers.
const fiveCases = 60

var openFive = sync.OnceValues(func() (corpus.Module, error) { return openModule("five", corpus.Five...) })

// openModule generates providers in a module of that name.
func openModule(name string, providers ...string) (corpus.Module, error) {
	l, err := labtest.Open()
	if err != nil {
		return corpus.Module{}, err
	}
	return openProject(l, name, corpus.Project{Schemas: l.Schemas(), Include: corpus.Of(providers...)})
}

// openProject generates a project in a module of that name.
func openProject(l *corpus.Lab, name string, project corpus.Project) (corpus.Module, error) {
	m, unlock, err := corpus.OpenModule(l.Workspace, name, project)
	if err != nil {
		return m, err
	}
	labtest.AtEnd(unlock)
	_, err = l.Generate(context.Background(), m.Project)
	return m, err
}

func five(t *testing.T) corpus.Module {
	t.Helper()
	labtest.WithSchemas(t)
	m, err := openFive()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestFiveProviders compiles, vets and tests the code that is generated for five providers. The
// build cache provides unchanged results; without it the test takes minutes.
func TestFiveProviders(t *testing.T) {
	tier.Long(t, "compiles the code of five providers")
	m := five(t)
	t.Run("gofmt", func(t *testing.T) { checkFormat(t, m.Output()) })
	t.Run("width", func(t *testing.T) { checkWidth(t, m.Output()) })
	t.Run("users", func(t *testing.T) { checkUsers(t, m.Output(), corpus.ModulePath+"/api") })
	t.Run("build", func(t *testing.T) { goes(t, m, nil, "build", "./api/...") })
	t.Run("instances", func(t *testing.T) { checkInstances(t, m) })
	t.Run("vet", func(t *testing.T) { goes(t, m, nil, "vet", "./api/...") })
	t.Run("generated tests", func(t *testing.T) { checkGeneratedTests(t, m, fiveCases) })
}

// goes requires that a go command succeeds without output.
func goes(t *testing.T, m corpus.Module, env []string, args ...string) {
	t.Helper()
	out, err := m.Go(labtest.InTime(t), env, args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// checkGeneratedTests runs all generated tests and requires that each resource version, and its
// storage type, was proved.
func checkGeneratedTests(t *testing.T, m corpus.Module, cases int, env ...string) {
	out, err := m.Go(labtest.InTime(t), append(env, fmt.Sprintf("STRATA_CASES=%d", cases)), "test", "-json", "-timeout=0", "./api/...")
	results := readResults(t, out)
	if err != nil {
		t.Errorf("%v\n%s", err, some(results.failures))
	}
	rows := manifest(t, m.Output()).Resources
	if len(rows) == 0 {
		t.Fatal("nothing was generated")
	}
	for _, row := range rows {
		for _, label := range []string{row.Version, row.Version + "storage"} {
			if !results.passed[testName(row, label)] {
				t.Errorf("%v was not proved: no test %s has passed", row.ID(), testName(row, label))
			}
		}
	}
}

// TestModulesAreUsedAgain requires that another checkout finds the module as this one left it.
func TestModulesAreUsedAgain(t *testing.T) {
	m := five(t)
	again := generate(t, m.Project)
	if !again.Summary.UpToDate {
		t.Errorf("a second run changes %d files", len(again.Changes))
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		before, err := os.Stat(filepath.Join(m.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := m.WriteNew(name, read(t, filepath.Join(m.Dir, name))); err != nil {
			t.Fatal(err)
		}
		if after, err := os.Stat(filepath.Join(m.Dir, name)); err != nil || after.ModTime() != before.ModTime() {
			t.Errorf("%s was written again (%v)", name, err)
		}
	}
}
