package operator

import (
	"context"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/stratakube/strata/operator/hubs"
	"github.com/stratakube/strata/operator/reconciler"
	"github.com/stratakube/strata/operator/resource"
)

// stored observes in which versions the cluster stores the kinds of an operator, and reports kinds
// that are not reconciled because of that.
type stored struct {
	options Options
	manager manager.Manager
	kinds   *resource.Set
	chosen  map[*resource.Kind]bool
	watch   *hubs.Watch
}

// looking is the pause between two looks at CRDs, and waitingAnew the pause between two looks for
// objects that have no condition yet.
const (
	looking     = 5 * time.Second
	waitingAnew = time.Minute
)

// newStored looks for the first time.
func newStored(ctx context.Context, o Options, m manager.Manager, kinds *resource.Set, chosen []*resource.Kind) (*stored, error) {
	s := &stored{options: o, manager: m, kinds: kinds, chosen: map[*resource.Kind]bool{}}
	for _, k := range chosen {
		s.chosen[k] = true
	}
	var watched []*resource.Kind
	cached := relatives(kinds, chosen)
	for _, k := range kinds.All() {
		if cached[k] {
			watched = append(watched, k)
		}
	}
	s.watch = hubs.New(hubs.Options{Reader: m.GetAPIReader(), Mapper: m.GetRESTMapper(), Scheme: o.Scheme, Kinds: watched, Log: o.Log})
	return s, s.watch.Look(ctx)
}

// begin calls control now, or as soon as the cluster stores the hubs of all kinds: an API server
// may not serve them before.
func (s *stored) begin(ctx context.Context, control func(context.Context) error) error {
	if err := s.manager.Add(everywhere(func(ctx context.Context) error {
		s.watch.Run(ctx, looking)
		return nil
	})); err != nil {
		return err
	}
	if err := s.manager.Add(manager.RunnableFunc(s.report)); err != nil {
		return err
	}
	if s.watch.Err() == nil {
		return control(ctx)
	}
	return s.manager.Add(everywhere(func(ctx context.Context) error {
		for s.watch.Err() != nil {
			if !pause(ctx, looking/5) {
				return nil
			}
		}
		return control(ctx)
	}))
}

// pause waits, and reports whether ctx goes on.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// check returns why a kind must not be reconciled: the finding of itself or of an owner, which its
// reconciler reads.
func (s *stored) check(k *resource.Kind) error {
	for ; k != nil; k = s.kinds.Of(k.Parent) {
		if err := s.watch.Check(k); err != nil {
			return err
		}
	}
	return nil
}

// confirm returns what check does in a cluster that is no older than the call, as its first result.
// It reads the CRD of the kind itself: only its values are in calls.
func (s *stored) confirm(ctx context.Context, k *resource.Kind) (stopped, err error) {
	if stopped, err = s.watch.Confirm(ctx, k); stopped == nil && err == nil {
		stopped = s.check(k)
	}
	return stopped, err
}

// addProbe makes the process unready while a kind is not reconciled. A process that also serves
// conversions stays ready: the upgrade needs them.
func (s *stored) addProbe() error {
	if s.options.Conversions != nil {
		return nil
	}
	return s.manager.AddReadyzCheck("hubs", func(*http.Request) error { return s.watch.Err() })
}

// report sends an event for each finding, and writes the conditions of objects that wait. Only the
// replica with the lease does so: another operator may still reconcile them.
func (s *stored) report(ctx context.Context) error {
	events := s.manager.GetEventRecorder(leaseName)
	sent := map[string]string{}
	var written time.Time
	for {
		now := map[string]string{}
		isNew := false
		for _, f := range s.watch.Findings() {
			now[f.CRD] = f.Stored
			if sent[f.CRD] == f.Stored {
				continue
			}
			isNew = true
			about := &corev1.ObjectReference{APIVersion: hubs.Definition.GroupVersion().String(), Kind: hubs.Definition.Kind, Name: f.CRD, UID: f.UID}
			events.Eventf(about, nil, corev1.EventTypeWarning, f.Reason, "Reconcile", "%s", f.Error())
		}
		sent = now
		if isNew || time.Since(written) > waitingAnew {
			s.writeConditions(ctx)
			written = time.Now()
		}
		if !pause(ctx, looking) {
			return nil
		}
	}
}

// writeConditions writes the conditions of objects whose kind waits for its upgrade. The operator
// writes nothing through versions that it does not know.
func (s *stored) writeConditions(ctx context.Context) {
	for _, f := range s.watch.Findings() {
		if f.Reason == hubs.HubUnknown || !s.chosen[f.Kind] {
			continue
		}
		w := reconciler.Wait{
			Stored: f.Kind.Hub.GroupKind().WithVersion(f.Stored), Reason: f.Reason, Message: f.Error(), Namespaces: s.options.Namespaces,
		}
		if _, err := w.Write(ctx, s.manager.GetAPIReader(), s.manager.GetClient()); err != nil && ctx.Err() == nil {
			s.options.Log.Warn("conditions cannot be written", "error", err.Error())
		}
	}
}
