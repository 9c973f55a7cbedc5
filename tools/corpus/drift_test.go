package corpus_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
)

// TestEditedFilesAreNoticedAndMended edits generated files. A run must replace them although
// nothing else has changed.
func TestEditedFilesAreNoticedAndMended(t *testing.T) {
	tier.Long(t, "generates several times from published schemas")
	p := project(t, "drift", corpus.Project{Include: corpus.Of("Microsoft.Batch", "Microsoft.StreamAnalytics")})
	generate(t, p)
	before := tree(t, p.Output())
	for _, test := range []struct {
		reason, path string
		edit         func(t *testing.T, file string)
	}{
		{"a comment at the end", "batch/v20240701/batchaccountspool_types.go", add("\n// by hand\n")},
		{"one letter", "batch/v20240701/storage/batchaccountspool.go", add(" ")},
		{"a proof that is gone", "batch/conversiontest/batchaccountspool_test.go", remove},
		{"a report", "reports/streamanalytics/free-json.md", add("by hand\n")},
		{"a file that ends too early", "register.go", halve},
	} {
		t.Run(test.reason, func(t *testing.T) {
			test.edit(t, filepath.Join(p.Output(), filepath.FromSlash(test.path)))
			checked := generate(t, p, "--check")
			if checked.Code != 1 || len(checked.Drift) != 1 || checked.Drift[0].Path != test.path {
				t.Errorf("--check exits with %d and names %v, want 1 and %s", checked.Code, checked.Drift, test.path)
			}
			if mended := generate(t, p); mended.Code != 0 || len(mended.Changes) != 1 {
				t.Errorf("generate exits with %d and changes %v", mended.Code, mended.Changes)
			}
			after := tree(t, p.Output())
			if different := before.Differences(after); len(different) > 0 {
				t.Errorf("generate left\n%s", some(different))
			}
			if touched := before.Touched(after); len(touched) != 1 {
				t.Errorf("generate wrote\n%s", some(touched))
			}
			before = after
			if again := generate(t, p, "--check"); again.Code != 0 {
				t.Errorf("--check still exits with %d and names %v", again.Code, again.Drift)
			}
		})
	}
}

func add(text string) func(*testing.T, string) {
	return func(t *testing.T, file string) { write(t, file, append(read(t, file), text...)) }
}

func halve(t *testing.T, file string) {
	body := read(t, file)
	write(t, file, body[:len(body)/2])
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func write(t *testing.T, file string, body []byte) {
	t.Helper()
	if err := os.WriteFile(file, body, 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, file string) {
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}
