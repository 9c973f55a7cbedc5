package mutation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/sync/errgroup"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/testrun/tier"
)

const workspace = `
-- go.work --
go 1.26.0
use (
	./low
	./high
)
replace example.com/low v0.0.0 => ./low
-- low/go.mod --
module example.com/low
go 1.26.0
-- low/low.go --
package low

// Limit is only used by the sibling.
func Limit() int { return 3 }
-- low/low_test.go --
package low

import (
	"os"
	"testing"

	"example.com/low/bare"
)

func TestLimit(t *testing.T) {
	if Limit() != 3 {
		t.Error("wrong")
	}
}

func TestBare(t *testing.T) {
	if !bare.IsEven(2) && os.Getenv("RAPID_NOFAILFILE") == "true" {
		t.Error("wrong")
	}
}
-- low/bare/bare.go --
package bare

// IsEven is tested by the package above.
func IsEven(n int) bool { return n%2 == 0 }
-- high/go.mod --
module example.com/high
go 1.26.0
require example.com/low v0.0.0
-- high/high.go --
package high

import "example.com/low"

type set[T any] struct{ list []T }

func (s *set[T]) isFull() bool {
	return len(s.list) >= low.Limit()
}

func twice(text string) *string {
	both := text + text
	return &both
}

func Sum(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += i
	}
	return sum
}

func forgotten(a, b int) bool { return a == b }

func waits(ended chan bool, n int) {
	if n != 1 {
		<-ended
	}
}
-- high/forms.go --
package high

const size = 2 << 1

var table [size - 1]int

func parts(text string, rest []byte) (n uint64, joined string) {
	for i := range text {
		switch {
		case text[i] <= ' ' || // a comment
			i == 1:
			continue
		}
		n ^= n*31 + uint64(text[i]) &^ 2
		joined += text[i : i+1]
	}
	return 1<<len(rest) + n, joined
}

func count(texts ...string) (seen map[string]int, last int) {
	seen, last = map[string]int{}, -1
found:
	for i, text := range texts {
		for range text {
			if seen[text]++; text == "end" {
				break found
			}
			last = i
		}
	}
	return seen, last
}

func half[N ~float64](n N) N {
	for {
		if n /= 2; n != 3 && n > 0 {
			continue
		}
		return -n
	}
}

-- high/elsewhere_plan9.go --
package high

func elsewhere(a, b int) bool { return a > b }
-- high/below/below.go --
package below

func Less(a, b int) bool { return a < b }
-- high/high_test.go --
package high

import "testing"

func TestSet(t *testing.T) {
	if !(&set[int]{make([]int, 4)}).isFull() || (&set[int]{make([]int, 2)}).isFull() {
		t.Error("wrong")
	}
}

func TestRest(t *testing.T) {
	if *twice("a") != "aa" || Sum(3) != 3 {
		t.Error("wrong")
	}
	waits(nil, 1)
}

func TestCostly(t *testing.T) {
	if !forgotten(1, 1) {
		t.Error("wrong")
	}
}

func TestForms(t *testing.T) {
	if n, text := parts("a -b", make([]byte, 33)); n != 1<<33+93694 || text != "a-b" {
		t.Error(n, text)
	}
	if seen, last := count("a", "bb", "end", "c"); len(table) != 3 || len(seen) != 3 || seen["bb"] != 2 || last != 1 {
		t.Error(seen, last)
	}
	if half(12.0) != -3 {
		t.Error("wrong")
	}
}
`

// verdicts are those of all mutants of a file. Addresses are no mutants, nor is the package below
// it.
var verdicts = map[string]Verdict{
	"set.isFull: >= becomes <": Killed,
	"set.isFull: >= becomes >": Survived, // three elements are not tried
	"twice: + becomes -":       NotCompiled,
	"Sum: < becomes <=":        Killed,
	"Sum: < becomes >=":        Killed,
	"Sum: ++ becomes --":       TimedOut,
	"Sum: += becomes -=":       Killed,
	"Sum: += becomes =":        Killed,
	"forgotten: == becomes !=": NotReached, // but by a test that is too costly
	"waits: != becomes ==":     TimedOut,
}

