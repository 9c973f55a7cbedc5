// Package stages upgrades what a cluster stores, stage by stage. Each stage is a value with four
// functions in a file of its own, and the tables below list them in order. The state is in the
// resource StorageUpgrade, so that any process continues where another one was killed. Package cli
// calls it.
package stages

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/dependents"
	"github.com/stratakube/strata/operator/cluster/internal/pack"
	"github.com/stratakube/strata/operator/cluster/internal/record"
	"github.com/stratakube/strata/operator/cluster/internal/rewrite"
	"github.com/stratakube/strata/operator/cluster/internal/upgrade"
)

// Stage is one step of an upgrade. Each function can be called again after a process was killed
// within it.
type Stage struct {
	Name string
	// Start returns an error unless the stage may begin. It changes nothing.
	Start func(context.Context, *Run) error
	// Complete does the work.
	Complete func(context.Context, *Run) error
	// Verify returns an error unless the work is done, and still stands.
	Verify func(context.Context, *Run) error
	// Undo does the work of a rollback: towards the storage versions before.
	Undo func(context.Context, *Run) error
}

// tables are the stages that lead to a goal. A rollback has the stages of an upgrade, because the
// cluster needs the same evidence on the way back.
var tables = map[record.Goal][]Stage{
	record.Upgraded:   {webhook, crds, awaited, rewritten, owners, proved},
	record.RolledBack: {webhook, crds, awaited, rewritten, owners, proved},
	record.Pruned:     {unserve, awaited, rewritten, owners, proved, prune},
}

// Tools are what stages work with.
type Tools struct {
	CRDs  dynamic.Interface
	Store record.Store
	// Plan is the plan of an upgrade, and nil otherwise. Package is the package to which a cluster
	// is upgraded or pruned.
	Plan    *upgrade.Plan
	Package *pack.Package
	// Again makes the evidence anew, also if it was made before.
	Again bool
	// All makes evidence of all kinds of the upgrade, also of those that it does not change.
	All bool
	// Replicas returns the number of replicas of a webhook, if all of them convert all versions.
	Replicas func(ctx context.Context, d *crd.CRD, versions []string) (int, error)
	// Await waits until each API server stores objects as the CRD states, and serves none of the
	// unserved versions.
	Await func(ctx context.Context, d *crd.CRD, unserved []string) error
	// Grace is how long a request can take that an API server began before it read a CRD.
	Grace time.Duration
	// Rewriting returns how the objects of a kind are written.
	Rewriting func(d *crd.CRD, going []string) (rewrite.Options, error)
	// Elsewhere lets another program write the objects of a kind; nil if Rewrite writes them. It gets
	// a name that no other migration has, and the versions that may still be stored afterwards.
	Elsewhere func(ctx context.Context, d *crd.CRD, name string, stored []string) error
	// Heal gives owner references other versions.
	Heal func(context.Context, []dependents.Owner) (dependents.Healed, error)
	Pace *rewrite.Pace
	// Log gets a line about what goes on, also while Progress gets the counts of a kind.
	Log      func(line string)
	Progress func(crd string, r rewrite.Report, left int64)
}

// Run is one process that works on an upgrade.
type Run struct {
	Tools
	lock    sync.Mutex
	upgrade *record.Upgrade
	saved   time.Time
	paused  bool
}

const (
	poll  = time.Second     // between two looks at the spec
	often = 2 * time.Second // between two reports of counts
)

// errStopped ends a process whose goal is not the one of the upgrade any more.
var errStopped = errors.New("the upgrade has another goal now")

// Work does the rest to reach the goal of an upgrade, and returns the upgrade. The caller holds
// the lease.
func Work(ctx context.Context, name string, tools Tools) (*record.Upgrade, error) {
	u, err := tools.Store.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	r := &Run{Tools: tools, upgrade: u}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := r.begin(ctx); err != nil {
		return u, err
	}
	r.follow(ctx, u)
	go r.watch(ctx, cancel)
	all, renewed := tables[u.Spec.Goal], 0
	for i := 0; i < len(all); i++ {
		err := r.stage(ctx, &all[i])
		switch cause := context.Cause(ctx); {
		case cause != nil:
			return r.upgrade, r.blocked(ctx, &all[i], cause)
		case errors.Is(err, errChanged) && renewed < renewals:
			renewed++
			r.Log(fmt.Sprintf("%s: %s", all[i].Name, changed))
			i = slices.IndexFunc(all, func(s Stage) bool { return s.Name == awaited.Name }) - 1
		case err != nil:
			return r.upgrade, r.blocked(ctx, &all[i], err)
		}
	}
	return r.upgrade, r.reached(ctx)
}

