package labtest

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/stratakube/strata/tools/corpus"
)

var closers []func()

// Main runs the tests of a package, then closes what they share. It is for TestMain, and does not
// return.
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
