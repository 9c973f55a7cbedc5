package reconciler

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stratakube/strata/operator/resource"
)

// Counts counts the findings of reconcilers. A nil Counts counts nothing.
type Counts struct{ drifts *prometheus.CounterVec }

// NewCounts returns Counts and registers its metrics. If they are registered already, it uses the
// existing ones.
func NewCounts(with prometheus.Registerer) (*Counts, error) {
	drifts := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "strata_operator_drift_total", Help: "Looks that found a resource other than its object says.",
	}, []string{"group", "kind"})
	err := with.Register(drifts)
	var is prometheus.AlreadyRegisteredError
	if errors.As(err, &is) {
		if same, ok := is.ExistingCollector.(*prometheus.CounterVec); ok {
			return &Counts{same}, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	return &Counts{drifts}, nil
}

func (c *Counts) drifted(k *resource.Kind) {
	if c != nil {
		c.drifts.WithLabelValues(k.Hub.Group, k.Hub.Kind).Inc()
	}
}
