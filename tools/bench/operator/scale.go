package operator

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/stratakube/strata/tools/e2e/env"
)

// Scale has the figures of operators that start where all resources are ready, the least number of
// resources first.
type Scale struct {
	Namespaces int
	Bytes      int // of an object in etcd
	Points     []Point
}

// Point has the figures of one operator.
type Point struct {
	Resources int
	Pass
	Looked time.Duration // from its start until it had seen all resources
	// Most is the most memory of the process while it looked, in bytes.
	Most int64
	// Heap and Resident are the heap and the memory of the process at rest, after a collection of
	// garbage, in bytes. Live is what objects take of the heap. They are zero if nobody has waited
	// for that.
	Heap, Live, Resident int64
	// Unread is how many resources the operator has not read in the external API, and Reads how
	// often it has read one of them at most.
	Unread, Reads int
}

// ScaleOptions say what is measured.
type ScaleOptions struct {
	Sizes      []int // numbers of resources, the least first
	Namespaces int   // in which the resources are
	// Rest is how long to wait for an operator at rest to collect garbage; zero for not at all. Go
	// does so after two minutes.
	Rest time.Duration
}

// RunScale starts an operator for each number of resources. One operator makes a few resources
// ready. All others are copies of these: the API server creates some hundred resources a second at
// most. The API of the environment is the worked example, and has no resources yet. Its CRDs serve
// the storage version alone afterwards.
func RunScale(ctx context.Context, r *env.Env, o ScaleOptions, report func(string)) (Scale, error) {
	s := Scale{Namespaces: o.Namespaces}
	m := meter{Env: r}
	var err error
	if m.clients, err = kubernetes.NewForConfig(r.Config); err != nil {
		return s, err
	}
	c, err := newCopies(ctx, r, o.Namespaces, report)
	if err != nil {
		return s, fmt.Errorf("make the originals ready: %w", err)
	}
	for _, resources := range o.Sizes {
		if resources <= originals+c.count {
			return s, fmt.Errorf("%d resources: there are %d already", resources, originals+c.count)
		}
		if err := c.grow(ctx, resources, report); err != nil {
			return s, fmt.Errorf("%d resources: %w", resources, err)
		}
		p := Point{Resources: resources}
		if err := p.measure(ctx, m, o.Rest, report); err != nil {
			return s, fmt.Errorf("%d resources: %w", resources, err)
		}
		report(fmt.Sprintf("%+v", p))
		s.Points = append(s.Points, p)
	}
	s.Bytes = c.bytes / c.count
	return s, nil
}

// measure starts an operator, and waits until it has seen all resources.
func (p *Point) measure(ctx context.Context, m meter, rest time.Duration, report func(string)) error {
	err := m.pass(ctx, &p.Pass, func(o *env.Operator) error {
		began := time.Now()
		err := awaitSeen(ctx, o, p.Resources, func(_ int, metrics map[string]string) {
			p.Most = max(p.Most, memoryOf(metrics))
		})
		if err != nil {
			return err
		}
		p.Looked = p.Started + time.Since(began)
		report(fmt.Sprintf("%d resources were seen after %s", p.Resources, seconds(p.Looked)))
		if rest == 0 {
			return nil
		}
		return p.rest(ctx, o, rest)
	})
	if err != nil {
		return err
	}
	reads := map[string]int{}
	for _, call := range m.Simulator.Calls() {
		if call.Method == http.MethodGet {
			reads[call.Path]++
			p.Reads = max(p.Reads, reads[call.Path])
		}
	}
	resources, err := m.Simulator.Resources()
	if err != nil {
		return err
	}
	for _, resource := range resources {
		if reads[resource.ID] == 0 {
			p.Unread++
		}
	}
	return nil
}

// rest waits until the process has collected garbage since it has nothing to do, and reads its
// memory.
func (p *Point) rest(ctx context.Context, o *env.Operator, patience time.Duration) error {
	const collections = "go_gc_duration_seconds_count"
	metrics, err := o.Metrics()
	if err != nil {
		return err
	}
	before, deadline := sumOf(metrics, collections), time.Now().Add(patience)
	for sumOf(metrics, collections) == before {
		if err := pause(ctx, 2*time.Second); err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return errors.New("the operator does not collect garbage")
		}
		if metrics, err = o.Metrics(); err != nil {
			return err
		}
	}
	if err := pause(ctx, 2*time.Second); err != nil { // what was found to be garbage is given back later
		return err
	}
	if metrics, err = o.Metrics(); err != nil {
		return err
	}
	p.Heap, p.Live = int64(sumOf(metrics, "go_memstats_heap_inuse_bytes")), int64(sumOf(metrics, "go_memstats_heap_alloc_bytes"))
	p.Resident = memoryOf(metrics)
	return nil
}

func memoryOf(metrics map[string]string) int64 {
	return int64(sumOf(metrics, "process_resident_memory_bytes"))
}

// pause waits, unless the context ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// slope returns the line with the least squared errors through values of points: what each resource
// adds, and what there is without resources.
func (s Scale) slope(of func(Point) int64) (each, base float64) {
	var n, x, y, xx, xy float64
	for _, p := range s.Points {
		r, v := float64(p.Resources), float64(of(p))
		n, x, y, xx, xy = n+1, x+r, y+v, xx+r*r, xy+r*v
	}
	each = (n*xy - x*y) / (n*xx - x*x)
	return each, (y - each*x) / n
}
