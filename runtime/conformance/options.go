package conformance

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// options are the number of cases, the first seed, and the size of objects.
type options struct {
	cases  int
	seed   uint64
	budget int
	// counted reports that the number of cases was set, and seeded that the first seed was.
	counted, seeded bool
}

const defaultCases = 50

var (
	casesFlag = flag.String("strata.cases", "", "number of cases for each version of a resource")
	seedFlag  = flag.String("strata.seed", "", "seed of the first case, as a failure prints it")
)

// readOptions reads the options. Flags have precedence over the environment, and that over the
// defaults. The default seed follows from the label.
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

// defaultKindCases is the default number of cases for the laws of a kind, over all its versions.
const defaultKindCases = 800

// kindCases returns the number of cases for the laws of a kind with a number of versions that
// users write. By default there are at least two for each version. With a seed, it is the
// requested number, and not that for every version.
func (o options) kindCases(versions int) int {
	switch {
	case o.seeded:
		return o.cases
	case o.counted:
		return o.cases * versions
	default:
		return max(2*versions, defaultKindCases)
	}
}

// testName returns a test name without slashes, which the -run flag would read as separators of
// subtests.
func testName(name, label string) string {
	return strings.ReplaceAll(name+" "+label, "/", ".")
}
