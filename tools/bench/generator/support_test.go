package generator

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

func TestMain(m *testing.M) { labtest.Main(m) }

// providers are those on which the costs of compiling and testing are measured.
var providers = []string{"Microsoft.Storage", "Microsoft.Batch"}

var openModule = sync.OnceValues(func() (corpus.Module, error) {
	l, err := labtest.Open()
	if err != nil {
		return corpus.Module{}, err
	}
	p := corpus.Project{Schemas: l.Schemas(), Include: corpus.Of(providers...)}
	m, unlock, err := corpus.OpenModule(l.Workspace, "bench", p)
	if err != nil {
		return m, err
	}
	labtest.AtEnd(unlock)
	_, err = l.Generate(context.Background(), m.Project)
	return m, err
})

// module returns the module with the code of the providers.
func module(tb testing.TB) corpus.Module {
	tb.Helper()
	labtest.WithSchemas(tb)
	m, err := openModule()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// fresh is a project that was never generated.
func fresh(tb testing.TB, name string, of corpus.Project) corpus.Project {
	tb.Helper()
	if err := os.RemoveAll(filepath.Join(labtest.WithSchemas(tb).Dir, name)); err != nil {
		tb.Fatal(err)
	}
	p, err := labtest.WithSchemas(tb).Project(name, of)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func generate(tb testing.TB, p corpus.Project) corpus.Report {
	tb.Helper()
	report, err := labtest.WithSchemas(tb).Generate(tb.Context(), p)
	if err != nil {
		tb.Fatal(err)
	}
	return report
}

// costs adds up what processes took.
type costs struct {
	runs int
	cpu  float64 // seconds
	peak int64   // the largest
}

func (c *costs) add(cost corpus.Cost) {
	c.runs++
	c.cpu += cost.CPU.Seconds()
	c.peak = max(c.peak, cost.Peak)
}

func (c *costs) report(b *testing.B) {
	b.ReportMetric(c.cpu/float64(c.runs), "cpu-s/op")
	b.ReportMetric(float64(c.peak)/1e6, "peak-MB")
}
