package operator

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/e2e/fixtures"
)

// Figures are the measured values.
type Figures struct {
	Resources int
	Created   time.Duration // until the last was created
	Ready     time.Duration // until the last was ready, from the first creation on
	First     Pass
	Second    Pass          // a new operator that finds nothing to do
	Looked    time.Duration // until the second had seen all
}

// Pass has the figures of one operator process.
type Pass struct {
	Reconciles    int
	Writes        map[string]int // to the resources in the API server, by verb and subresource
	Events        int
	Reviews       int            // that the API server sent to the webhook, also for clients
	ExternalCalls map[string]int // by method
	CPU           time.Duration  // of the operator with its plugins
	Memory        int64          // of the operator itself at the end, in bytes
	Started       time.Duration  // until the operator was ready
}

// WritesInAll is the sum of all writes, but for events.
func (p Pass) WritesInAll() int {
	sum := 0
	for _, n := range p.Writes {
		sum += n
	}
	return sum
}

// Run has an operator look after a number of resources, and then another one, which finds nothing
// to do. The API of the environment is the worked example, and has no resources yet.
func Run(ctx context.Context, r *env.Env, resources int, report func(string)) (Figures, error) {
	f := Figures{Resources: resources}
	c, err := fixtures.New(r.Config, "one", resources)
	if err != nil {
		return f, err
	}
	m := meter{Env: r}
	if m.clients, err = kubernetes.NewForConfig(r.Config); err != nil {
		return f, err
	}
	if err := f.first(ctx, m, c, report); err != nil {
		return f, fmt.Errorf("first pass: %w", err)
	}
	if err := f.second(ctx, m, report); err != nil {
		return f, fmt.Errorf("second pass: %w", err)
	}
	return f, nil
}

func (f *Figures) first(ctx context.Context, m meter, c *fixtures.Set, report func(string)) error {
	return m.pass(ctx, &f.First, func(o *env.Operator) error {
		began := time.Now()
		if err := c.Create(ctx); err != nil {
			return err
		}
		f.Created = time.Since(began)
		err := c.AwaitReady(ctx, report)
		f.Ready = time.Since(began)
		return err
	})
}

func (f *Figures) second(ctx context.Context, m meter, report func(string)) error {
	return m.pass(ctx, &f.Second, func(o *env.Operator) error {
		began := time.Now()
		err := awaitSeen(ctx, o, f.Resources, func(seen int, _ map[string]string) {
			report(fmt.Sprintf("%d of %d were seen again", seen, f.Resources))
		})
		f.Looked = time.Since(began)
		return err
	})
}

// awaitSeen waits until an operator has reconciled as often as there are resources, and has nothing
// to do. It calls a function with each look: with the number of reconciles, and all metrics.
func awaitSeen(ctx context.Context, o *env.Operator, resources int, each func(seen int, metrics map[string]string)) error {
	for {
		metrics, err := o.Metrics()
		if err != nil {
			return err
		}
		seen := sumOf(metrics, "controller_runtime_reconcile_total")
		each(seen, metrics)
		if seen >= resources && sumOf(metrics, "workqueue_depth") == 0 && sumOf(metrics, "controller_runtime_active_workers") == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d were seen: %w", seen, resources, ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// meter reads what everybody counts.
type meter struct {
	*env.Env
	clients kubernetes.Interface
}

// pass runs an operator for as long as work takes, and counts.
func (m meter) pass(ctx context.Context, p *Pass, work func(*env.Operator) error) error {
	before, err := m.counts(ctx)
	if err != nil {
		return err
	}
	m.Simulator.ForgetCalls()
	began := time.Now()
	o, err := m.Operate(ctx)
	if err != nil {
		return err
	}
	p.Started = time.Since(began)
	if err := work(o); err != nil {
		return err
	}
	metrics, err := o.Metrics()
	if err != nil {
		return err
	}
	p.Reconciles = sumOf(metrics, "controller_runtime_reconcile_total")
	p.Memory = int64(sumOf(metrics, "process_resident_memory_bytes"))
	if err := o.Stop(); err != nil {
		return err
	}
	p.CPU = o.CPU()
	after, err := m.counts(ctx)
	if err != nil {
		return err
	}
	p.Writes, p.Events, p.Reviews = less(after.writes, before.writes), after.events-before.events, after.reviews-before.reviews
	p.ExternalCalls = map[string]int{}
	for _, call := range m.Simulator.Calls() {
		p.ExternalCalls[call.Method]++
	}
	return nil
}

// counts are what the API server has counted so far.
type counts struct {
	writes          map[string]int // to resources, by verb and subresource
	events, reviews int
}

// counts reads the metrics of the API server. Writes to resources are those in the storage version,
// which distinguishes operators from users.
func (m meter) counts(ctx context.Context) (c counts, err error) {
	text, err := m.clients.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return c, err
	}
	c.writes = map[string]int{}
	for line := range strings.Lines(string(text)) {
		name, labels, value := metric(line)
		if name == "apiserver_crd_conversion_webhook_duration_seconds_count" {
			c.reviews += value
		}
		if name != "apiserver_request_total" || !slices.Contains([]string{"POST", "PUT", "PATCH", "APPLY", "DELETE"}, labels["verb"]) {
			continue
		}
		switch {
		case labels["group"] == fixtures.Group && strings.HasSuffix(labels["version"], "storage"):
			c.writes[strings.TrimSuffix(labels["verb"]+" "+labels["subresource"], " ")] += value
		case labels["resource"] == "events":
			c.events += value
		}
	}
	return c, nil
}

// sumOf adds the values of a metric under all labels.
func sumOf(metrics map[string]string, name string) int {
	sum := 0.0
	for metric, value := range metrics {
		if of, _, _ := strings.Cut(metric, "{"); of == name {
			number, _ := strconv.ParseFloat(value, 64)
			sum += number
		}
	}
	return int(sum)
}

// metric takes a line apart.
func metric(line string) (name string, labels map[string]string, value int) {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), "{")
	inner, number, _ := strings.Cut(rest, "} ")
	labels = map[string]string{}
	for _, label := range strings.Split(inner, ",") {
		key, text, _ := strings.Cut(label, "=")
		labels[key] = strings.Trim(text, `"`)
	}
	count, _ := strconv.ParseFloat(number, 64)
	return name, labels, int(count)
}

func less(after, before map[string]int) map[string]int {
	out := maps.Clone(after)
	for name, n := range before {
		out[name] -= n
	}
	maps.DeleteFunc(out, func(_ string, n int) bool { return n == 0 })
	return out
}
