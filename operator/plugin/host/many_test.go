package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	"github.com/stratakube/strata/operator/plugin/provider"
)

// stack returns the stacks of all goroutines.
func stack(t *testing.T) []byte {
	t.Helper()
	text := make([]byte, 1<<20)
	return text[:runtime.Stack(text, true)]
}

// TestHundredPlugins checks that plugins start when they are used, and at most three at a time.
func TestHundredPlugins(t *testing.T) {
	if os.Getenv("STRATA_LONG") == "" && os.Getenv("STRATA_SOAK") == "" {
		t.Skip("needs STRATA_LONG=1: runs a hundred plugins")
	}
	n := 100
	if testing.Short() {
		n = 10
	}
	var o host.Options
	var plugins []host.Plugin
	for i := range n {
		p := plugin(fmt.Sprintf("-serve=provider.v2=example.com/n%d", i))
		p.Serves = []contract.Served{{ID: contract.ID{Kind: "provider", Number: 2}, Name: fmt.Sprintf("example.com/n%d", i)}}
		plugins = append(plugins, p)
	}
	o = options(plugins...)
	o.Parallel, o.Log, o.CallTimeout = 3, quiet(), 10*timeoutOfTests
	h := plugintest.Open(t, o)
	var providers []provider.Provider
	for i := range n {
		providers = append(providers, get(t, h, fmt.Sprintf("example.com/n%d", i)))
	}
	if running := children(); len(running) > 0 {
		t.Errorf("%d plugins run before they are used", len(running))
	}
	pid(t, providers[n/2])
	if running := children(); len(running) != 1 {
		t.Errorf("%d plugins run while one is used", len(running))
	}
	over, most := make(chan struct{}), make(chan int)
	go func() { most <- mostStarting(over) }()
	var all sync.WaitGroup
	pids := make([]int, n)
	for i, p := range providers {
		all.Go(func() { pids[i] = pid(t, p) })
	}
	all.Wait()
	distinct := map[int]bool{}
	for _, id := range pids {
		distinct[id] = true
	}
	if len(distinct) != n {
		t.Errorf("%d plugins are %d processes", n, len(distinct))
	}
	close(over)
	if most := <-most; most == 0 || most > 3 {
		t.Errorf("%d started at the same time, want 1 to 3", most)
	}
}

// mostStarting returns the largest number of socket folders, which exist while plugins start.
func mostStarting(over <-chan struct{}) (most int) {
	for {
		folders, _ := filepath.Glob(filepath.Join(built.sockets, "strata-*", "plugin-dir*"))
		most = max(most, len(folders))
		select {
		case <-over:
			return most
		case <-time.After(time.Millisecond):
		}
	}
}

// TestEverythingAtOnce gets, calls, crashes and stops at the same time. Nothing may hang, race or
// remain, and every answer must belong to its call.
func TestEverythingAtOnce(t *testing.T) {
	o := options(raced(), raced("-serve=provider.v2=example.com/other"))
	o.Restart.Limit, o.Log = 1000, quiet()
	h := plugintest.Open(t, o)
	var all sync.WaitGroup
	var good, interrupted, stopped atomic.Int32
	for worker := range 8 {
		all.Go(func() {
			who := fmt.Sprint(worker % 4)
			name := []string{files, "example.com/other"}[worker%2]
			for {
				p, err := host.Get(t.Context(), h, provider.Latest, name, map[string]string{"who": who})
				if err == nil {
					err = ask(t.Context(), p, who)
				}
				switch {
				case err == nil:
					good.Add(1)
				case errors.Is(err, host.ErrStopped):
					stopped.Add(1)
					return
				case errors.As(err, new(*host.InterruptedError)), errors.As(err, new(*host.StartError)):
					interrupted.Add(1) // in a call, or while it started
				default:
					t.Errorf("error = %v", err)
					return
				}
			}
		})
	}
	for range 6 {
		before := good.Load()
		for good.Load() < before+40 {
			runtime.Gosched()
			if t.Failed() {
				break
			}
		}
		for _, pid := range children() {
			_ = kill(pid)
		}
	}
	h.Stop(context.Background())
	all.Wait()
	if stopped.Load() != 8 {
		t.Errorf("%d of 8 workers have seen the stop", stopped.Load())
	}
	t.Logf("%d good calls, %d interrupted", good.Load(), interrupted.Load())
}

func ask(ctx context.Context, p provider.Provider, who string) error {
	o, err := apply(ctx, p, "")
	if err != nil {
		return err
	}
	var pid int
	var config string
	if _, err := fmt.Sscanf(string(o.GetStatus()), `{"pid":%d,"config":%q`, &pid, &config); err != nil || config != who {
		return fmt.Errorf("the answer %s is not for %s", o.GetStatus(), who)
	}
	return nil
}
