package host

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/launch"
	"github.com/stratakube/strata/operator/plugin/internal/serving"
)

// lives is a launcher of plugins in memory.
type lives struct {
	before func(ctx context.Context, n int) error // called before each start, the first of which is 0; may be nil

	mu    sync.Mutex
	count int
	last  *launch.Session
}

func (l *lives) Launch(ctx context.Context) (*launch.Session, error) {
	l.mu.Lock()
	n := l.count
	l.count++
	l.mu.Unlock()
	if l.before != nil {
		if err := l.before(ctx, n); err != nil {
			return nil, err
		}
	}
	s := &serving.Server{}
	s.Add(serving.Registration{Served: servedAs("a", "b", 1), Terms: &contract.Terms{Service: "strata.a.v1.A", Domain: "strata.dev"}})
	session, err := (&launch.Memory{Server: s, Limit: 700}).Launch(context.WithoutCancel(ctx))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = session
	return session, err
}

func (l *lives) starts() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}

// living returns a process that uses the launcher and stops with the test.
func living(t *testing.T, l *lives, r Restart) *process {
	t.Helper()
	p := newProcess(Plugin{Path: "p"}, must(Options{Restart: r}.complete()), nil, make(chan struct{}, 1))
	p.launcher = l
	t.Cleanup(func() { p.stop(context.Background()) })
	return p
}

var atOnce = Restart{First: 1, Longest: 1}

func session(t *testing.T, p *process) *launch.Session {
	t.Helper()
	s, err := p.session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// endsOf waits until the given number of ends in a row is counted.
func endsOf(t *testing.T, p *process, count int) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		p.mu.Lock()
		got := p.ends.count
		p.mu.Unlock()
		if got == count {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("%d ends are counted, want %d", got, count)
		}
	}
}

// TestLivesOfProcess checks that callers share a session, that its end is counted once, and that
// the next call starts another.
func TestLivesOfProcess(t *testing.T) {
	l := &lives{}
	p := living(t, l, atOnce)
	first := session(t, p)
	if session(t, p) != first || l.starts() != 1 {
		t.Errorf("%d starts, want one", l.starts())
	}
	first.Kill()
	endsOf(t, p, 1)
	p.recordEnd(first)
	endsOf(t, p, 1)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if s, err := p.session(t.Context()); err != nil || s == first {
				t.Errorf("error = %v, or the life that has ended", err)
			}
		})
	}
	all.Wait()
	if l.starts() != 2 {
		t.Errorf("%d starts, want two", l.starts())
	}
	if text := p.trouble(); text != "; last time: it was ended" {
		t.Errorf("the trouble is %q", text)
	}
}

// TestLongLifeIsForgiven checks that a long session resets the count of ends.
func TestLongLifeIsForgiven(t *testing.T) {
	p := living(t, &lives{}, Restart{First: 1, Longest: 1, Stable: time.Hour})
	for n := range 3 {
		session(t, p).Kill()
		endsOf(t, p, n+1)
	}
	s := session(t, p)
	p.mu.Lock() // for the goroutine that watches it
	s.Since = s.Since.Add(-time.Hour)
	p.mu.Unlock()
	s.Kill()
	endsOf(t, p, 1)
}

// TestStartsThatFail checks that failed starts are counted and reported, also to a caller that
// waits for another start.
func TestStartsThatFail(t *testing.T) {
	noDisk, goOn := errors.New("no disk"), make(chan struct{})
	l := &lives{before: func(_ context.Context, n int) error {
		if n == 0 {
			return noDisk
		}
		<-goOn
		return nil
	}}
	p := living(t, l, atOnce)
	if text := p.trouble(); text != "" {
		t.Errorf("there is trouble before the first start: %q", text)
	}
	_, err := p.session(t.Context())
	var failed *StartError
	if !errors.As(err, &failed) || !errors.Is(err, noDisk) || p.ends.count != 1 {
		t.Errorf("error = %v after %d ends, want a StartError", err, p.ends.count)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.session(ended)
	if !errors.As(err, &failed) || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "before it was ready; last time: no disk") {
		t.Errorf("error = %v, want a StartError that says what went wrong before", err)
	}
	close(goOn)
	session(t, p)
}

// TestPluginsServeExpectedKinds checks that a plugin that serves less is ended.
func TestPluginsServeExpectedKinds(t *testing.T) {
	l := &lives{}
	p := living(t, l, atOnce)
	p.expected = []contract.Served{servedAs("a", "strata.dev/b", 1), servedAs("a", "strata.dev/b", 2)}
	_, err := p.session(t.Context())
	if err == nil || !strings.Contains(err.Error(), "it does not serve a strata.dev/b v2, as its lock file or an earlier start states") {
		t.Errorf("error = %v", err)
	}
	if l.last.Alive() {
		t.Error("the plugin was not ended")
	}
	p.expected = p.expected[:1]
	session(t, p)
}

// TestStopEndsStarts checks that Stop ends starts at every stage. A plugin that is ready too late
// is ended.
func TestStopEndsStarts(t *testing.T) {
	for reason, prepare := range map[string]func(*process, *lives){
		"the pause before it": func(p *process, _ *lives) { p.ends.next = time.Now().Add(time.Hour) },
		"others that start":   func(p *process, _ *lives) { p.slots <- struct{}{} },
		"the plugin": func(_ *process, l *lives) {
			l.before = func(ctx context.Context, _ int) error {
				<-ctx.Done()
				return nil
			}
		},
	} {
		t.Run(reason, func(t *testing.T) {
			l := &lives{}
			p := living(t, l, atOnce)
			prepare(p, l)
			began := make(chan error)
			start, err := p.begin()
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				_, err := p.session(context.Background())
				began <- err
			}()
			if other, err := p.begin(); err != nil || other != start {
				t.Errorf("a second start, %v", err)
			}
			p.stop(context.Background())
			if err := <-began; !errors.Is(err, ErrStopped) {
				t.Errorf("error = %v, want ErrStopped", err)
			}
			if l.last != nil && l.last.Alive() {
				t.Error("a plugin is left")
			}
			if _, err := p.session(t.Context()); !errors.Is(err, ErrStopped) {
				t.Errorf("error = %v, want ErrStopped", err)
			}
		})
	}
}

// TestSuspects checks that a plugin that answers continues, and that one that does not is ended,
// unless all are being stopped.
func TestSuspects(t *testing.T) {
	p := living(t, &lives{}, atOnce)
	good := session(t, p)
	p.suspect(good)
	for limit := time.Now().Add(time.Minute); !good.Suspect(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("nobody found out whether it hangs")
		}
	}
	good.Clear()
	if !good.Alive() {
		t.Error("a plugin that answers was ended")
	}
	_ = good.Conn.Close()
	p.suspect(good)
	select {
	case <-good.Ended():
	case <-time.After(time.Minute):
		t.Error("a plugin that answers nothing was spared")
	}
	stopped := living(t, &lives{}, atOnce)
	last := session(t, stopped)
	stopped.stop(context.Background())
	stopped.suspect(last)
	if !last.Suspect() {
		t.Error("a plugin is suspected that was ended")
	}
}
