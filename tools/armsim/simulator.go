package armsim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/stratakube/strata/tools/armsim/internal/armid"
	"github.com/stratakube/strata/tools/armsim/internal/armschema"
)

// Simulator is an ARM, and the handler that serves it. It is safe for concurrent use.
type Simulator struct {
	options Options
	library *armschema.Library
	calls   *callLog
	faults  *faults
	limits  *limits

	ruling sync.Mutex
	rules  []OperationRule
	draws  *rand.Rand // which writes take long

	mu      sync.Mutex
	state   *state
	pending []*operation // that run, the next to end first
	refused int          // by schemas, since it was opened
}

// Open starts a simulator where the last one with this state stopped. The caller closes it.
func Open(options Options) (*Simulator, error) {
	s := &Simulator{options: options.withDefaults()}
	s.draws = rand.New(rand.NewPCG(options.Seed, 1))
	if err := errors.Join(s.SetOperations(options.Operations), checkRates(options)); err != nil {
		return nil, fmt.Errorf("open simulator: %w", err)
	}
	s.faults = &faults{}
	if err := s.SetFaults(options.Faults); err != nil {
		return nil, fmt.Errorf("open simulator: %w", err)
	}
	s.limits = newLimits(s.options)
	var err error
	if s.library, err = armschema.Open(options.Schemas...); err != nil {
		return nil, fmt.Errorf("open simulator: %w", err)
	}
	if s.state, err = openState(options.State, options.Sync); err != nil {
		return nil, fmt.Errorf("open simulator: %w", err)
	}
	for _, op := range s.state.operations {
		if op.Status == running {
			s.watch(op)
		}
	}
	if s.calls, err = openCalls(s.options); err != nil {
		s.Close()
		return nil, fmt.Errorf("open simulator: %w", err)
	}
	return s, nil
}

// Close lets go of the state. Calls that come later are answered 500.
func (s *Simulator) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	if s.state.file != nil {
		errs = append(errs, s.state.file.Close())
	}
	if s.calls != nil {
		errs = append(errs, s.calls.close())
	}
	return errors.Join(errs...)
}

// The limits of connections. A fault may delay an answer for longer.
const (
	headerTime  = 10 * time.Second
	requestTime = time.Minute
	idleTime    = 2 * time.Minute
	headerBytes = 64 << 10
	stopTime    = 5 * time.Second
)

// Serve answers on a listener until the context ends, and then waits a moment for calls that are
// being answered. It closes the listener, not the simulator.
func (s *Simulator) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, IdleTimeout: idleTime, MaxHeaderBytes: headerBytes,
	}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		err := server.Shutdown(last)
		if err != nil {
			err = server.Close()
		}
		stopped <- err
	})
	err := server.Serve(listener)
	if stop() {
		return err // it failed by itself
	}
	return <-stopped
}

// Calls are those that are remembered, the oldest first.
func (s *Simulator) Calls() []Call { return s.calls.list(0, 0) }

// ForgetCalls empties the log of calls.
func (s *Simulator) ForgetCalls() { s.calls.clear() }

// Resources are all that there are, sorted by id.
func (s *Simulator) Resources() ([]Resource, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.endOperations(); err != nil {
		return nil, err
	}
	all := make([]Resource, 0, len(s.state.resources))
	for _, res := range s.state.resources {
		all = append(all, *res)
	}
	slices.SortFunc(all, func(a, b Resource) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}

// Restore stores resources as Resources returns them, with their etags and times. No call makes
// them: they count as no PUT, and neither schemas nor parents are asked. A resource with the same
// id is replaced. None is stored if one has no id of a resource, or an operation that runs.
func (s *Simulator) Restore(all ...Resource) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &record{Created: map[string]int{}, Totals: s.state.totals}
	for _, res := range all {
		target, err := armid.Parse(escapePath(res.ID))
		switch {
		case err != nil:
			return fmt.Errorf("restore %s: %w", res.ID, err)
		case target.Kind != armid.Resource:
			return fmt.Errorf("restore %s: it is no identifier of a resource", res.ID)
		case res.Operation != "":
			return fmt.Errorf("restore %s: the operation %s runs on it", res.ID, res.Operation)
		}
		key := target.Key()
		r.Set = append(r.Set, &res)
		r.Created[key] = max(s.state.created[key], res.Creates)
	}
	return s.state.commit(r)
}

// Stats are counters. Those of Totals live as long as the state, the others as long as the
// simulator.
type Stats struct {
	Totals
	Resources int            `json:"resources"` // that there are
	Running   int            `json:"running"`   // operations
	Calls     int            `json:"calls"`
	Refused   int            `json:"refused"` // bodies, by schemas
	Statuses  map[string]int `json:"statuses"`
	Faults    map[string]int `json:"faults"` // that were shown, by mode
}

// Stats returns the counts since the state began.
func (s *Simulator) Stats() (Stats, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.endOperations(); err != nil {
		return Stats{}, err
	}
	calls, statuses := s.calls.counted()
	stats := Stats{
		Totals: s.state.totals, Resources: len(s.state.resources), Calls: calls, Refused: s.refused,
		Statuses: statuses, Faults: s.faults.effect(),
	}
	for _, op := range s.state.operations {
		if op.Status == running {
			stats.Running++
		}
	}
	return stats, nil
}

// SetOperations replaces the rules for long-running operations.
func (s *Simulator) SetOperations(rules []OperationRule) error {
	if err := checkOperations(rules); err != nil {
		return err
	}
	s.ruling.Lock()
	defer s.ruling.Unlock()
	s.rules = slices.Clone(rules)
	return nil
}

// SetFaults replaces the rules for faults, and starts their budgets again.
func (s *Simulator) SetFaults(f Faults) error { return s.faults.set(f) }

func countsOf(m map[string]int) map[string]int {
	if m == nil {
		return map[string]int{}
	}
	return maps.Clone(m)
}
