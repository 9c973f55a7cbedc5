package host

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/launch"
)

// process is a plugin, over all its restarts.
type process struct {
	path     string
	launcher launch.Launcher
	options  Options
	slots    chan struct{} // shared by all processes that may start at the same time
	log      *slog.Logger

	live atomic.Pointer[launch.Session] // the present session, which may have ended

	mu       sync.Mutex
	starting *start
	expected []contract.Served // what it has served before, or is locked to serve
	ends     ends
	isOver   bool
	over     context.Context // ends with the process
	end      context.CancelFunc
	work     sync.WaitGroup
}

func newProcess(p Plugin, o Options, sockets *launch.Sockets, slots chan struct{}) *process {
	log := o.Log.With("plugin", baseName(p.Path))
	over, end := context.WithCancel(context.Background())
	return &process{
		path: p.Path, launcher: o.launcher(p, sockets, log), options: o, slots: slots, log: log,
		expected: p.Serves, ends: newEnds(o.Restart), over: over, end: end,
	}
}

// start is a running start, which several callers may wait for.
type start struct {
	done    chan struct{}
	session *launch.Session
	err     error
}

// session returns the present session of the plugin, or starts a new one if it has ended.
func (p *process) session(ctx context.Context) (*launch.Session, error) {
	if s := p.live.Load(); s != nil && s.Alive() {
		return s, nil
	}
	s, err := p.begin()
	if err != nil {
		return nil, err
	}
	select {
	case <-s.done:
		return s.session, s.err
	case <-ctx.Done():
		return nil, &StartError{p.path, fmt.Errorf("%w before it was ready%s", ctx.Err(), p.trouble())}
	}
}

// trouble describes earlier errors.
func (p *process) trouble() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ends.last == nil {
		return ""
	}
	return fmt.Sprintf("; last time: %v", p.ends.last)
}

func (p *process) begin() (*start, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isOver {
		return nil, ErrStopped
	}
	if p.starting != nil {
		return p.starting, nil
	}
	if s := p.live.Load(); s != nil && s.Alive() {
		return &start{done: closed, session: s}, nil
	} else if s != nil {
		p.recordEnd(s)
	}
	if p.ends.isLoop() {
		return nil, &CrashLoopError{p.path, p.ends.count, p.ends.last}
	}
	s := &start{done: make(chan struct{})}
	p.starting = s
	wait := time.Until(p.ends.next)
	p.work.Go(func() { p.run(s, wait) })
	return s, nil
}

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// run starts the plugin after a pause, and informs all callers that wait.
func (p *process) run(s *start, wait time.Duration) {
	s.session, s.err = p.launch(wait)
	p.mu.Lock()
	defer p.mu.Unlock()
	defer close(s.done)
	p.starting = nil
	switch {
	case p.isOver:
		if s.session != nil {
			s.session.Kill()
		}
		s.session, s.err = nil, ErrStopped
	case s.err != nil:
		p.ends.add(s.err)
		p.log.Warn("plugin did not start", "error", s.err)
		s.err = &StartError{p.path, s.err}
	default:
		p.expected = s.session.Served
		p.live.Store(s.session)
		p.work.Go(func() { p.watch(s.session) })
	}
}

func (p *process) launch(wait time.Duration) (*launch.Session, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.over.Done():
		return nil, ErrStopped
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-p.over.Done():
		return nil, ErrStopped
	}
	ctx, cancel := context.WithTimeout(p.over, p.options.StartTimeout)
	defer cancel()
	s, err := p.launcher.Launch(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.serves(s.Served); err != nil {
		s.Kill()
		return nil, err
	}
	return s, nil
}

// serves checks that the plugin serves the expected names and versions. It may serve more; the
// host ignores those that it does not know.
func (p *process) serves(got []contract.Served) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, want := range p.expected {
		if !slices.Contains(got, want) {
			return fmt.Errorf("it does not serve %s, as its lock file or an earlier start states", want)
		}
	}
	return nil
}

// watch records the end of a session at once, so that the pause before the next start begins then.
func (p *process) watch(s *launch.Session) {
	<-s.Ended()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.isOver {
		p.recordEnd(s)
	}
}

// recordEnd counts the end of a session, once.
func (p *process) recordEnd(s *launch.Session) {
	if !p.live.CompareAndSwap(s, nil) {
		return
	}
	if time.Since(s.Since) >= p.options.Restart.Stable {
		p.ends.forget()
	}
	p.ends.add(s.Why())
	p.log.Error("plugin ended", "error", s.Why())
}

// suspect checks whether a plugin that missed a deadline hangs altogether, and ends it if so.
func (p *process) suspect(s *launch.Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isOver || !s.Suspect() {
		return
	}
	p.work.Go(func() {
		defer s.Clear()
		ctx, cancel := context.WithTimeout(p.over, p.options.HangTimeout)
		defer cancel()
		if err := s.Healthy(ctx); err != nil && p.over.Err() == nil {
			p.log.Error("plugin hangs", "error", err)
			s.Kill()
		}
	})
}

// stop ends the plugin permanently, and returns when its process has ended and its socket is
// removed.
func (p *process) stop(ctx context.Context) {
	p.mu.Lock()
	p.isOver = true
	p.mu.Unlock()
	p.end()
	if s := p.live.Load(); s != nil {
		ctx, cancel := context.WithTimeout(ctx, p.options.StopTimeout)
		defer cancel()
		s.Quit(ctx)
	}
	p.work.Wait()
}

func (p *process) isStopped() bool { return p.over.Err() != nil }
