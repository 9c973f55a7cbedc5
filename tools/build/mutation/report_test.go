package mutation

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/modules"
)

// incomplete are the packages of which the report has no row, or only that of a sample. They must
// not be below the floor once their row is complete.
var incomplete = map[string]string{}

// renamed are files of the report's lists that were split or renamed after they were measured.
var renamed = map[string]bool{"runtime/internal/declared/note.go": true, "runtime/genruntime/note.go": true}

// TestReportIsWhole reads the committed report. It expects a row of each target, above the floor,
// of all mutants or of a sample that suffices, and lists of files that exist. Exceptions must be
// listed, and no longer than they apply.
func TestReportIsWhole(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(w.Root, "docs", "reports", "mutation.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections := sectionsOf(string(text))
	for _, target := range Targets {
		s, isThere := sections[target.Folder]
		problem := "the report has no row"
		if isThere {
			problem = s.problem(t)
		}
		if excuse := incomplete[target.Folder]; (problem == "") != (excuse == "") {
			t.Errorf("%s: the problem is %q, and the exception %q", target.Folder, problem, excuse)
		}
		delete(sections, target.Folder)
	}
	for folder := range sections {
		t.Errorf("the report has a row or a list of %s, which is no target", folder)
	}
	checkFiles(t, w.Root, sectionsOf(string(text)))
}

// problem returns the fault of a section's row; empty if there is none.
func (s section) problem(t *testing.T) string {
	t.Helper()
	cells := strings.Split(s.row, " | ")
	if len(cells) != 10 {
		return "the row has other columns than the table"
	}
	score, err := strconv.ParseFloat(strings.TrimSuffix(cells[9], " % |\n"), 64)
	switch {
	case err != nil:
		return err.Error()
	case score < Floor:
		return "the score is below the floor"
	}
	counts := make([]int, len(cells))
	for i := 1; i < 9; i++ {
		counts[i] = countOf(t, cells[i])
	}
	mutants, measured, killed := counts[1], counts[2], counts[3]+counts[4]
	judged := killed + counts[5] + counts[6]
	switch {
	case measured != judged+counts[7]+counts[8]:
		return "the verdicts are not as many as the measured mutants"
	case measured > mutants:
		return "more mutants are measured than there are"
	case measured < mutants && lowest(killed, judged) < Floor:
		return "the sample is too small, or its score too near to the floor"
	}
	return ""
}

// lowest returns the lower end of the Wilson interval of 95 % for the score of all mutants, in
// percent, if so many of a sample are killed.
func lowest(killed, judged int) float64 {
	const z = 1.96
	n := float64(judged)
	share := float64(killed) / n
	middle, around := share+z*z/(2*n), z*math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	return 100 * (middle - around) / (1 + z*z/n)
}

func countOf(t *testing.T, cell string) int {
	t.Helper()
	n, err := strconv.Atoi(cell)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

var listed = regexp.MustCompile(`(?m)^\| (\S+\.go) \|`)

// checkFiles expects the files of lists to exist, and those that are excused to be listed and gone.
func checkFiles(t *testing.T, root string, sections map[string]section) {
	t.Helper()
	gone := map[string]bool{}
	for folder, s := range sections {
		for _, found := range listed.FindAllStringSubmatch(s.lists, -1) {
			file := folder + "/" + found[1]
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); errors.Is(err, fs.ErrNotExist) {
				gone[file] = true
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	for file := range gone {
		if !renamed[file] {
			t.Errorf("the report lists mutants of %s, which does not exist; measure the package again", file)
		}
	}
	for file := range renamed {
		if !gone[file] {
			t.Errorf("%s exists, or has no mutants in the report, and needs no exception", file)
		}
	}
}

// TestProblemsOfRows tries rows that are not whole.
func TestProblemsOfRows(t *testing.T) {
	for row, want := range map[string]string{
		"| `p` | 100 | 100 | 80 | 5 | 10 | 5 | 0 | 0 | 85.0 % |\n":  "",
		"| `p` | 100 | 100 | 80 | 4 | 11 | 5 | 0 | 0 | 84.9 % |\n":  "the score is below the floor",
		"| `p` | 101 | 100 | 80 | 5 | 10 | 5 | 0 | 0 | 85.0 % |\n":  "the sample is too small, or its score too near to the floor",
		"| `p` | 99 | 100 | 80 | 5 | 10 | 5 | 0 | 0 | 85.0 % |\n":   "more mutants are measured than there are",
		"| `p` | 100 | 100 | 80 | 4 | 10 | 5 | 0 | 0 | 85.0 % |\n":  "the verdicts are not as many as the measured mutants",
		"| `p` | 900 | 200 | 180 | 1 | 15 | 4 | 0 | 0 | 90.5 % |\n": "",
		"| `p` | 900 | 190 | 169 | 1 | 15 | 4 | 0 | 1 | 89.9 % |\n": "the sample is too small, or its score too near to the floor",
		"| `p` | 900 | 20 | 20 | 0 | 0 | 0 | 0 | 0 | 100.0 % |\n":   "the sample is too small, or its score too near to the floor",
		"": "the row has other columns than the table",
	} {
		if got := (section{row: row}).problem(t); got != want {
			t.Errorf("%q: the problem is %q, want %q", row, got, want)
		}
	}
}

// TestFloor judges a score just below the floor, and the floor itself.
func TestFloor(t *testing.T) {
	for killed, fails := range map[int]bool{84: true, 85: false} {
		m := Measured{Target: Target{Folder: "p"}, Results: make([]Result, 100)}
		for i := range m.Results {
			m.Results[i].Verdict = Survived
			if i < killed {
				m.Results[i].Verdict = Killed
			}
		}
		if err := Judge([]Measured{m}); (err != nil) != fails {
			t.Errorf("%d of 100 mutants that are killed are judged %v", killed, err)
		}
	}
}

// TestCostlyTestsExist expects each alternative of an expression for costly tests to match a test
// of the packages that it is used for.
func TestCostlyTestsExist(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string][]string{}
	for _, target := range Targets {
		for _, folder := range append([]string{target.Folder}, target.Tests...) {
			names[target.Costly] = append(names[target.Costly], testsIn(t, filepath.Join(w.Root, filepath.FromSlash(folder)))...)
		}
	}
	delete(names, "")
	for costly, tests := range names {
		inner, isForm := strings.CutPrefix(costly, "^Test(")
		inner, ends := strings.CutSuffix(inner, ")$")
		if !isForm || !ends {
			t.Errorf("%s is not of the form ^Test(A|B)$", costly)
		}
		for _, alternative := range strings.Split(inner, "|") {
			one := regexp.MustCompile("^Test(" + alternative + ")$")
			if !matchesAny(one, tests) {
				t.Errorf("no test of the packages matches %s", one)
			}
		}
	}
}

func matchesAny(expression *regexp.Regexp, names []string) bool {
	for _, name := range names {
		if expression.MatchString(name) {
			return true
		}
	}
	return false
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// testsIn returns the names of the tests in a folder.
func testsIn(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range testFunction.FindAllSubmatch(text, -1) {
			names = append(names, string(found[1]))
		}
	}
	return names
}
