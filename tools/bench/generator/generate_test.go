package generator

import (
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/tools/corpus"
)

// BenchmarkWholeFirst generates everything into an empty folder: with CRDs, and Go alone.
func BenchmarkWholeFirst(b *testing.B) {
	b.Run("All", func(b *testing.B) { benchmarkFirst(b, corpus.Project{Include: corpus.Of()}) })
	b.Run("Go", func(b *testing.B) { benchmarkFirst(b, corpus.Project{Include: corpus.Of(), NoCRDs: true}) })
}

func benchmarkFirst(b *testing.B, of corpus.Project) {
	var c costs
	var p corpus.Project
	var report corpus.Report
	for b.Loop() {
		b.StopTimer()
		p = fresh(b, "first", of)
		b.StartTimer()
		report = generate(b, p)
		c.add(report.Cost)
	}
	c.report(b)
	b.ReportMetric(float64(report.Summary.Versions), "versions")
	code, tests := measured(b, p.Output())
	all := code.Plus(tests)
	b.ReportMetric(float64(all.Files), "go-files")
	b.ReportMetric(float64(all.Lines), "lines")
	b.ReportMetric(float64(all.Bytes)/1e6, "MB")
}

// BenchmarkWholeUnchanged generates everything once more, with nothing changed.
func BenchmarkWholeUnchanged(b *testing.B) {
	p := fresh(b, "unchanged", corpus.Project{Include: corpus.Of()})
	generate(b, p)
	var c costs
	for b.Loop() {
		report := generate(b, p)
		c.add(report.Cost)
		if !report.Summary.UpToDate {
			b.Fatal("the run was not spared")
		}
	}
	c.report(b)
}

// BenchmarkSize counts the generated lines, files and bytes for each resource version.
func BenchmarkSize(b *testing.B) {
	p := fresh(b, "size", corpus.Project{Include: corpus.Of()})
	generate(b, p)
	manifest, err := corpus.ReadManifest(p.Output())
	if err != nil {
		b.Fatal(err)
	}
	versions := map[string]int{"": len(manifest.Resources)}
	for _, row := range manifest.Resources {
		versions[row.Folder()]++
	}
	for _, group := range []struct{ name, folder string }{
		{"All", ""}, {"Storage", "storage"}, {"Batch", "batch"}, {"Kusto", "kusto"}, {"Devices", "devices"}, {"DataFactory", "datafactory"},
	} {
		b.Run(group.name, func(b *testing.B) {
			var code, tests corpus.Size
			for b.Loop() {
				code, tests = measured(b, filepath.Join(p.Output(), group.folder))
			}
			per := func(n int) float64 { return float64(n) / float64(versions[group.folder]) }
			b.ReportMetric(0, "ns/op") // leaves it out
			b.ReportMetric(per(code.Lines), "lines/version")
			b.ReportMetric(per(code.Files), "files/version")
			b.ReportMetric(per(tests.Lines), "test-lines/version")
		})
	}
}

func measured(b *testing.B, dir string) (code, tests corpus.Size) {
	b.Helper()
	code, tests, err := corpus.Measured(dir)
	if err != nil {
		b.Fatal(err)
	}
	return code, tests
}
