package generator

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/corpus"
)

// BenchmarkCompile compiles the code of Storage, without its tests, when nothing of it has been
// compiled before, but all that is not generated.
func BenchmarkCompile(b *testing.B) {
	m := module(b)
	below := requirements(b, m, "./api/storage/...")
	code, _ := measured(b, filepath.Join(m.Output(), "storage"))
	var c costs
	for b.Loop() {
		b.StopTimer()
		cache := b.TempDir()
		build(b, m, cache, below...)
		b.StartTimer()
		c.add(build(b, m, cache, "./api/storage/..."))
	}
	c.report(b)
	b.ReportMetric(c.cpu/float64(c.runs)/float64(code.Lines)*1e5, "cpu-s/100klines")
	b.ReportMetric(float64(code.Lines), "lines")
}

// requirements lists the packages outside of the module that its packages import, directly or
// through others.
func requirements(b *testing.B, m corpus.Module, pattern string) []string {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "go", "list", "-deps", pattern)
	cmd.Dir = m.Dir
	cmd.Env = append(cmd.Environ(), corpus.GoEnv...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	return slices.DeleteFunc(strings.Fields(string(out)), func(path string) bool { return strings.HasPrefix(path, corpus.ModulePath+"/") })
}

func build(b *testing.B, m corpus.Module, cache string, patterns ...string) corpus.Cost {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "go", append([]string{"build"}, patterns...)...)
	cmd.Dir = m.Dir
	cmd.Env = append(append(cmd.Environ(), corpus.GoEnv...), "GOCACHE="+cache)
	cmd.Stderr = os.Stderr
	cost, err := corpus.Measure(cmd)
	if err != nil {
		b.Fatal(err)
	}
	return cost
}

// BenchmarkGeneratedTests runs 1,000 cases of every resource version of Batch, without those of the
// steps.
func BenchmarkGeneratedTests(b *testing.B) {
	m := module(b)
	binary := filepath.Join(b.TempDir(), "batch.test")
	if out, err := m.Go(b.Context(), nil, "test", "-c", "-o", binary, "./api/batch/conversiontest"); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	var c costs
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), binary, "-test.skip", "(storage|laws|golden)")
		cmd.Env = append(cmd.Environ(), "STRATA_CASES=1000")
		cost, err := corpus.Measure(cmd)
		if err != nil {
			b.Fatal(err)
		}
		c.add(cost)
	}
	c.report(b)
}
