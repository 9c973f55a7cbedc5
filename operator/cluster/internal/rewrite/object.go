package rewrite

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"

	"github.com/stratakube/strata/operator/cluster/internal/fieldowner"
)

// Manager is the name of the field manager of writes. It owns no field afterwards.
const Manager = fieldowner.Migrator

const (
	conflicts = 100 // with other writers of one object, after which it is poison
	attempts  = 6   // of one request that the API server answers
	outage    = 60  // of one request that no API server answers, or fewer if they take longer than longest
	longest   = 5 * time.Second
)

// object rewrites one object. A conflict proves nothing about the version that was stored, so the
// object is read and written again.
func (r *run) object(ctx context.Context, m *metav1.PartialObjectMetadata) {
	name, client := fullName(m), r.of(m)
	for range conflicts {
		err := r.once(ctx, name, m)
		switch {
		case err == nil, ctx.Err() != nil:
			return
		case !apierrors.IsConflict(err) && !isGone(err):
			r.poison(name, err)
			return
		}
		fresh, err := r.read(ctx, client, m)
		switch {
		case ctx.Err() != nil:
			return
		case isGone(err):
			r.count(func(c *Report) { c.Gone++ })
			return
		case err != nil:
			r.poison(name, err)
			return
		}
		m = fresh
	}
	r.poison(name, fmt.Errorf("%d writes in a row met writes of others", conflicts))
}

// once writes an object as it was read, and records the write. An object with another manifest of
// kubectl gets a second write, and so does one between whose two writes a run was killed.
func (r *run) once(ctx context.Context, name string, m *metav1.PartialObjectMetadata) error {
	if err := r.keeps(ctx, m); err != nil {
		return err
	}
	restored, recorded, err := fieldowner.Restore(m)
	if err != nil {
		return err
	}
	before := m
	m = m.DeepCopy()
	m.ManagedFields = restored
	entries, change, err := r.Owners.translate(ctx, m)
	if err != nil {
		return err
	}
	applied, err := r.Owners.applied(ctx, m, &change)
	if err != nil {
		return err
	}
	if applied != "" {
		if m, err = r.swap(ctx, m, entries, applied); err != nil {
			return err
		}
		recorded = true
	}
	owners := map[string]any{}
	switch {
	case recorded:
		owners["annotations"] = map[string]any{fieldowner.Annotation: nil}
		fallthrough
	case change.entries > 0:
		owners["managedFields"] = entries
	}
	written, err := r.patch(ctx, m, owners)
	if err == nil {
		r.done(name, before, written, entries, change, len(owners) > 0)
	}
	return err
}

// patch writes an object.
func (r *run) patch(ctx context.Context, m *metav1.PartialObjectMetadata, change map[string]any) (written *metav1.PartialObjectMetadata, err error) {
	err = r.retry(ctx, func() (err error) {
		if err := r.Pace.Wait(ctx); err != nil {
			return err
		}
		written, err = r.of(m).Patch(ctx, m.Name, types.MergePatchType, fieldowner.Patch(m, change), metav1.PatchOptions{FieldManager: Manager, DryRun: r.dryRun})
		return err
	})
	return written, err
}

// keeps returns an error if a write would remove a value.
func (r *run) keeps(ctx context.Context, m *metav1.PartialObjectMetadata) error {
	if r.Removes == nil {
		return nil
	}
	var path string
	err := r.retry(ctx, func() (err error) {
		path, err = r.Removes(ctx, m)
		return err
	})
	if err == nil && path != "" {
		err = fmt.Errorf("the storage version lacks %s, so a write would remove its value: add it to the schema of that version, or use --drop-values", path)
	}
	return err
}

// isGone reports whether an object does not exist. An API server also answers 404, in another form,
// for a version that it does not serve: that says nothing about the object.
func isGone(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.IsUnexpectedServerError(err)
}

func (r *run) of(m *metav1.PartialObjectMetadata) metadata.ResourceInterface {
	if m.Namespace == "" {
		return r.Client.Resource(r.Resource)
	}
	return r.Client.Resource(r.Resource).Namespace(m.Namespace)
}

func (r *run) read(ctx context.Context, client metadata.ResourceInterface, m *metav1.PartialObjectMetadata) (fresh *metav1.PartialObjectMetadata, err error) {
	err = r.retry(ctx, func() (err error) {
		fresh, err = client.Get(ctx, m.Name, metav1.GetOptions{})
		return err
	})
	return fresh, err
}

// done records a write. The API server puts the entries of managedFields back, and reports no
// error, if it cannot convert one of them: so the entries of its answer are compared.
func (r *run) done(name string, before, after *metav1.PartialObjectMetadata, entries []metav1.ManagedFieldsEntry, change changes, owners bool) {
	if owners && !fieldowner.Same(entries, after.ManagedFields) {
		r.poison(name, errors.New("the API server has not stored the translated owners: an entry of metadata.managedFields has a version that it cannot convert"))
		return
	}
	isStale, err := r.isStale(before, after)
	if err != nil {
		r.poison(name, err)
		return
	}
	r.count(func(c *Report) {
		if after.ResourceVersion == before.ResourceVersion {
			c.Unchanged++
		} else {
			c.Written++
		}
		if isStale {
			r.stale++
		}
		c.Entries += change.entries
		if change.lost != "" {
			c.Lost.add(name, change.lost)
		}
		if change.inexact != "" {
			c.Inexact.add(name, change.inexact)
		}
	})
}

// isStale reports whether a write has stored an object anew that no client had written since the
// marker.
func (r *run) isStale(before, after *metav1.PartialObjectMetadata) (bool, error) {
	if r.isPast == nil || after.ResourceVersion == before.ResourceVersion {
		return false, nil
	}
	past, err := r.isPast(before)
	return !past, err
}

// retry repeats a call that fails for a reason which may pass: load, a lost connection or a webhook
// that does not answer.
func (r *run) retry(ctx context.Context, call func() error) error {
	pause, began := r.Pause, time.Now()
	for i := 1; ; i++ {
		err := call()
		if err == nil || !r.passes(err) || i >= outage || time.Since(began) > outage*longest || i >= attempts && isAnswer(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, longest)
	}
}

// isAnswer reports whether an error is an answer of the API server. Any other one says nothing
// about the object.
func isAnswer(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}

// passes reports whether an error may pass. Each answer of an API server but these is final. An API
// server that starts refuses requests until it has read the roles, also those of a user who has
// written objects before.
func (r *run) passes(err error) bool {
	switch {
	case !isAnswer(err):
		return !errors.Is(err, context.Canceled)
	case apierrors.IsForbidden(err):
		return r.hasWritten()
	}
	return apierrors.IsInternalError(err) || apierrors.IsTooManyRequests(err) || apierrors.IsServiceUnavailable(err) ||
		apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err)
}

func fullName(m *metav1.PartialObjectMetadata) string {
	if m.Namespace == "" {
		return m.Name
	}
	return m.Namespace + "/" + m.Name
}
