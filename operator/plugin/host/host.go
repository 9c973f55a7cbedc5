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
	instances map[string]any // what Get has handed out
}

// Open makes a host. It starts nothing; names that two plugins are known to serve are an error at once.
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

// each works on all processes at once and joins the errors, in the order of the plugins.
func (h *Host) each(work func(*process) error) error {
	errs := make([]error, len(h.processes))
	var all sync.WaitGroup
	for i, p := range h.processes {
		all.Go(func() { errs[i] = work(p) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// load asks the plugins of which nobody has said what they serve.
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

// Check starts all plugins that do not run, and asks all of them for their health.
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

// Stop ends all plugins, for good. It returns when no process and no socket is left; the end of the context hurries it.
func (h *Host) Stop(ctx context.Context) {
	_ = h.each(func(p *process) error {
		p.stop(ctx)
		return nil
	})
	h.sockets.Remove()
}

func baseName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".exe") }
