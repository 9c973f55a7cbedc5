//go:build unix

package targets_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/targets"
)

// TestGuard compares results with recorded ones. A go command stands for the benchmark: its n-th
// run has the n-th results, or the last ones.
func TestGuard(t *testing.T) {
	const recorded = `{"operator": {"writes": 3, "reads": 1}, "webhook": {"times an echo": 1.2}}`
	for _, test := range []struct {
		name, only string
		results    []string
		fails      string // what the error contains
		runs       int
		report     []string // what the report contains
	}{
		{"equal", "operator", []string{`{"writes": 3, "reads": 1}`}, "", 1, []string{"2 results, 0 of them more than 15 % worse"}},
		{"a little worse", "operator", []string{`{"writes": 3.4, "reads": 1.1}`}, "", 1, []string{"| writes | 3.000 | 3.400 | 1.13 |"}},
		{"a busy machine", "operator", []string{`{"writes": 4, "reads": 1}`, `{"writes": 3, "reads": 9}`}, "", 2, []string{"0 of them"}},
		{"worse", "operator", []string{`{"writes": 3.5, "reads": 1}`}, "1 of 2 results of operator are more than 15 % worse than recorded", 3, []string{"| writes | 3.000 | 3.500 | 1.17 |"}},
		{"not measured", "operator", []string{`{"writes": 3}`}, `"reads" is recorded, and was not measured`, 1, nil},
		{"profiled", "webhook", []string{`{"times an echo": 1.2}`}, "", 1, []string{"1 results"}},
		{"nothing recorded", "upgrade", nil, "nothing is recorded of upgrade; record it with `go tool mage bench:upgrade -write`", 0, nil},
		{"no such benchmark", "other", nil, `no benchmark has a name that matches "other"`, 0, nil},
		{"no expression", "(", nil, "-only: error parsing regexp", 0, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			root, bin, results := t.TempDir(), t.TempDir(), t.TempDir()
			files := map[string]string{"go.work": "go 1.26.0\n", "docs/reports/ratios.json": recorded}
			for name, text := range files {
				if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for i := range 3 {
				if len(test.results) == 0 {
					break
				}
				text := test.results[min(i, len(test.results)-1)]
				if err := os.WriteFile(filepath.Join(results, fmt.Sprint(i+1)), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			script(t, bin, `for a in "$@"; do case "$a" in
-reports=*) echo run >> '`+results+`/runs'; cp '`+results+`'/"$(wc -l < '`+results+`/runs' | tr -d ' ')" "${a#-reports=}/ratios.json";;
-profile=*) echo profile > "${a#-profile=}";;
esac; done`)
			t.Chdir(root)
			t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			err := targets.BenchGuard(t.Context(), test.only)
			if (err == nil) != (test.fails == "") || err != nil && !strings.Contains(err.Error(), test.fails) {
				t.Errorf("error %v, want %q", err, test.fails)
			}
			runs, _ := os.ReadFile(filepath.Join(results, "runs")) // not there without a run
			if n := strings.Count(string(runs), "\n"); n != test.runs {
				t.Errorf("%d runs, want %d", n, test.runs)
			}
			report, _ := os.ReadFile(filepath.Join(root, "bin", "guard", test.only+".md"))
			for _, want := range test.report {
				if !strings.Contains(string(report), want) {
					t.Errorf("%q is not in the report\n%s", want, report)
				}
			}
			if _, err := os.Stat(filepath.Join(root, "bin", "guard", "webhook.pprof")); (err == nil) != (test.name == "profiled") {
				t.Errorf("the profile: %v", err)
			}
		})
	}
}
