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

// quick is how long a package may take without a line of its own in the report.
const quick = time.Second

// Report prints how long each package took, the slowest first, which tests were skipped and why,
// and a closing line as gotestsum has it. It returns an error if a test was skipped for a reason
// that does not hold, or if no test ran.
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

func (r *Run) times() {
	var slow []timed
	var rest time.Duration
	for _, name := range r.execution.Packages() {
		switch took := r.took[name]; {
		case took >= quick:
			slow = append(slow, timed{testjson.RelativePackagePath(name), took})
		default:
			rest += took
		}
	}
	slices.SortStableFunc(slow, func(a, b timed) int { return cmp.Compare(b.took, a.took) })
	fmt.Fprintln(r.out, "\n=== Time of packages, without compilation")
	for _, p := range slow {
		fmt.Fprintf(r.out, "%8.1fs  %s\n", p.took.Seconds(), p.name)
	}
	fmt.Fprintf(r.out, "%8.1fs  %d others, each below %s\n", rest.Seconds(), len(r.execution.Packages())-len(slow), quick)
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

// reasonOf finds the message of a skipped test: the last line that begins with a file and a
// line number.
func reasonOf(lines []string) string {
	for _, line := range slices.Backward(lines) {
		if found := stated.FindStringSubmatch(line); found != nil {
			return found[1]
		}
	}
	return ""
}
