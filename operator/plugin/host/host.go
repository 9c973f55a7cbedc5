package host

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"

	"github.com/stratakube/strata/operator/plugin/internal/launch"
)

// Host runs plugins.
type Host struct {
	options   Options
	processes []*process
	sockets   launch.Sockets
	registry  registry

	mu        sync.Mutex
	instances map[string]any // results of Get
}

// Open makes a host. It starts nothing. If two plugins are known to serve a name, it returns an
// error.
func Open(o Options) (*Host, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	h := &Host{options: o, sockets: launch.Sockets{Base: o.Sockets}, instances: map[string]any{}}
	slots := make(chan struct{}, o.Parallel)
	var wrong []error
	for _, p := range o.Plugins {
		process := newProcess(p, o, &h.sockets, slots)
		h.processes = append(h.processes, process)
		if p.Serves != nil {
			wrong = append(wrong, h.registry.add(process, p.Serves))
		}
	}
	return h, errors.Join(wrong...)
}

// each calls work for all processes concurrently and joins the errors, in the order of the plugins.
func (h *Host) each(work func(*process) error) error {
	errs := make([]error, len(h.processes))
	var all sync.WaitGroup
	for i, p := range h.processes {
		all.Go(func() { errs[i] = work(p) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// load asks the plugins whose names are not known yet.
func (h *Host) load(ctx context.Context) error {
	return h.each(func(p *process) error {
		if h.registry.knows(p) {
			return nil
		}
		s, err := p.session(ctx)
		if err != nil {
			return err
		}
		return h.registry.add(p, s.Served)
	})
}

// Check starts all plugins that do not run, and checks the health of all.
func (h *Host) Check(ctx context.Context) error {
	return h.each(func(p *process) error {
		s, err := p.session(ctx)
		if err != nil {
			return err
		}
		if err := s.Healthy(ctx); err != nil {
			return &StartError{p.path, err}
		}
		return h.registry.add(p, s.Served)
	})
}

// Stop ends all plugins permanently. It returns when all processes have ended and all sockets are
// removed. If the context ends, it kills the remaining processes.
func (h *Host) Stop(ctx context.Context) {
	_ = h.each(func(p *process) error {
		p.stop(ctx)
		return nil
	})
	h.sockets.Remove()
}

func baseName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".exe") }
