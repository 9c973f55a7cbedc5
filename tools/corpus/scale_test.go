package corpus_test

import (
	"os"
	"testing"

	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

// mostMemory is what a run on all schemas may hold at once.
const mostMemory = 3 << 30

// TestAllSchemasAtOnce generates all ARM schemas and Bicep types in one run, and says what that
// takes. Memory is bounded; time is for people to read, since machines differ. One processor writes
// the same bytes.
func TestAllSchemasAtOnce(t *testing.T) {
	l := labtest.WithSchemas(t)
	if !all {
		t.Skip("needs STRATA_CORPUS=1: generates everything at once, twice")
	}
	if _, err := os.Stat(l.Network()); err != nil {
		t.Skipf("needs corpora: %v", err)
	}
	p := corpus.Project{Include: corpus.Of(), Types: l.Types(), Typed: corpus.TypesOf(), Untold: doubled, Further: []string{l.Network()}}
	many := project(t, "everything", p)
	report := generate(t, many)
	p.Env = []string{"GOMAXPROCS=1"}
	one := project(t, "everything-by-one", p)
	t.Logf("%d resources in %d versions, %d files", report.Summary.Resources, report.Summary.Versions, report.Summary.Files)
	for name, cost := range map[string]corpus.Cost{"all processors": report.Cost, "one processor": generate(t, one).Cost} {
		t.Logf("%s: %v of wall time, %v of processor time, %d MB at most", name, cost.Wall, cost.CPU, cost.Peak>>20)
		if cost.Peak > mostMemory {
			t.Errorf("%s: %d MB at most, want %d", name, cost.Peak>>20, mostMemory>>20)
		}
	}
	if different := tree(t, one.Output()).Differences(tree(t, many.Output())); len(different) > 0 {
		t.Errorf("%d files differ:\n%s", len(different), some(different))
	}
}
