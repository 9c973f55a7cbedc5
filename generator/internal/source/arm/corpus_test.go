package arm

import (
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

func readCorpus(t testing.TB, dir string) *source.Result {
	t.Helper()
	return sourcetest.Read(Read).Result(t, filepath.Join(dir, "schemas"), 0)
}

// TestCorpus reads all files of the corpus. Nothing may be broken, the resources must be those of
// the manifest, and the notation must represent them all.
func TestCorpus(t *testing.T) {
	dir := sourcetest.Corpus(t, "arm")
	result := readCorpus(t, dir)
	sourcetest.Whole(t, result, 554)
	if diff := cmp.Diff(manifest(t, dir), found(result)); diff != "" {
		t.Errorf("resource versions, -manifest +found:\n%s", diff)
	}
}

// TestCorpusDeterminism reads the corpus with one worker and with eight.
func TestCorpusDeterminism(t *testing.T) {
	sourcetest.Determinism(t, Read, filepath.Join(sourcetest.Corpus(t, "arm"), "schemas"))
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
	for _, r := range readCorpus(t, sourcetest.Corpus(t, "arm")).Resources {
		for _, v := range r.Versions {
			if got, want := v.Defs, model.Closure(v.Spec); !slices.Equal(got, want) {
				t.Errorf("%s %s: %d definitions, the body reaches %d, or the order differs", r.Type, v.Name, len(got), len(want))
			}
		}
	}
}

func BenchmarkCorpus(b *testing.B) {
	dir := sourcetest.Corpus(b, "arm")
	b.ReportAllocs()
	start := cputime.Used()
	for b.Loop() {
		readCorpus(b, dir)
	}
	b.ReportMetric((cputime.Used()-start).Seconds()/float64(b.N), "cpu-s/op")
}
