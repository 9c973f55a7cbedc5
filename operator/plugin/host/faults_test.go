package host_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	"github.com/stratakube/strata/operator/plugin/provider"
)

func TestCrashInCall(t *testing.T) {
	h := open(t)
	a := plugintest.Get(t, h, provider.Latest, files, map[string]string{"who": "a"})
	b := plugintest.Get(t, h, provider.Latest, files, map[string]string{"who": "b"})
	first := pid(t, a)
	if pid(t, b) != first {
		t.Fatal("two instances are two processes")
	}
	_, err := apply(t.Context(), a, "crash")
	var interrupted *host.InterruptedError
	if !errors.As(err, &interrupted) {
		t.Fatalf("error = %v, want an InterruptedError", err)
	}
	contains(t, err, "ended during the call: exit status 5")
	// Every instance is made again, with its own configuration.
	for who, p := range map[string]provider.Provider{"a": a, "b": b} {
		o, err := observe(t.Context(), p, "")
		if err != nil || !strings.Contains(string(o.GetStatus()), `"config":"`+who+`"`) {
			t.Errorf("got %s, %v, want configuration %s", o.GetStatus(), err, who)
		}
	}
	if second := pid(t, a); second == first || pid(t, b) != second {
		t.Error("the process is not a new one, or not the same for both")
	}
}

func TestCrashBetweenCalls(t *testing.T) {
	p := get(t, open(t), files)
	first := pid(t, p)
	if err := kill(first); err != nil {
		t.Fatal(err)
	}
	gone(t, first)
	if _, err := apply(t.Context(), p, ""); err != nil && !errors.As(err, new(*host.InterruptedError)) {
		t.Errorf("error = %v, want none, or that it was interrupted where the end was not seen yet", err)
	}
	if pid(t, p) == first {
		t.Error("the process is the one that was killed")
	}
}

// TestOnlySafeCallsAreRepeated checks that Observe and Delete are repeated, and Apply is not.
func TestOnlySafeCallsAreRepeated(t *testing.T) {
	p := get(t, open(t), files)
	if o, err := observe(t.Context(), p, "crash-once "+filepath.Join(t.TempDir(), "a")); err != nil || !o.GetExists() {
		t.Errorf("Observe gives %v, %v, want the answer of a second try", o, err)
	}
	if _, err := apply(t.Context(), p, "crash-once "+filepath.Join(t.TempDir(), "b")); !errors.As(err, new(*host.InterruptedError)) {
		t.Errorf("error of Apply = %v, want that it was interrupted", err)
	}
}

func TestCrashLoop(t *testing.T) {
	o := options(plugin())
	o.Restart.Limit = 3
	p := get(t, plugintest.Open(t, o), files)
	for range 2 {
		if _, err := apply(t.Context(), p, "crash"); !errors.As(err, new(*host.InterruptedError)) {
			t.Fatalf("error = %v, want an InterruptedError", err)
		}
	}
	_, err := apply(t.Context(), p, "crash-aside")
	contains(t, err, "exit status 2: panic: on its own")
	_, err = apply(t.Context(), p, "")
	var loop *host.CrashLoopError
	if !errors.As(err, &loop) || loop.Ends != 3 {
		t.Errorf("error = %v, want a CrashLoopError after 3 ends", err)
	}
	contains(t, err, "crash loop", "panic: on its own")
}

func TestCrashLoopGetsAnotherTry(t *testing.T) {
	o := options(plugin())
	o.Restart.Limit, o.Restart.Cooldown = 1, time.Nanosecond
	p := get(t, plugintest.Open(t, o), files)
	_, err := apply(t.Context(), p, "crash")
	contains(t, err, "exit status 5")
	if _, err := apply(t.Context(), p, ""); err != nil {
		t.Errorf("error = %v, want none after the cooldown", err)
	}
}

func TestBadStarts(t *testing.T) {
	tests := []struct {
		reason, start string
		want          []string
	}{
		{"a crash", "crash", []string{"it ended before the handshake (exit status 3: no disk)"}},
		{"a panic", "panic", []string{"it ended before the handshake (exit status 2: panic: at once)"}},
		{"garbage", "garbage", []string{`its first line is "hello world" and not a handshake`}},
		{"something printed before", "print-first", []string{`its first line is "loading..."`, "writes to stdout before it serves"}},
		{"silence", "silent", []string{"it did not answer in time"}},
		{"a stopped process", "stop", []string{"it did not answer in time"}},
		{"a handshake with no listener", "no-listener", []string{"ask for health", "connection refused"}},
		{"a listener that accepts nothing", "deaf", []string{"it did not answer in time"}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			o := options(plugin("-start=" + test.start))
			if strings.Contains(test.want[0], "in time") {
				o.StartTimeout = 300 * time.Millisecond
			}
			h := plugintest.Open(t, o)
			_, err := host.Get(t.Context(), h, provider.Latest, files, nil)
			var failed *host.StartError
			if !errors.As(err, &failed) {
				t.Errorf("error = %v, want a StartError, and no search for other versions", err)
			}
			contains(t, err, test.want...)
		})
	}
}

