package arm

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/cputime"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/sourcetest"
)

// corpus returns the folder of the published ARM schemas: below STRATA_CORPORA, or in
// ../shared/corpora beside the repository. Without it the test is skipped.
func corpus(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("STRATA_CORPORA")
	if dir == "" {
		dir = filepath.Join(filepath.Dir(repository(t)), "shared", "corpora")
	}
	dir = filepath.Join(dir, "arm")
	if _, err := os.Stat(filepath.Join(dir, "manifest.tsv")); err != nil {
		t.Skipf("needs corpora: there is no corpus of ARM schemas at %s; set STRATA_CORPORA to the folder that holds arm/manifest.tsv", dir)
	}
	return dir
}

func repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
	}
	return "."
}

func readCorpus(t testing.TB, dir string, workers int) *source.Result {
	t.Helper()
	result, err := Read(context.Background(), Options{Root: filepath.Join(dir, "schemas"), Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestCorpus reads all files of the corpus. Nothing may be broken, the resources must be those of
// the manifest, and the notation must represent them all.
func TestCorpus(t *testing.T) {
	dir := corpus(t)
	result := readCorpus(t, dir, 0)
	if len(result.Broken) > 0 {
		t.Errorf("%d resource versions are broken:\n%s", len(result.Broken), sourcetest.Report(t, result))
	}
	if want := 554; len(result.Files) != want {
		t.Errorf("read %d files, want %d", len(result.Files), want)
	}
	if diff := cmp.Diff(manifest(t, dir), found(result)); diff != "" {
		t.Errorf("resource versions, -manifest +found:\n%s", diff)
	}
	for _, n := range result.Notes {
		t.Logf("note: %v", n)
	}
	text := model.Print(result.Resources...)
	again, err := model.Parse("corpus", text)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, model.Print(again...)) {
		t.Error("the model's text does not read back as it was")
	}
}

// TestCorpusDeterminism reads the corpus with one worker and with eight.
func TestCorpusDeterminism(t *testing.T) {
	dir := corpus(t)
	one, eight := readCorpus(t, dir, 1), readCorpus(t, dir, 8)
	if !bytes.Equal(model.Print(one.Resources...), model.Print(eight.Resources...)) {
		t.Error("the model depends on the number of workers")
	}
	one.Resources, eight.Resources = nil, nil
	if diff := cmp.Diff(one, eight); diff != "" {
		t.Errorf("the result depends on the number of workers:\n%s", diff)
	}
}

// manifest returns the types and versions of the manifest in lower case, sorted, each once.
func manifest(t *testing.T, dir string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "manifest.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		columns := strings.Split(line, "\t")
		rows = append(rows, strings.ToLower(columns[1]+" "+columns[2]))
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	if len(rows) != 2600 {
		t.Fatalf("the manifest lists %d resource versions, want 2600", len(rows))
	}
	return rows
}

func found(result *source.Result) []string {
	var rows []string
	for _, r := range result.Resources {
		for _, v := range r.Versions {
			rows = append(rows, strings.ToLower(r.Type+" "+v.Name))
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// TestCorpusClosure compares the definitions of each version with those that its body reaches.
func TestCorpusClosure(t *testing.T) {
	for _, r := range readCorpus(t, corpus(t), 0).Resources {
		for _, v := range r.Versions {
			if got, want := v.Defs, model.Closure(v.Spec); !slices.Equal(got, want) {
				t.Errorf("%s %s: %d definitions, the body reaches %d, or the order differs", r.Type, v.Name, len(got), len(want))
			}
		}
	}
}

func BenchmarkCorpus(b *testing.B) {
	dir := corpus(b)
	b.ReportAllocs()
	start := cputime.Used()
	for b.Loop() {
		readCorpus(b, dir, 0)
	}
	b.ReportMetric((cputime.Used()-start).Seconds()/float64(b.N), "cpu-s/op")
}