// renewals is how often a process takes a new marker after a CRD has changed. A rotated CA bundle
// changes a CRD once or twice. After more changes the process stops with an error.
const renewals = 3

// begin starts the status anew if the goal is another one than before.
func (r *Run) begin(ctx context.Context) error {
	spec, status := &r.upgrade.Spec, &r.upgrade.Status
	if status.Goal != spec.Goal {
		status.Goal, status.Stages, status.Kinds = spec.Goal, nil, nil
		r.Store.Event(ctx, r.upgrade, "Normal", "Started", "the goal is "+string(spec.Goal))
	}
	for _, s := range tables[spec.Goal] {
		status.In(s.Name)
	}
	status.Holder = rand.Text()
	if r.Again || !meta.IsStatusConditionTrue(status.Conditions, record.Done) || !meta.IsStatusConditionTrue(status.Conditions, string(spec.Goal)) {
		for _, goal := range []record.Goal{record.Upgraded, record.RolledBack} {
			if spec.Goal != record.Pruned {
				r.condition(string(goal), false, "Working", "the goal is "+string(spec.Goal))
			}
		}
		r.condition(string(spec.Goal), false, "Working", "stages are left")
		r.condition(record.Done, false, "Working", "the goal is "+string(spec.Goal))
	}
	r.condition(record.Blocked, false, "Working", "")
	if !spec.Paused { // the process that was paused may have been killed
		r.condition(record.Paused, false, "Working", "")
	}
	return r.Store.Take(ctx, r.upgrade.Name, status)
}

// stage does one stage, unless it is done and still stands.
func (r *Run) stage(ctx context.Context, s *Stage) error {
	if err := r.unpaused(ctx); err != nil {
		return err
	}
	done := r.is(func(u *record.Upgrade) bool { return u.Status.In(s.Name).Done })
	if again := r.Again && s.Name == proved.Name; done && !again && s.Verify(ctx, r) == nil {
		return nil
	}
	if err := s.Start(ctx, r); err != nil {
		return err
	}
	r.Log(s.Name + ": begins")
	now := metav1.Now()
	if err := r.change(ctx, func(status *record.Status) {
		status.Stage = s.Name
		of := status.In(s.Name)
		of.Started, of.Finished, of.Done, of.Message = &now, nil, false, ""
	}); err != nil {
		return err
	}
	do := s.Complete
	if r.upgrade.Spec.Goal == record.RolledBack {
		do = s.Undo
	}
	if err := do(ctx, r); err != nil {
		return err
	}
	if err := s.Verify(ctx, r); err != nil {
		return err
	}
	end := metav1.Now()
	r.Store.Event(ctx, r.upgrade, "Normal", s.Name, "the stage is done")
	r.Log(s.Name + ": done")
	return r.change(ctx, func(status *record.Status) {
		of := status.In(s.Name)
		of.Finished, of.Done = &end, true
	})
}

// watch follows the spec of the upgrade: its rate, its pause and its goal.
func (r *Run) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	goal, back := r.upgrade.Spec.Goal, r.upgrade.Spec.Back
	for {
		if u, err := r.Store.Get(ctx, r.upgrade.Name); err == nil {
			if u.Spec.Goal != goal || u.Spec.Back != back {
				cancel(errStopped)
				return
			}
			r.follow(ctx, u)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(poll):
		}
	}
}

func (r *Run) follow(ctx context.Context, u *record.Upgrade) {
	if u.Spec.Rate > 0 {
		r.Pace.Limit(u.Spec.Rate)
	}
	r.Pace.Hold(u.Spec.Paused)
	r.lock.Lock()
	same := r.paused == u.Spec.Paused
	r.paused = u.Spec.Paused
	r.lock.Unlock()
	if same {
		return
	}
	what := map[bool]string{true: "Paused", false: "Resumed"}[u.Spec.Paused]
	r.Log(map[bool]string{true: "paused: strata cluster upgrade resume lets it go on", false: "resumed"}[u.Spec.Paused])
	r.Store.Event(ctx, r.upgrade, "Normal", what, "spec.paused has changed")
	_ = r.change(ctx, func(*record.Status) { r.condition(record.Paused, u.Spec.Paused, what, "spec.paused") }) // the next change saves it
}

