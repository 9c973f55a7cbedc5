package conformance

import (
	"runtime/debug"
	"testing"
)

// Run proves every spoke of the subjects in a parallel test of its own, named by resource and
// version. A spoke's test ends at its first failure, which has the options that repeat it.
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

func (s Spoke) prove(name string) error {
	o, err := readOptions(name + " " + s.label)
	if err != nil {
		return err
	}
	return s.check(o)
}
