package conformance

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
)

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

// defaultKindCases is how many cases prove the laws of a kind, shared out over its versions, if
// no option sets the number.
const defaultKindCases = 800

// kindCases is how many cases prove the laws of a kind that users write in so many versions. Two of
// each version are the least. A seed is repeated with so many cases as were asked for, not with
// those of every version.
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

// testName has no slash, which the -run flag would take for a subtest's.
func testName(name, label string) string {
	return strings.ReplaceAll(name+" "+label, "/", ".")
}