// unpaused waits until the upgrade is not paused.
func (r *Run) unpaused(ctx context.Context) error {
	for r.is(func(*record.Upgrade) bool { return r.paused }) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(poll):
		}
	}
	return ctx.Err()
}

func (r *Run) is(of func(*record.Upgrade) bool) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	return of(r.upgrade)
}

// change changes the status, and saves it.
func (r *Run) change(ctx context.Context, by func(*record.Status)) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	by(&r.upgrade.Status)
	return r.save(ctx, true)
}

// count changes the counts of a kind. It saves them from time to time.
func (r *Run) count(ctx context.Context, crd string, by func(*record.KindStatus)) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	by(r.upgrade.Status.Of(crd))
	return r.save(ctx, false)
}

// save writes the status; if it is not urgent, only from time to time. The caller has the lock.
func (r *Run) save(ctx context.Context, urgent bool) error {
	if !urgent && time.Since(r.saved) < often {
		return nil
	}
	r.saved = time.Now()
	return r.Store.Save(ctx, r.upgrade.Name, &r.upgrade.Status)
}

// holds returns an error unless this process still works on the upgrade, towards the same goal. A
// process that stood still may have lost the lease. Its write of a CRD is under a resource version
// that was read before the call, so that no other process has changed the CRD since.
func (r *Run) holds(ctx context.Context) error {
	u, err := r.Store.Get(ctx, r.upgrade.Name)
	switch {
	case err != nil:
		return err
	case u.Status.Holder != r.upgrade.Status.Holder:
		return record.ErrTaken
	case u.Spec.Goal != r.upgrade.Spec.Goal, u.Spec.Back != r.upgrade.Spec.Back:
		return errStopped
	}
	return nil
}

func (r *Run) condition(of string, is bool, reason, message string) {
	status := metav1.ConditionFalse
	if is {
		status = metav1.ConditionTrue
	}
	meta.SetStatusCondition(&r.upgrade.Status.Conditions, metav1.Condition{
		Type: of, Status: status, Reason: reason, Message: bounded(message), ObservedGeneration: r.upgrade.Generation,
	})
}

func bounded(message string) string {
	const limit = 2000
	return strings.ToValidUTF8(message[:min(len(message), limit)], "")
}

// blocked records why a stage has ended.
func (r *Run) blocked(ctx context.Context, s *Stage, err error) error {
	last, done := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer done()
	err = fmt.Errorf("%s: %w", s.Name, err)
	saveErr := r.change(last, func(status *record.Status) {
		status.In(s.Name).Message = bounded(err.Error())
		r.condition(record.Blocked, true, s.Name, err.Error())
		r.condition(record.Done, false, s.Name, "the stage has to be done again")
		r.condition(string(r.upgrade.Spec.Goal), false, s.Name, "the stage has to be done again")
	})
	r.Store.Event(last, r.upgrade, "Warning", "Blocked", bounded(err.Error()))
	if saveErr != nil && ctx.Err() == nil {
		return errors.Join(err, saveErr)
	}
	return err
}

// reached records that the goal is reached.
func (r *Run) reached(ctx context.Context) error {
	goal := r.upgrade.Spec.Goal
	r.Store.Event(ctx, r.upgrade, "Normal", string(goal), "all stages are done")
	return r.change(ctx, func(*record.Status) {
		r.condition(string(goal), true, "Proved", "all stages are done")
		r.condition(record.Done, true, "Proved", "the goal "+string(goal)+" is reached")
	})
}

// kinds calls a function for each kind whose objects have to be written, or whose versions go; with
// All for each kind that the cluster has.
func (r *Run) kinds(ctx context.Context, do func(context.Context, *record.Kind, *crd.CRD) error) error {
	spec := &r.upgrade.Spec
	for i := range spec.Kinds {
		k := &spec.Kinds[i]
		if !r.All && (k.From == "" || !k.Rewrite && len(spec.Going(k)) == 0) {
			continue
		}
		d, err := crd.Get(ctx, r.CRDs, k.CRD)
		if k.From == "" && apierrors.IsNotFound(err) {
			continue // a rollback came before the upgrade had created it
		}
		if err != nil {
			return err
		}
		if err := do(ctx, k, d); err != nil {
			return fmt.Errorf("%s: %w", k.CRD, err)
		}
	}
	return nil
}

// ready starts a stage that needs nothing but the stages before it.
func ready(context.Context, *Run) error { return nil }
