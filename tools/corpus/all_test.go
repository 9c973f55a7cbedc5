package corpus_test

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

// allCases are enough for the generated tests to demand that every field of every API type was
// drawn.
const allCases = 200

var openAll = sync.OnceValues(func() (corpus.Module, error) { return openModule("all") })

// TestAllProviders compiles, vets and runs everything that is generated. Without a build cache it
// takes half an hour on two processors.
func TestAllProviders(t *testing.T) {
	if labtest.WithSchemas(t); !all {
		t.Skip("needs STRATA_CORPUS=1: compiles and runs the generated code of all providers")
	}
	m, err := openAll()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("gofmt", func(t *testing.T) { checkFormat(t, m.Output()) })
	t.Run("width", func(t *testing.T) { checkWidth(t, m.Output()) })
	t.Run("users", func(t *testing.T) { checkUsers(t, m.Output(), corpus.ModulePath+"/api") })
	t.Run("build", func(t *testing.T) { goes(t, m, nil, "build", "./api/...") })
	t.Run("instances", func(t *testing.T) { checkInstances(t, m) })
	t.Run("vet", func(t *testing.T) { goes(t, m, nil, "vet", "./api/...") })
	t.Run("generated tests", func(t *testing.T) { checkGeneratedTests(t, m, allCases) })
	t.Run("staticcheck", func(t *testing.T) { checkStatically(t, m) })
}

// groupsOf lists the folders of all groups.
func groupsOf(t *testing.T, m corpus.Module) []string {
	t.Helper()
	var groups []string
	for _, row := range manifest(t, m.Output()).Resources {
		groups = append(groups, row.Folder())
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}

// checkStatically runs staticcheck on one group after the other.
func checkStatically(t *testing.T, m corpus.Module) {
	here := command.In{Dir: labtest.Lab(t).Workspace.Root}
	binary, err := here.Output(t.Context(), "go", "tool", "-n", "staticcheck")
	if err != nil {
		t.Fatal(err)
	}
	there := command.In{Dir: m.Dir, Env: corpus.GoEnv}
	for _, group := range groupsOf(t, m) {
		pattern := "./api/" + group + "/..."
		if found, err := there.Output(labtest.InTime(t), strings.TrimSpace(binary), pattern); err != nil || found != "" {
			t.Errorf("%s: %v\n%s", pattern, err, found)
		}
	}
}

// TestGeneratedTestsOfLateArrival runs the generated tests of code whose versions arrived one by
// one, the newest first, so that the keys in bags are others than if all had arrived at once.
func TestGeneratedTestsOfLateArrival(t *testing.T) {
	if labtest.WithSchemas(t); !all {
		t.Skip("needs STRATA_CORPUS=1: compiles and runs code whose versions arrived late")
	}
	p := corpus.Project{Schemas: labtest.WithSchemas(t).Schemas(), Include: corpus.Of("Microsoft.Kusto")}
	once := project(t, "kusto", p)
	generate(t, once)
	m, unlock, err := corpus.OpenModule(labtest.WithSchemas(t).Workspace, "late", p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(unlock)
	if err := os.RemoveAll(m.Output()); err != nil {
		t.Fatal(err)
	}
	for _, version := range reversed(versionsOf(t, once)) {
		m.Only = append(m.Only, "="+version)
		if err := m.Write(); err != nil {
			t.Fatal(err)
		}
		generate(t, m.Project)
	}
	checkGeneratedTests(t, m, allCases)
}
