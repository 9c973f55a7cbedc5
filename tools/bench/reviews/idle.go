package reviews

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Idle is in place of the request in cases in which no client sends any.
const Idle = "none, every 5 to 7.5 minutes"

// idleCases are those in which no client sends a request.
func idleCases() (all []Case) {
	for _, served := range []int{2, usual, 2 * usual} {
		all = append(all, Case{Request: Idle, Served: served, Caches: true})
	}
	return all
}

// checked is when every API server has compared each of its caches with etcd once, and none of them
// twice. It does so 5 to 7.5 minutes after it has filled a cache, and then again and again.
const checked = 8 * time.Minute

// idle counts the reviews of objects to which no client sends a request.
type idle struct {
	hook   *webhook
	before []int
	after  chan []int
}

// watch creates an object of each kind, and counts its reviews from now until [checked]. The kinds
// must be new, so that their caches are.
func watch(ctx context.Context, kinds []*kind) (*idle, error) {
	i := &idle{hook: kinds[0].hook, after: make(chan []int, 1)}
	for n, k := range kinds {
		if _, err := k.of(storage).Create(ctx, k.object(storage, idleName(n)), metav1.CreateOptions{}); err != nil {
			return nil, fmt.Errorf("create %s: %w", idleName(n), err)
		}
	}
	for n := range kinds {
		calls, err := i.hook.over(ctx, idleName(n))
		if err != nil {
			return nil, err
		}
		i.before = append(i.before, calls)
	}
	time.AfterFunc(checked, func() {
		var calls []int
		for n := range kinds {
			calls = append(calls, i.hook.count(idleName(n)))
		}
		i.after <- calls
	})
	return i, nil
}

func idleName(n int) string { return fmt.Sprintf("idle-%d", n) }

// counts waits until the time is over, and returns the counts of [idleCases].
func (i *idle) counts(ctx context.Context) ([]Count, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case after := <-i.after:
		var all []Count
		for n, c := range idleCases() {
			all = append(all, Count{c, after[n] - i.before[n]})
		}
		return all, nil
	}
}
