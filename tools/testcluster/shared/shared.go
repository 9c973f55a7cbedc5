package shared

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"

	"github.com/stratakube/strata/tools/testcluster/apiserver"
)

// shared is the cluster, or how it failed to start; nil until a test asks for it. The folder is
// empty until then.
var shared struct {
	sync.Mutex
	*apiserver.Cluster
	options apiserver.Options
	err     error
	folder  string
}

var running, interrupt = context.WithCancel(context.Background())

// Main runs the tests of a package, then stops their cluster. It is for TestMain, and does not
// return.
func Main(m *testing.M) { MainWith(m, apiserver.Options{}) }

// MainWith does what Main does, with a cluster of these options. Progress goes to standard error.
func MainWith(m *testing.M, o apiserver.Options) {
	o.Report = report
	shared.options = o
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		s := <-signals
		interrupt()
		end(interrupted(s))
	}()
	end(m.Run())
}

// interrupted is the exit code that shells give to a process that ended of a signal.
func interrupted(s os.Signal) int {
	if number, isNumber := s.(syscall.Signal); isNumber {
		return 128 + int(number)
	}
	return 1
}

// Of is the cluster of the package, whose TestMain calls Main. A short test, which may not take
// that long, is skipped.
func Of(t testing.TB) *apiserver.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.Cluster == nil && shared.err == nil {
		shared.Cluster, shared.err = apiserver.Start(running, shared.options)
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.Cluster
}

func report(line string) { fmt.Fprintln(os.Stderr, line) }

// Folder returns a folder for what the tests of the package share, such as built programs. Main
// removes it.
func Folder(t testing.TB) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.folder == "" {
		dir, err := os.MkdirTemp("", "strata-shared-")
		if err != nil {
			t.Fatal(err)
		}
		shared.folder = dir
	}
	return shared.folder
}

// end stops the cluster, removes the shared folder, and exits with the code, or with 1 if there is
// something wrong with that. The lock is kept, so that no test starts a cluster again.
func end(code int) {
	shared.Lock()
	if shared.Cluster != nil {
		if err := shared.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	if err := os.RemoveAll(shared.folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}
