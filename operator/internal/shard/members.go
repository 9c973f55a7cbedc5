package shard

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
)

// membersOf is the label of the Leases of replicas. Its value is the name of the operator.
const membersOf = "strata.dev/replicas-of"

// members announces a replica, and observes the others.
type members struct {
	leases coordination.LeaseInterface
	of     string // the name of the operator
	own    string // the name of the own Lease
	holder string // the name of the process, for people
	lease  time.Duration
	log    *slog.Logger
	now    func() time.Time

	seen map[string]sighting
}

// sighting is what this replica knows of the Lease of another one. The clocks of two machines
// differ, so only the time at which a change was seen counts.
type sighting struct {
	renewed time.Time // by the clock of the other one
	at      time.Time // by the clock of this one
}

// look renews the own Lease, and returns the names of all living replicas, sorted. The own one is
// always among them.
func (m *members) look(ctx context.Context) ([]string, error) {
	if err := m.announce(ctx); err != nil {
		return nil, fmt.Errorf("announce the replica: %w", err)
	}
	list, err := m.leases.List(ctx, metav1.ListOptions{LabelSelector: membersOf + "=" + m.of})
	if err != nil {
		return nil, fmt.Errorf("look for replicas: %w", err)
	}
	now, known := m.now(), map[string]sighting{}
	living := []string{m.own}
	for _, one := range list.Items {
		if one.Name == m.own {
			continue
		}
		s, is := m.seen[one.Name]
		if renewed := one.Spec.RenewTime; !is || renewed != nil && !renewed.Time.Equal(s.renewed) {
			s.at = now
			if renewed != nil {
				s.renewed = renewed.Time
			}
		}
		known[one.Name] = s
		switch age := now.Sub(s.at); {
		case age < m.lease:
			living = append(living, one.Name)
		case age > staleAfter*m.lease:
			m.remove(ctx, one)
		}
	}
	m.seen = known
	slices.Sort(living)
	return living, nil
}

// staleAfter is after how many times its duration the Lease of a replica that has gone is deleted.
const staleAfter = 4

// remove deletes the Lease of a replica that did not do so itself.
func (m *members) remove(ctx context.Context, lease coordinationv1.Lease) {
	err := m.leases.Delete(ctx, lease.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &lease.UID, ResourceVersion: &lease.ResourceVersion},
	})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		m.log.Warn("the lease of a replica that has gone cannot be deleted", "lease", lease.Name, "error", err.Error())
	}
}

// announce writes the own Lease.
func (m *members) announce(ctx context.Context) error {
	seconds, now := int32(m.lease.Round(time.Second)/time.Second), metav1.NewMicroTime(m.now())
	spec := coordinationv1.LeaseSpec{HolderIdentity: &m.holder, LeaseDurationSeconds: &seconds, RenewTime: &now}
	lease, err := m.leases.Get(ctx, m.own, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = m.leases.Create(ctx, &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: m.own, Labels: map[string]string{membersOf: m.of}}, Spec: spec,
		}, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	lease.Spec = spec
	_, err = m.leases.Update(ctx, lease, metav1.UpdateOptions{})
	return err
}

// leave deletes the own Lease, so that the others need not wait until it is old.
func (m *members) leave(ctx context.Context) error {
	err := m.leases.Delete(ctx, m.own, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
