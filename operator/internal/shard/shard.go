package shard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/validation"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Options configure the share of a replica. Registry may be nil.
type Options struct {
	Leases    coordination.LeasesGetter
	Namespace string // of the Leases
	// Name is the name of the operator, with which the names of its Leases begin. It is the same
	// for all replicas, and a valid value of a label.
	Name string
	// Lease, Renew and Retry are those of a leader election.
	Lease, Renew, Retry time.Duration
	// Pause is how long no replica reconciles a namespace after its label has changed. It is longer
	// than a call of the external API: the replica that had the namespace may just make one.
	Pause    time.Duration
	Log      *slog.Logger
	Registry prometheus.Registerer
}

// ErrLost is the error of a replica that could not renew the Lease of a slot in time, or finds that
// another replica has had it. That one may have the slot, so the process must end at once.
var ErrLost = errors.New("the lease of a shard is lost")

// Shards is the share of this replica. It is safe for concurrent use.
type Shards struct {
	Options
	members    *members
	gate       gate
	namespaces namespaces

	mu      sync.Mutex
	desired []string      // the member of each slot; nil before the first look
	changes chan struct{} // closed when desired has changed
	gained  []func(is func(namespace string) bool)
	lost    []func(is func(namespace string) bool)
}

// New returns a share without slots. It gets some after Start.
func New(o Options) (*Shards, error) {
	if errs := validation.IsValidLabelValue(o.Name); len(errs) > 0 || o.Name == "" {
		return nil, fmt.Errorf("the name %q of the leases is no value of a label: %v", o.Name, errs)
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	id := string(uuid.NewUUID())
	s := &Shards{
		Options: o, changes: make(chan struct{}),
		members: &members{
			leases: o.Leases.Leases(o.Namespace), of: o.Name, own: o.Name + "-replica-" + id, holder: host + "_" + id,
			lease: o.Lease, log: o.Log, now: time.Now,
		},
	}
	s.namespaces = namespaces{pause: o.Pause, moved: s.moved, now: time.Now}
	if o.Registry == nil {
		return s, nil
	}
	err = o.Registry.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "strata_operator_shards", Help: "Shards of the namespaces that this replica reconciles.",
	}, func() float64 { return float64(s.gate.opened()) }))
	if is := (prometheus.AlreadyRegisteredError{}); errors.As(err, &is) { // by another operator of this process
		err = nil
	}
	return s, err
}

// OnChange adds two functions. The first is called with the namespaces that this replica
// reconciles from now on. The second is called with those that it no longer reconciles, before
// another replica does. They must not block.
func (s *Shards) OnChange(gained, lost func(is func(namespace string) bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gained, s.lost = append(s.gained, gained), append(s.lost, lost)
}

// Begin begins a pass over an object in a namespace; empty for a cluster-scoped object. The caller
// calls end after the pass. If end is nil, this replica must not reconcile the object. It tries
// again after retry, unless that is zero: then it is called again if it gets the namespace.
func (s *Shards) Begin(namespace string) (end func(), retry time.Duration) {
	slot, wait := s.namespaces.slot(namespace)
	if wait > 0 {
		return nil, wait
	}
	return s.gate.enter(slot), 0
}

// NeedLeaderElection reports that each replica starts it.
func (s *Shards) NeedLeaderElection() bool { return false }

// Start takes the slots of this replica, and gives them up, until ctx is done. Then it waits for
// running passes, and releases its Leases. It returns [ErrLost] at once if it loses a Lease.
func (s *Shards) Start(ctx context.Context) error {
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ended := make(chan struct{})
	var slots sync.WaitGroup
	for slot := range Slots {
		slots.Go(func() {
			if err := s.serve(working, slot); err != nil {
				stop(fmt.Errorf("shard %d: %w", slot, err))
			}
		})
	}
	go func() {
		defer close(ended)
		slots.Wait()
	}()
	if err := s.observe(working); err != nil {
		stop(err)
	}
	if err := context.Cause(working); ctx.Err() == nil && errors.Is(err, ErrLost) {
		return err
	}
	<-ended
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Renew)
	defer cancel()
	if err := s.members.leave(leaving); err != nil {
		s.Log.Warn("the lease of this replica cannot be deleted", "error", err.Error())
	}
	if ctx.Err() != nil {
		return nil
	}
	return context.Cause(working)
}

