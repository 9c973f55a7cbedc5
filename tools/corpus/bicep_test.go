package corpus_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

// doubled are the files of Bicep types that declare resource versions which other files declare
// too, in types that contradict those.
var doubled = []string{"generated/resources_16/*/2018-06-01/*"}

// TestBicepTypes generates everything from Bicep types alone: every resource version that they
// declare.
func TestBicepTypes(t *testing.T) {
	tier.Long(t, "reads all published Bicep types")
	l := labtest.WithSchemas(t)
	p := project(t, "bicep", corpus.Project{NoARM: true, Types: l.Types(), Typed: corpus.TypesOf(), Untyped: doubled, NoCRDs: true})
	report := generate(t, p)
	t.Logf("%d resources in %d versions, %d files, %v", report.Summary.Resources, report.Summary.Versions, report.Summary.Files, report.Cost)
	files, err := l.TypeFiles()
	if err != nil {
		t.Fatal(err)
	}
	found := map[corpus.ID]bool{}
	for _, row := range manifest(t, p.Output()).Resources {
		found[row.ID()] = true
	}
	if diff := cmp.Diff(sorted(files), sorted(found)); diff != "" {
		t.Errorf("resource versions (-declared +generated):\n%s", diff)
	}
}

func sorted[V any](all map[corpus.ID]V) []string {
	var out []string
	for id := range maps.Keys(all) {
		out = append(out, id.String())
	}
	slices.Sort(out)
	return out
}

// TestBicepBesideARM compiles, vets and tests the code that is generated for a provider whose
// statuses and secrets come from Bicep types.
func TestBicepBesideARM(t *testing.T) {
	tier.Long(t, "generates five providers from two sources")
	l := labtest.WithSchemas(t)
	proveProject(t, "kusto-observed", corpus.Project{
		Schemas: l.Schemas(), Include: corpus.Of("Microsoft.Kusto"), Types: l.Types(), Typed: corpus.TypesOf("Microsoft.Kusto"),
	}, fiveCases)
}

// TestBicepAlone does the same with a provider that only Bicep types describe.
func TestBicepAlone(t *testing.T) {
	l := labtest.WithSchemas(t)
	proveProject(t, "streams-typed", corpus.Project{
		NoARM: true, Types: l.Types(), Typed: corpus.TypesOf("Microsoft.StreamAnalytics"),
	}, fiveCases)
}

// TestAllBicepBesideARM does it with all providers.
func TestAllBicepBesideARM(t *testing.T) {
	l := labtest.WithSchemas(t)
	if !all {
		t.Skip("needs STRATA_CORPUS=1: compiles and runs the generated code of all providers, with their statuses")
	}
	proveProject(t, "all-observed", corpus.Project{
		Schemas: l.Schemas(), Include: corpus.Of(), Types: l.Types(), Typed: corpus.TypesOf(), Untyped: doubled,
	}, allCases)
}

func proveProject(t *testing.T, name string, p corpus.Project, cases int) {
	m, err := openProject(labtest.WithSchemas(t), name, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("gofmt", func(t *testing.T) { checkFormat(t, m.Output()) })
	t.Run("build", func(t *testing.T) { goes(t, m, nil, "build", "./api/...") })
	t.Run("vet", func(t *testing.T) { goes(t, m, nil, "vet", "./api/...") })
	t.Run("generated tests", func(t *testing.T) { checkGeneratedTests(t, m, cases) })
}
