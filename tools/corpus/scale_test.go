package corpus_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

// mostMemory is the largest memory that a run on all schemas may use, and mostTime its largest
// processor time.
const (
	mostMemory = 3 << 30
	mostTime   = 60 * time.Second
)

// everything is a project of all ARM schemas and Bicep types.
func everything(l *corpus.Lab) corpus.Project {
	return corpus.Project{
		Include: corpus.Of(), Types: l.Types(), Typed: corpus.TypesOf(), Untyped: doubled, MoreTypes: []string{l.Network()},
	}
}

// generateEverything generates all of it once.
var generateEverything = sync.OnceValues(func() (outcome, error) {
	l, err := labtest.Open()
	if err != nil {
		return outcome{}, err
	}
	p, err := l.Project("everything", everything(l))
	if err != nil {
		return outcome{}, err
	}
	report, err := l.Generate(context.Background(), p)
	return outcome{p, report}, err
})

// generated skips the test where corpora are missing or only the short tests run.
func generated(t *testing.T) outcome {
	t.Helper()
	l := labtest.WithSchemas(t)
	if !all {
		t.Skip("needs STRATA_CORPUS=1: generates everything at once")
	}
	if _, err := os.Stat(l.Network()); err != nil {
		t.Skipf("needs corpora: %v", err)
	}
	out, err := generateEverything()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAllCodeIsFormatted parses all code that is generated of ARM schemas and Bicep types, and
// requires gofmt's form. Nothing is compiled.
func TestAllCodeIsFormatted(t *testing.T) {
	out := generated(t)
	if out.Summary.Versions <= versions {
		t.Errorf("%d resource versions, and the ARM schemas alone declare %d", out.Summary.Versions, versions)
	}
	checkFormat(t, out.Output())
}

// TestAllSchemasAtOnce generates all ARM schemas and Bicep types in one run, and logs the costs.
// It bounds memory and processor time. Wall time is only logged, because machines differ. A run
// on one processor must write the same bytes.
func TestAllSchemasAtOnce(t *testing.T) {
	tier.Long(t, "generates everything at once")
	many := generated(t)
	p := everything(labtest.WithSchemas(t))
	p.Env = []string{"GOMAXPROCS=1"}
	one := project(t, "everything-by-one", p)
	t.Logf("%d resources in %d versions, %d files", many.Summary.Resources, many.Summary.Versions, many.Summary.Files)
	for name, cost := range map[string]corpus.Cost{"all processors": many.Cost, "one processor": generate(t, one).Cost} {
		t.Logf("%s: %v of wall time, %v of processor time, %d MB at most", name, cost.Wall, cost.CPU, cost.Peak>>20)
		if cost.Peak > mostMemory || cost.CPU > mostTime {
			t.Errorf("%s: %v of processor time and %d MB, want %v and %d MB", name, cost.CPU, cost.Peak>>20, mostTime, mostMemory>>20)
		}
	}
	if different := tree(t, one.Output()).Differences(tree(t, many.Output())); len(different) > 0 {
		t.Errorf("%d files differ:\n%s", len(different), some(different))
	}
}

// TestNetwork generates all versions of Microsoft.Network of Bicep types, whose types refer to each
// other more than any others. Exponential or quadratic work exceeds the bounds many times over.
func TestNetwork(t *testing.T) {
	tier.Long(t, "generates the largest provider")
	l := labtest.WithSchemas(t)
	if _, err := os.Stat(l.Network()); err != nil {
		t.Skipf("needs corpora: %v", err)
	}
	const most, mostBytes = 20 * time.Second, 1 << 30
	p := project(t, "network", corpus.Project{NoARM: true, Types: l.Network(), Typed: corpus.TypesOf(), NoCRDs: true})
	report := generate(t, p)
	t.Logf("%d resources in %d versions, %d files, %v", report.Summary.Resources, report.Summary.Versions, report.Summary.Files, report.Cost)
	if report.Summary.Versions < 400 || report.Cost.CPU > most || report.Cost.Peak > mostBytes {
		t.Errorf("%d versions take %v of processor time and %d MB, want %v and %d MB", report.Summary.Versions, report.Cost.CPU, report.Cost.Peak>>20, most, mostBytes>>20)
	}
}
