package testrun

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"gotest.tools/gotestsum/testjson"
)

const (
	quick = time.Second // what a package may take without a line of its own in the report

	slow      = 10 * time.Second // what a test takes at least that has a line in the report
	slowTests = 40               // how many lines there are for tests
)

// Report prints how long each package and each long test took, the slowest first, which tests were
// skipped and why, and a closing line as gotestsum has it. It returns an error if a test was
// skipped for a reason that does not hold, or if no test ran.
func (r *Run) Report(m Machine) error {
	if r.execution == nil || r.execution.Total() == 0 {
		return errors.New("no test ran")
	}
	r.times()
	refused := r.skips(m)
	testjson.PrintSummary(r.out, r.execution, testjson.SummarizeFailed)
	return refused
}

type timed struct {
	name string
	took time.Duration
}

// times prints the time of packages and of tests. The time of a test that runs beside others
// includes theirs.
func (r *Run) times() {
	var packages, tests []timed
	var rest time.Duration
	for _, name := range r.execution.Packages() {
		switch took := r.took[name]; {
		case took >= quick:
			packages = append(packages, timed{testjson.RelativePackagePath(name), took})
		default:
			rest += took
		}
		for _, test := range r.execution.Package(name).TestCases() {
			if test.Elapsed >= slow && !test.Test.IsSubTest() {
				tests = append(tests, timed{testjson.RelativePackagePath(name) + " " + test.Test.Name(), test.Elapsed})
			}
		}
	}
	fmt.Fprintln(r.out, "\n=== Time of packages, without compilation")
	r.lines(packages, len(packages))
	fmt.Fprintf(r.out, "%8.1fs  %d others, each below %s\n", rest.Seconds(), len(r.execution.Packages())-len(packages), quick)
	if len(tests) > 0 {
		fmt.Fprintf(r.out, "\n=== Tests of %s and more\n", slow)
		r.lines(tests, slowTests)
	}
}

// lines prints a line for each of the longest times, the longest first.
func (r *Run) lines(all []timed, most int) {
	slices.SortStableFunc(all, func(a, b timed) int { return cmp.Compare(b.took, a.took) })
	for _, one := range all[:min(len(all), most)] {
		fmt.Fprintf(r.out, "%8.1fs  %s\n", one.took.Seconds(), one.name)
	}
}

// skips prints the skipped tests by reason. The error names those whose reason does not hold.
func (r *Run) skips(m Machine) error {
	var refused []error
	byReason := map[string][]string{}
	for _, test := range r.execution.Skipped() {
		name := testjson.RelativePackagePath(test.Package) + " " + test.Test.Name()
		text := reasonOf(r.execution.OutputLines(test))
		byReason[text] = append(byReason[text], name)
		if why := m.judge(text); why != "" {
			refused = append(refused, fmt.Errorf("%s was skipped: %q: %s", name, text, why))
		}
	}
	if len(m.Left) > 0 {
		fmt.Fprintln(r.out, "\n=== Folders that only mage test:long tests")
		for _, folder := range m.Left {
			fmt.Fprintln(r.out, "      "+folder)
		}
	}
	if len(byReason) == 0 {
		fmt.Fprintln(r.out, "\n=== No tests were skipped")
		return nil
	}
	fmt.Fprintln(r.out, "\n=== Skipped tests")
	printSkips(r.out, byReason)
	return errors.Join(refused...)
}

func printSkips(out io.Writer, byReason map[string][]string) {
	for _, text := range slices.Sorted(maps.Keys(byReason)) {
		names := byReason[text]
		const most = 3
		line := fmt.Sprint(names[:min(len(names), most)])
		if len(names) > most {
			line += fmt.Sprintf(" and %d more", len(names)-most)
		}
		fmt.Fprintf(out, "%4d  %s  %s\n", len(names), text, line)
	}
}

// reasonOf finds the message of a skipped test among the lines that begin with a file and a line
// number. It is the last one of a known kind, since a script prints more lines after it; else the
// last one.
func reasonOf(lines []string) string {
	last := ""
	for _, line := range slices.Backward(lines) {
		found := stated.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		if kindOf(found[1]) >= 0 {
			return found[1]
		}
		last = cmp.Or(last, found[1])
	}
	return last
}
