package webhook

import "fmt"

// goal is what should come out, beside what did.
type goal struct {
	what, want, got string
	reached         bool
}

// goals returns the goals of the webhook, each with its worst measured case. It omits goals
// without a measurement.
func (r Results) goals() []goal {
	var goals []goal
	most := func(what string, limit float64, rows []Row, of func(Row) float64) {
		if worst, ok := extreme(rows, of, 1); ok {
			goals = append(goals, goal{what, fmt.Sprintf("at most %.4g", limit), fmt.Sprintf("%.2f", worst), worst <= limit})
		}
	}
	least := func(what string, limit float64, rows []Row) {
		if worst, ok := extreme(rows, Row.overPeer, -1); ok {
			goals = append(goals, goal{what, fmt.Sprintf("at least %.4g", limit), fmt.Sprintf("%.1f", worst), worst >= limit})
		}
	}
	single := func(size int) []Row {
		return r.find(func(row Row) bool { return row.isKept() && row.Size == size && row.Hidden == "" })
	}
	many := r.find(func(row Row) bool { return row.Transport == inProcess && row.Objects == 500 && row.Hidden == "" })
	most("one object of 6 KB over TLS, times an echo", 1.15, single(small), Row.overEcho)
	most("one object of 36 KB over TLS, times an echo", 1.25, single(large), Row.overEcho)
	least("one object over TLS, times less than controller-runtime", 3.5, append(single(small), single(large)...))
	least("500 objects in process, times less than controller-runtime", 40, many)
	most("500 objects with hidden values, times those without", 1.5, r.find(func(row Row) bool {
		_, ok := r.visible(row)
		return ok && row.Objects == 500
	}), r.overVisible)
	most("allocations for one object more", 1, many, r.perObject)
	if took, ok := r.Memory[Planned]; ok {
		goals = append(goals, goal{"MB beyond the review of 5,000 objects", "at most 10", fmt.Sprintf("%.1f", float64(took)/1e6), took <= 10e6})
	}
	return goals
}

// extreme returns the largest value of rows, or with a negative sign the smallest.
func extreme(rows []Row, of func(Row) float64, sign float64) (worst float64, ok bool) {
	for i, row := range rows {
		if v := of(row); i == 0 || sign*v > sign*worst {
			worst = v
		}
	}
	return worst, len(rows) > 0
}
