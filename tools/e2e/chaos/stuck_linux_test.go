package chaos_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/tools/e2e/fixtures"
)

// longestOutput is how much is shown of the end of an operator's log, in bytes.
const longestOutput = 20_000

// stuck reports what a failed storm leaves: how many objects of each round wait and one of these,
// the queues of the operators, and the ends of their logs.
func (s *storm) stuck() string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.Context()), time.Minute)
	defer cancel()
	var text strings.Builder
	for _, c := range s.crowds {
		ready, waits, err := c.Ready(ctx)
		if err == nil && ready == len(c.Members) {
			continue
		}
		fmt.Fprintf(&text, "%d of %d are ready (%v): %s\n", ready, len(c.Members), err, waits)
		text.WriteString(s.describe(ctx, waits))
	}
	for _, o := range s.operators {
		metrics, err := o.Metrics()
		fmt.Fprintf(&text, "operator %d (%v):\n", o.Process.PID, err)
		for _, name := range slices.Sorted(maps.Keys(metrics)) {
			if isOfQueue(name) {
				fmt.Fprintf(&text, "  %s %s\n", name, metrics[name])
			}
		}
		printed := o.Output()
		text.WriteString(printed[max(0, len(printed)-longestOutput):])
	}
	return text.String()
}

// isOfQueue reports whether a metric shows if a queue is served, or who leads.
func isOfQueue(name string) bool {
	return slices.ContainsFunc([]string{"workqueue_depth", "workqueue_unfinished_work_seconds", "workqueue_longest_running_processor_seconds", "workqueue_queue_duration_seconds_sum", "workqueue_queue_duration_seconds_count", "controller_runtime_active_workers", "controller_runtime_reconcile_panics_total", "leader_election_master_status"},
		func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// describe returns the metadata and the status of the object that a line of Ready names.
func (s *storm) describe(ctx context.Context, waits string) string {
	named, _, _ := strings.Cut(waits, ":")
	kind, name, _ := strings.Cut(named, " ")
	for _, k := range fixtures.Kinds {
		if k.Name != kind {
			continue
		}
		object, err := s.crowds[0].Client.Resource(k.Resource(k.Hub)).Namespace(fixtures.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err.Error() + "\n"
		}
		object.SetManagedFields(nil)
		data, err := json.MarshalIndent(map[string]any{"metadata": object.Object["metadata"], "status": object.Object["status"]}, "", "  ")
		return fmt.Sprintf("%s %v\n", data, err)
	}
	return ""
}
