package conformance

import (
	"runtime/debug"
	"testing"
)

// Run tests every spoke of the subjects in a parallel test, which is named by resource and
// version. A test ends at its first failure, whose message has the options to repeat it.
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

// collectLess makes the garbage collector run less often until the test ends, because drawn
// objects are numerous, small and short-lived.
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
