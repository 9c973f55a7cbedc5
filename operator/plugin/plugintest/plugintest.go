package plugintest

import (
	"context"
	"log/slog"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/plugin"
	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/host"
)

// InMemory returns a host of the registered versions, without a process. It stops with the test.
func InMemory(t testing.TB, register ...func(*plugin.Server)) *host.Host {
	t.Helper()
	server := &plugin.Server{}
	for _, r := range register {
		r(server)
	}
	if err := server.Err(); err != nil {
		t.Fatal(err)
	}
	return Open(t, host.Options{Plugins: []host.Plugin{host.InMemory(t.Name(), server)}})
}

// Process returns a host of a program, which is locked to its present digest. It stops with the
// test, and the plugin's log is written to that of the test.
func Process(t testing.TB, program string, args ...string) *host.Host {
	t.Helper()
	locked, err := host.Lock(program)
	if err != nil {
		t.Fatal(err)
	}
	locked.Args = args
	return Open(t, host.Options{Plugins: []host.Plugin{locked}})
}

// Build compiles the main package of a plugin, in the syntax of the go command, and returns the
// program.
func Build(t testing.TB, pkg string, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "plugin")
	args := append([]string{"build", "-ldflags=-s -w", "-o", program}, flags...) // without what debuggers read, which takes half of the time
	if out, err := exec.Command("go", append(args, pkg)...).CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	return program
}

// Open opens a host that stops with the test.
func Open(t testing.TB, o host.Options) *host.Host {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	h, err := host.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		h.Stop(ctx)
	})
	return h
}

// Get returns the newest interface of a kind for a name.
func Get[T any](t testing.TB, h *host.Host, newest *contract.Version[T], name string, config map[string]string) T {
	t.Helper()
	got, err := host.Get(t.Context(), h, newest, name, config)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Log is a log that a test can read while it is written.
type Log struct{ buffer }

// Logger returns a logger that writes all levels to the log.
func (l *Log) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(&l.buffer, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
