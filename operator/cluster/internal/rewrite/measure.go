package rewrite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// conversions is how often an API server converts an object of a dry run through a version in which
// it is not stored: it reads the object, prints it as it would be stored, and reads that again. A
// write that stores an object in a new hub converts it once.
const conversions = 3

// Measure returns how many objects a second a run writes if nothing but the API server bounds it.
// It writes up to count objects as a run does, but as dry runs, which change nothing: through the
// version in which they are stored, and through another one, since the writes of an upgrade convert
// objects. Through is empty if there is no other version.
func Measure(ctx context.Context, o Options, through string, count int) (perSecond float64, err error) {
	cost, err := o.dry(ctx, o.Resource.Version, count)
	if err != nil {
		return 0, err
	}
	if through != "" {
		converted, err := o.dry(ctx, through, count)
		if err != nil {
			return 0, err
		}
		cost += max(0, converted-cost) / conversions
	}
	return float64(time.Second) / float64(cost), nil
}

// dry returns the time that a write of an object takes through a version, on average.
func (o Options) dry(ctx context.Context, version string, count int) (time.Duration, error) {
	o.Resource.Version = version
	r := &run{Options: o, dryRun: []string{metav1.DryRunAll}}
	list, err := r.page(ctx, metav1.ListOptions{Limit: int64(count)})
	if err != nil {
		return 0, err
	}
	if len(list.Items) == 0 {
		return 0, errors.New("there are no objects")
	}
	// A kind of few objects writes them several times, so that all workers have one.
	items := list.Items
	for len(items) < count {
		items = append(items, items[:min(len(items), count-len(items))]...)
	}
	began := time.Now()
	err = r.objects(ctx, slices.Clip(items))
	took := time.Since(began)
	switch {
	case err != nil:
		return 0, err
	case r.report.Poison.Objects > 0:
		return 0, fmt.Errorf("a dry run in %s is refused: %s: %s", version, r.report.Poison.Examples[0].Object, r.report.Poison.Examples[0].Reason)
	}
	return took / time.Duration(len(items)), nil
}
