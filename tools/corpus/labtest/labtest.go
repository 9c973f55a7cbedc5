package labtest

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/corpus"
)

var closers []func()

// Main runs the tests of a package, then closes the resources that they share. TestMain calls it;
// it does not return.
func Main(m *testing.M) {
	code := m.Run()
	for _, end := range closers {
		end()
	}
	os.Exit(code)
}

// AtEnd calls a function when all tests have ended. It is not for several goroutines at once.
func AtEnd(end func()) { closers = append(closers, end) }

// Open opens the lab, once.
var Open = sync.OnceValues(func() (*corpus.Lab, error) {
	l, err := corpus.OpenLab(context.Background())
	if err == nil {
		AtEnd(func() { _ = l.Close() })
	}
	return l, err
})

// Lab returns the lab for a test that needs no real schemas. It skips a short test.
func Lab(t testing.TB) *corpus.Lab {
	t.Helper()
	if testing.Short() {
		t.Skip("short: runs the generator for long")
	}
	l, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// WithSchemas returns the lab. It skips a short test, and a test on a machine without real schemas.
func WithSchemas(t testing.TB) *corpus.Lab {
	t.Helper()
	l := Lab(t)
	if l.Missing != nil {
		t.Skipf("needs corpora: %v", l.Missing)
	}
	return l
}

// spare is the time that a test needs to report errors before its deadline.
const spare = 20 * time.Second

// InTime returns a context that ends somewhat before the test has to.
func InTime(t *testing.T) context.Context {
	deadline, ok := t.Deadline()
	if !ok {
		return t.Context()
	}
	ctx, cancel := context.WithDeadlineCause(t.Context(), deadline.Add(-spare),
		errors.New("the test's time is over; what was compiled is kept, so that the next run is faster (or give -timeout=20m)"))
	t.Cleanup(cancel)
	return ctx
}