func TestMissingProgram(t *testing.T) {
	missing := host.Plugin{Path: "/nowhere/plugin"}
	_, err := host.Get(t.Context(), plugintest.Open(t, options(missing)), provider.Latest, files, nil)
	contains(t, err, "start plugin /nowhere/plugin", "no such file")
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = host.Get(t.Context(), plugintest.Open(t, options(host.Plugin{Path: text})), provider.Latest, files, nil)
	contains(t, err, "start "+text, "permission denied")
}

// TestDeadlines uses a method that hangs while the process answers: only the call fails.
func TestDeadlines(t *testing.T) {
	o := options(plugin())
	o.CallTimeout = 50 * time.Millisecond
	p := get(t, plugintest.Open(t, o), files)
	first := pid(t, p)
	if _, err := apply(t.Context(), p, "hang"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v, want that the deadline of the host is over", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := apply(ctx, p, "hang"); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want that it was cancelled", err)
	}
	if _, err := apply(within(t), p, "own-deadline"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v, want that a deadline of the plugin's is over", err)
	}
	if pid(t, p) != first {
		t.Error("the process was not spared")
	}
}

// within returns a context with the longest time that anything may take.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeoutOfTests)
	t.Cleanup(cancel)
	return ctx
}

// TestHungProcess uses a process that answers nothing at all: it is killed, and the next one
// answers.
func TestHungProcess(t *testing.T) {
	o := options(plugin())
	o.HangTimeout = 100 * time.Millisecond
	p := get(t, plugintest.Open(t, o), files)
	first := pid(t, p)
	freeze(t, first)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := apply(ctx, p, ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v, want that the deadline is over", err)
	}
	gone(t, first)
	if pid(t, p) == first {
		t.Error("the process is the one that hung")
	}
}

func TestStoppingHungProcess(t *testing.T) {
	o := options(plugin())
	o.StopTimeout = 50 * time.Millisecond
	h := plugintest.Open(t, o)
	hung := pid(t, get(t, h, files))
	freeze(t, hung)
	h.Stop(t.Context())
	if isThere(hung) {
		t.Error("the process is there after Stop")
	}
}

func TestPanicIsOfItsCallOnly(t *testing.T) {
	p := get(t, open(t), files)
	first := pid(t, p)
	_, err := apply(t.Context(), p, "panic")
	if !errors.As(err, new(*contract.PanicError)) {
		t.Errorf("error = %v, want a PanicError", err)
	}
	contains(t, err, "the plugin panicked: in a call")
	if pid(t, p) != first {
		t.Error("the process was not spared")
	}
}

func TestChildrenOfPluginsEndWithThem(t *testing.T) {
	var log plugintest.Log
	o := options(plugin("-start=leave-child"))
	o.Log = log.Logger()
	h := plugintest.Open(t, o)
	parent := pid(t, get(t, h, files))
	if err := kill(parent); err != nil {
		t.Fatal(err)
	}
	gone(t, parent)
	h.Stop(t.Context())
	if left := leftovers(built.dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestStopIsFinal(t *testing.T) {
	h := open(t)
	p := get(t, h, files)
	running := pid(t, p)
	var calls sync.WaitGroup
	calls.Go(func() {
		if _, err := apply(t.Context(), p, "hang"); !errors.Is(err, host.ErrStopped) {
			t.Errorf("error of a call under way = %v, want ErrStopped", err)
		}
	})
	for !strings.Contains(string(stack(t)), "Invoke") { // until the call is running
		time.Sleep(time.Millisecond)
	}
	h.Stop(t.Context())
	h.Stop(t.Context())
	calls.Wait()
	if isThere(running) {
		t.Error("the process is there after Stop")
	}
	if _, err := observe(t.Context(), p, ""); !errors.Is(err, host.ErrStopped) {
		t.Errorf("error = %v, want ErrStopped", err)
	}
	if _, err := host.Get(t.Context(), h, provider.Latest, files, map[string]string{"who": "new"}); !errors.Is(err, host.ErrStopped) {
		t.Errorf("error = %v, want ErrStopped", err)
	}
}
