package conformance

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// Run proves every spoke of the subjects in a parallel test of its own, named by resource and
// version. A spoke's test ends at its first failure, which says what to set to see it again.
func Run(t *testing.T, subjects ...Subject) {
	t.Helper()
	collectLess(t)
	for _, subject := range subjects {
		for _, spoke := range subject.spokes {
			t.Run(testName(subject.name, spoke.label), func(t *testing.T) {
				t.Parallel()
				if err := spoke.prove(subject.name); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// collectLess lets the garbage collector run less often until the test ends: drawn objects are
// many, small and short-lived.
func collectLess(t *testing.T) {
	const usual, less = 100, 400
	previous := debug.SetGCPercent(less)
	if previous != usual {
		debug.SetGCPercent(previous)
		return
	}
	t.Cleanup(func() { debug.SetGCPercent(previous) })
}

// testName has no slash, which the -run flag would take for a subtest's.
func testName(name, label string) string {
	return strings.ReplaceAll(name+" "+label, "/", ".")
}

func (s Spoke) prove(name string) error {
	o, err := readOptions(name + " " + s.label)
	if err != nil {
		return err
	}
	return s.check(o)
}

// options are how much is proved, and on which objects.
type options struct {
	cases  int
	seed   uint64
	budget int
	// counted reports whether the number of cases was set, and seeded whether the first seed was.
	counted, seeded bool
}

const defaultCases = 50

var (
	casesFlag = flag.String("strata.cases", "", "number of cases for each version of a resource")
	seedFlag  = flag.String("strata.seed", "", "seed of the first case, as a failure prints it")
)

// readOptions takes flags before the environment, and before what follows from a spoke's name.
func readOptions(label string) (options, error) {
	o := options{cases: defaultCases, seed: hash(label), budget: defaultBudget}
	if text := cmp.Or(*casesFlag, os.Getenv("STRATA_CASES")); text != "" {
		cases, err := strconv.Atoi(text)
		if err != nil || cases < 1 {
			return o, fmt.Errorf("STRATA_CASES is %q, not a number of cases", text)
		}
		o.cases, o.counted = cases, true
	}
	if text := cmp.Or(*seedFlag, os.Getenv("STRATA_SEED")); text != "" {
		seed, err := strconv.ParseUint(text, 0, 64)
		if err != nil {
			return o, fmt.Errorf("STRATA_SEED is %q, not a seed", text)
		}
		o.seed, o.seeded = seed, true
	}
	return o, nil
}