// observe calculates who has which slot, again and again until ctx is done. An API server that
// does not answer changes nothing. A missing permission is an error.
func (s *Shards) observe(ctx context.Context) error {
	ticks := time.NewTicker(s.Retry)
	defer ticks.Stop()
	for {
		looking, cancel := context.WithTimeout(ctx, s.Renew)
		living, err := s.members.look(looking)
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil
		case apierrors.IsForbidden(err):
			return fmt.Errorf("%w; hint: allow the operator to get, list, create, update and delete leases in namespace %s", err, s.Namespace)
		case err != nil:
			s.Log.Warn("the replicas cannot be read", "error", err.Error())
		default:
			s.want(assign(living), len(living))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
	}
}

// want stores an assignment.
func (s *Shards) want(assigned []string, replicas int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Equal(assigned, s.desired) {
		return
	}
	s.desired = assigned
	close(s.changes)
	s.changes = make(chan struct{})
	own := 0
	for _, m := range assigned {
		if m == s.members.own {
			own++
		}
	}
	s.Log.Info("the shards of this replica have changed", "shards", own, "of", Slots, "replicas", replicas)
}

// desires reports whether this replica is to have a slot. The channel is closed when that may
// change.
func (s *Shards) desires(slot int) (own bool, changes <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.desired != nil && s.desired[slot] == s.members.own, s.changes
}

// awaitGain waits until this replica is to have a slot. It reports whether that is so before ctx is
// done.
func (s *Shards) awaitGain(ctx context.Context, slot int) bool {
	for {
		own, changes := s.desires(slot)
		if own {
			return true
		}
		select {
		case <-changes:
		case <-ctx.Done():
			return false
		}
	}
}

// awaitLoss waits until another replica is to have a slot, ctx is done, or the Lease is lost.
func (s *Shards) awaitLoss(ctx context.Context, slot int, lost <-chan struct{}) {
	for {
		own, changes := s.desires(slot)
		if !own {
			return
		}
		select {
		case <-changes:
		case <-ctx.Done():
			return
		case <-lost:
			return
		}
	}
}

// serve has a slot whenever this replica is to have it, until ctx is done.
func (s *Shards) serve(ctx context.Context, slot int) error {
	for ctx.Err() == nil && s.awaitGain(ctx, slot) {
		if err := s.hold(ctx, slot); err != nil {
			return err
		}
	}
	return nil
}

// hold acquires the Lease of a slot, and releases it when another replica is to have it, or ctx is
// done.
func (s *Shards) hold(ctx context.Context, slot int) error {
	// The Lease is renewed until the last pass has ended.
	term, release := context.WithCancel(logr.NewContext(context.WithoutCancel(ctx), logr.Discard()))
	defer release()
	began, ended := make(chan struct{}), make(chan struct{})
	lock := &guardedLock{began: began, lost: make(chan struct{}), Interface: &resourcelock.LeaseLock{
		LeaseMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: fmt.Sprintf("%s-shard-%d", s.Name, slot)},
		Client:    s.Leases, LockConfig: resourcelock.ResourceLockConfig{Identity: s.members.own},
	}}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:          lock,
		LeaseDuration: s.Lease, RenewDeadline: s.Renew, RetryPeriod: s.Retry, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(began) }, OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return err
	}
	go func() {
		defer close(ended)
		defer lock.lose()
		elector.Run(term)
	}()
	gaveUp := make(chan struct{})
	go func() {
		defer close(gaveUp)
		s.awaitLoss(ctx, slot, lock.lost)
	}()
	select {
	case <-began:
	case <-gaveUp:
		release()
		<-ended
		return nil
	}
	s.gate.open(slot)
	s.tell(true, func(namespace string) bool { return s.isIn(namespace, slot) })
	<-gaveUp
	select {
	case <-s.gate.close(slot):
	case <-lock.lost:
	}
	select {
	case <-lock.lost:
		return ErrLost
	default:
	}
	s.tell(false, func(namespace string) bool { return s.isIn(namespace, slot) })
	release()
	<-ended
	return nil
}

// isIn reports whether a namespace belongs to a slot.
func (s *Shards) isIn(namespace string, slot int) bool {
	is, _ := s.namespaces.slot(namespace)
	return is == slot
}

// moved passes on that a namespace has another slot, after its pause. The namespace may have been
// deleted meanwhile.
func (s *Shards) moved(namespace string) {
	slot, _ := s.namespaces.slot(namespace)
	s.tell(slot >= 0 && s.gate.isOpen(slot), func(other string) bool { return other == namespace })
}

// tell calls the functions of those who follow the namespaces of this replica.
func (s *Shards) tell(isGain bool, is func(namespace string) bool) {
	s.mu.Lock()
	all := s.lost
	if isGain {
		all = s.gained
	}
	s.mu.Unlock()
	for _, do := range all {
		do(is)
	}
}