func TestMeasure(t *testing.T) {
	tier.Long(t, "builds gremlins, and programs of tests")
	w := fixture(t)
	targets := []Target{{Folder: "high", Tests: []string{"low"}, Costly: "^TestCost"}}
	all, err := Measure(t.Context(), w, targets, Options{Workers: 2, Least: 2 * time.Second, Report: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(verdicts, verdictsOf(all[0], "high.go")); diff != "" {
		t.Error(diff)
	}
	if got := verdictsOf(all[0], "elsewhere_plan9.go")["elsewhere: > becomes <="]; got != NotCompiled {
		t.Errorf("a mutant for another machine is %q", got)
	}
	if got := again(t, w, targets[0]); got != "edited" {
		t.Errorf("a second run has the verdict %q, want that of the first", got)
	}

	if err := os.WriteFile(filepath.Join(w.Root, "low", "more.go"), []byte("package low\n\nvar More = Limit()\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	part, err := Measure(ended, w, targets, Options{Workers: 1, Least: 2 * time.Second, Report: func(line string) {
		if strings.HasPrefix(line, string(Survived)) || strings.HasPrefix(line, string(NotReached)) {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || len(part) != 1 || part[0].IsComplete() || part[0].Count("edited") > 0 {
		t.Errorf("a run on changed sources that is stopped: error %v, results %v", err, part)
	}
}

// TestPackageWithoutTests expects that the tests of another package judge the mutants of a package
// without tests, and are asked to leave no files.
func TestPackageWithoutTests(t *testing.T) {
	tier.Long(t, "builds gremlins, and programs of tests")
	target := Target{Folder: "low/bare", Tests: []string{"low"}}
	all, err := Measure(t.Context(), fixture(t), []Target{target}, Options{Workers: 1, Least: 2 * time.Second, Report: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Verdict{"IsEven: % becomes *": Killed, "IsEven: == becomes !=": Killed}
	if diff := cmp.Diff(want, verdictsOf(all[0], "bare.go")); diff != "" {
		t.Error(diff)
	}
}

// TestSwitchesChangeNothing judges each mutant by its switch and by a program of its own, and
// requires the same verdict.
func TestSwitchesChangeNothing(t *testing.T) {
	tier.Long(t, "builds programs of tests twice")
	w, target := fixture(t), Target{Folder: "high", Costly: "^TestCost"}
	mutants, err := find(t.Context(), w, target)
	if err != nil {
		t.Fatal(err)
	}
	l, _, err := open(t.Context(), w, target, mutants, t.TempDir(), Options{Workers: 2, Least: 2 * time.Second, Report: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	var alone []string
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(2)
	for _, m := range mutants {
		if m.File != "forms.go" {
			continue
		}
		if l.switched.numbers[m.Name] == 0 && !l.switched.never[m.Name] {
			alone = append(alone, m.Source+": "+m.Change)
			continue
		}
		group.Go(func() error {
			bySwitch, err := l.judge(ctx, m)
			byProgram, err2 := l.judgeAlone(ctx, m)
			if bySwitch != byProgram {
				t.Errorf("%s: %s is %s by a switch, and %s by a program of its own", m.Source, m.Change, bySwitch, byProgram)
			}
			return errors.Join(err, err2)
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	want := []string{
		"const size = 2 << 1: << becomes >>",              // must be constant
		"var table [size - 1]int: - becomes +",            // must be constant
		`if seen[text]++; text == "end" {: ++ becomes --`, // has no address
		"continue: continue becomes break",                // a function without a return
	}
	if diff := cmp.Diff(want, alone); diff != "" {
		t.Errorf("mutants without a switch (-want +got):\n%s", diff)
	}
}

// again edits the stored verdicts and measures once more.
func again(t *testing.T, w *modules.Workspace, target Target) Verdict {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(cache, "strata", "mutation", target.Folder, "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("verdicts are in %v (error %v)", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte(`"Verdict":"survived"`), []byte(`"Verdict":"edited"`))
	if err := os.WriteFile(files[0], append(text, `{"File":`...), 0o666); err != nil { // a line that was not finished
		t.Fatal(err)
	}
	all, err := Measure(t.Context(), w, []Target{target}, Options{Report: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	return verdictsOf(all[0], "high.go")["set.isFull: >= becomes >"]
}

func TestNothingIsAskedFor(t *testing.T) {
	if _, err := Measure(t.Context(), &modules.Workspace{Root: t.TempDir()}, Targets, Options{}); err == nil {
		t.Error("a run without packages passes")
	}
}

// TestTargetsExist requires that the workspace has all packages of the list, and those whose
// tests count.
func TestTargetsExist(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range Targets {
		for _, folder := range append(target.Tests, target.Folder) {
			if !isIn(w, Target{Folder: folder}) {
				t.Errorf("there is no package %s", folder)
			}
		}
	}
	listed, err := readEquivalents(equivalents)
	if err != nil {
		t.Error(err)
	}
	for _, e := range listed {
		if !strings.Contains(fmt.Sprint(Targets), e.Package) {
			t.Errorf("equivalent.yaml is about %s, which is not measured", e.Package)
		}
	}
}

// TestTargetsAreComplete pins the list of packages. The list must have all packages of the
// webhook but fixtures and what tests alone import.
func TestTargetsAreComplete(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"runtime", "runtime/internal/additional", "runtime/internal/aso", "runtime/internal/bag", "runtime/internal/codec", "runtime/internal/declared", "runtime/internal/express", "runtime/internal/fingerprint", "runtime/internal/hidden", "runtime/internal/jsontext", "runtime/internal/notation", "runtime/internal/operation", "runtime/internal/preserve", "runtime/internal/shape", "runtime/convert", "runtime/genruntime", "generator/internal/chain", "generator/internal/plan", "generator/internal/served", "operator/reconciler", "operator/plugin/host"}
	root := os.DirFS(w.Root)
	err = fs.WalkDir(root, "webhook", func(folder string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		isFixture := func(name string) bool { return strings.HasPrefix(folder, "webhook/internal/"+name) }
		if isFixture("hotel") || isFixture("example") || isFixture("heaptest") {
			return nil
		}
		if files, err := fs.Glob(root, folder+"/doc.go"); err != nil || len(files) == 0 {
			return err
		}
		want = append(want, folder)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, target := range Targets {
		got = append(got, target.Folder)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestExcuse(t *testing.T) {
	name := Name{File: "a.go", Function: "F", Source: "return a < b", Change: "< becomes <=", Nth: 1}
	entry := "- {package: p, file: a.go, function: F, source: return a < b, change: < becomes <=, reason: never equal}\n"
	tests := []struct {
		reason  string
		list    string
		verdict Verdict
		want    Verdict
		err     string
	}{
		{"a survivor is excused", entry, Survived, Equivalent, ""},
		{"so is one that no test reaches", entry, NotReached, Equivalent, ""},
		{"others stay", "[]", Survived, Survived, ""},
		{"one that has not been run has no verdict", entry, "", "", ""},
		{"one that is killed is none", entry, Killed, Killed, "that tests kill"},
		{"one that does not exist is a mistake", strings.Replace(entry, "a < b", "b < a", 1), Survived, Survived, "does not have"},
		{"a reason must be given", strings.Replace(entry, "never equal", `""`, 1), Survived, Survived, "has no reason"},
		{"a misspelt word is a mistake", strings.Replace(entry, "reason", "because", 1), Survived, Survived, "because"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			results := []Result{{Mutant: Mutant{Name: name}, Verdict: test.verdict}}
			listed, err := readEquivalents([]byte(test.list))
			if err == nil {
				err = excuse(Target{Folder: "p"}, results, listed)
			}
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("error = %v, want %q", err, test.err)
			}
			if results[0].Verdict != test.want {
				t.Errorf("verdict %q, want %q", results[0].Verdict, test.want)
			}
		})
	}
}

func TestPage(t *testing.T) {
	measured := func(verdicts ...Verdict) Measured {
		m := Measured{Target: Target{Folder: "p"}}
		for _, v := range verdicts {
			m.Results = append(m.Results, Result{Mutant: Mutant{Name: Name{File: "a.go", Source: "a || b"}}, Verdict: v})
		}
		return m
	}
	tests := []struct {
		measured Measured
		row      string
		fails    bool
	}{
		{measured(Killed, Killed, TimedOut, Survived), "| `p` | 4 | 4 | 2 | 1 | 1 | 0 | 0 | 0 | 75.0 % |", true},
		{measured(Killed, NotReached), "| `p` | 2 | 2 | 1 | 0 | 0 | 1 | 0 | 0 | 50.0 % |", true},
		{measured(Killed, Equivalent, NotCompiled), "| `p` | 3 | 3 | 1 | 0 | 0 | 0 | 1 | 1 | 100.0 % |", false},
		{measured(Survived, ""), "| `p` | 2 | 1 | 0 | 0 | 1 | 0 | 0 | 0 | 0.0 % |", false},
		{measured(), "| `p` | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 100.0 % |", false},
	}
	for _, test := range tests {
		all := []Measured{test.measured}
		if page := Page(all); !strings.Contains(page, test.row) {
			t.Errorf("the page lacks %s:\n%s", test.row, page)
		}
		if err := Judge(all); (err != nil) != test.fails {
			t.Errorf("%s is judged %v", test.row, err)
		}
	}
	if page := Page([]Measured{measured(Survived)}); !strings.Contains(page, "`a \\|\\| b`") {
		t.Errorf("the line of a survivor breaks the table:\n%s", page)
	}
}

// TestUpdate requires that a page gets the new results of the measured packages, and preserves
// the results of other targets.
func TestUpdate(t *testing.T) {
	of := func(folder string, verdicts ...Verdict) Measured {
		m := Measured{Target: Target{Folder: folder}}
		for _, v := range verdicts {
			m.Results = append(m.Results, Result{Mutant: Mutant{Name: Name{File: folder + ".go", Source: "a ## b", Change: "`"}}, Verdict: v, Reason: "as it is"})
		}
		return m
	}
	targets := []Target{{Folder: "a"}, {Folder: "a/b"}, {Folder: "c"}}
	whole := []Measured{of("a", Survived, Equivalent), of("a/b", NotReached, Killed), of("c", Equivalent)}
	tests := []struct {
		reason   string
		page     string
		measured []Measured
		want     []Measured
	}{
		{"a page that there is not yet", "", whole[1:2], whole[1:2]},
		{"nothing was measured", Page(whole), nil, whole},
		{"the first, which survives no more", Page(whole), []Measured{of("a", Killed)}, []Measured{of("a", Killed), whole[1], whole[2]}},
		{"the last, which has survivors now", Page(whole), []Measured{of("c", Survived, Equivalent)}, []Measured{whole[0], whole[1], of("c", Survived, Equivalent)}},
		{"one between others, which was not there", Page([]Measured{whole[0], whole[2]}), whole[1:2], whole},
		{"a run that was interrupted", Page(whole), []Measured{of("a/b", Survived, "")}, []Measured{whole[0], of("a/b", Survived, ""), whole[2]}},
		{"one that was interrupted before its first verdict", Page(whole), []Measured{of("a/b", "", "")}, whole},
		{"a package that has no mutants any more", Page(whole), []Measured{of("a")}, []Measured{of("a"), whole[1], whole[2]}},
		{"a package that is no target any more", Page(append([]Measured{of("gone", Survived)}, whole...)), nil, whole},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			if diff := cmp.Diff(Page(test.want), Update(test.page, test.measured, targets)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func verdictsOf(m Measured, file string) map[string]Verdict {
	got := map[string]Verdict{}
	for _, r := range m.Results {
		if r.File == file {
			got[r.Function+": "+r.Change] = r.Verdict
		}
	}
	return got
}

// fixture is a workspace with the module of gremlins.
func fixture(t *testing.T) *modules.Workspace {
	t.Helper()
	cache, err := command.In{}.Output(t.Context(), "go", "env", "GOCACHE")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(cache)) // which stays where it is
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	own, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := txtar.Write(txtar.Parse([]byte(workspace)), root); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(root, "tools", "build", "mutation", "gremlins"), os.DirFS(filepath.Join(own.Root, "tools", "build", "mutation", "gremlins"))); err != nil {
		t.Fatal(err)
	}
	w, err := modules.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestEquivalentsAreInCode finds entries of equivalent.yaml whose code was changed or moved.
func TestEquivalentsAreInCode(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	listed, err := readEquivalents(equivalents)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range listed {
		text, err := os.ReadFile(filepath.Join(w.Root, filepath.FromSlash(e.Package), e.File))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(text), e.Source) {
			t.Errorf("%s/%s has no line %q", e.Package, e.File, e.Source)
		}
	}
}
