package engine_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/countdown"
	"github.com/stratakube/strata/generator/internal/engine"
)

// TestInterrupt interrupts a run that adds a version, at every check for interrupts. The run must
// report it and fail, and the next run must complete the work as if nothing had happened.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Chdir(dir)
	shop(t, "once", 3)
	before := mustGenerate(t, "once/strata.yaml")
	shop(t, "once", 4)
	want := mustGenerate(t, "once/strata.yaml")
	for n, step := int64(0), int64(1); ; n += step {
		if n > 6 {
			step = stride()
		}
		if !interruptAfter(t, n, before, want) {
			break
		}
	}
}

// stride is how many of the later places at which a run looks for interrupts lie between two that
// are tried.
func stride() int64 {
	if os.Getenv("STRATA_SOAK") != "" {
		return 31
	}
	return 73
}

// interruptAfter returns false if the run ended before it was interrupted.
func interruptAfter(t *testing.T, n int64, before, want map[string]string) bool {
	t.Helper()
	dir := t.TempDir()
	shop(t, dir, 4)
	for name, body := range before {
		write(t, dir, "api/"+name, body)
	}
	config := filepath.Join(dir, "strata.yaml")
	code, out, errs := generate(countdown.New(t.Context(), n), config)
	if code == cli.Done {
		return false
	}
	if code != cli.Interrupted || out != "" || errs != "strata: error: interrupted\n" {
		t.Fatalf("after %d: exit code %d, %q, %q", n, code, out, errs)
	}
	if left, err := contents(filepath.Join(dir, "api")); err != nil || !maps.Equal(before, left) {
		t.Fatalf("after %d: %v, changed: %q", n, err, differing(before, left))
	}
	code, _, errs = generate(t.Context(), config)
	if code != cli.Done || strings.Contains(errs, "error") || strings.Contains(errs, "warning") {
		t.Fatalf("after %d, completing: exit code %d, %s", n, code, errs)
	}
	got, err := contents(filepath.Join(dir, "api"))
	if err != nil || !maps.Equal(want, got) {
		t.Fatalf("after %d, completed: %v, differ: %q", n, err, differing(want, got))
	}
	return true
}

// meanwhile is a context that calls a function after a number of checks.
type meanwhile struct {
	context.Context
	left atomic.Int64
	do   func()
}

func (c *meanwhile) Err() error {
	if c.left.Add(-1) == 0 {
		c.do()
	}
	return nil
}

// TestSchemaChangesMeanwhile checks that the next run notices a schema that changes during a run,
// at any time. The next run must not be skipped.
func TestSchemaChangesMeanwhile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Chdir(dir)
	const file, changed = "schemas/2010-01-01/Contoso.Shop.json", `"street": {"type": "string", "description": "Where it is."}`
	later := strings.Replace(shopSchema("Contoso.Shop", "2010-01-01", 0), `"street": {"type": "string"}`, changed, 1)
	for n := int64(1); n < 200; n += 17 {
		work := filepath.Join(dir, strconv.FormatInt(n, 10))
		shop(t, work, 2)
		// The file changes at once: a stage that reads it meanwhile must not see half of it.
		ctx := &meanwhile{Context: t.Context(), do: func() {
			write(t, work, "later.json", later)
			if err := os.Rename(filepath.Join(work, "later.json"), filepath.Join(work, file)); err != nil {
				t.Error(err)
			}
		}}
		ctx.left.Store(n)
		config := filepath.Join(work, "strata.yaml")
		if code, _, errs := generate(ctx, config); code != cli.Done {
			t.Fatalf("after %d: exit code %d, %s", n, code, errs)
		}
		got := mustGenerate(t, config)
		if noticed := strings.Contains(got["contoso-shop/v20100101/cart_types.go"], "Where it is."); noticed != (ctx.left.Load() <= 0) {
			t.Errorf("after %d: noticed %v", n, noticed)
		}
	}
}

// TestOutputThatCannotBeWritten checks that the error names the folder, and its position in the
// configuration.
func TestOutputThatCannotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("needs an ordinary user: root may write everywhere")
	}
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Chdir(dir)
	shop(t, ".", 1)
	for _, mode := range []os.FileMode{0o555, 0} {
		if err := os.MkdirAll("api", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod("api", mode); err != nil {
			t.Fatal(err)
		}
		code, out, errs := generate(t.Context(), "strata.yaml")
		if err := os.Chmod("api", 0o755); err != nil {
			t.Fatal(err)
		}
		files, err := contents("api")
		if code != cli.Failed || out != "" || !strings.Contains(errs, "permission denied") || err != nil || len(files) > 0 {
			t.Errorf("mode %o: exit code %d, %q, %s; files %v, %v", mode, code, out, errs, files, err)
		}
	}
}

// cancelling is a context that is cancelled after a number of checks, as by a signal.
type cancelling struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
	at     atomic.Pointer[time.Time] // when it was cancelled
}

func (c *cancelling) Err() error {
	if c.left.Add(-1) == 0 {
		now := time.Now()
		c.at.Store(&now)
		c.cancel()
	}
	return c.Context.Err()
}

// TestInterruptedWrite interrupts strata init --write at many checks for interrupts. The project
// must then be as it was, before the grace of a command is over: a command that takes longer ends
// with its process, and restores nothing. One of three tries must be so fast, because the machine
// may be busy.
func TestInterruptedWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("short: loads Go packages many times")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"GOWORK": "", "GOFLAGS": "-trimpath", "GOPROXY": "off"} {
		t.Setenv(name, value)
	}
	dir := t.TempDir()
	copyTree(t, filepath.Join(projects, "multigroup"), dir)
	t.Chdir(dir)
	if code, _, errs := command(t, "init", "--yes", "--checkout", root); code != cli.Done {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	before, err := contents(dir)
	if err != nil {
		t.Fatal(err)
	}
	for n := int64(1); ; n += 1 + n/2 {
		took := time.Hour
		for try := 0; try < 3 && took >= 800*time.Millisecond; try++ {
			parent, cancel := context.WithCancel(t.Context())
			ctx := &cancelling{Context: parent, cancel: cancel}
			ctx.left.Store(n)
			var stdout, stderr bytes.Buffer
			code := cli.Run(ctx, []string{"init", "--write"}, cli.Streams{Out: &stdout, Err: &stderr}, engine.Engine{})
			ended, at := time.Now(), ctx.at.Load()
			after, err := contents(dir)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if code == cli.Done {
				if n < 10 || maps.Equal(before, after) {
					t.Errorf("it wrote %q, and looked for interrupts at most %d times", differing(before, after), n)
				}
				return
			}
			if code != cli.Interrupted || at == nil || stdout.Len() > 0 || stderr.String() != "strata: error: interrupted\n" {
				t.Fatalf("after %d: exit code %d, %q, %q", n, code, &stdout, &stderr)
			}
			if !maps.Equal(before, after) {
				t.Fatalf("after %d, changed: %q", n, differing(before, after))
			}
			took = ended.Sub(*at)
		}
		if took >= 800*time.Millisecond {
			t.Errorf("after %d it ended %s after the interrupt", n, took)
		}
	}
}
