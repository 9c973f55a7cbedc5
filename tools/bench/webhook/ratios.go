package webhook

import (
	"fmt"

	"github.com/stratakube/strata/tools/build/ratios"
)

// Ratios returns what the results say on any machine: the times of plans beside those of an echo
// over TLS and of controller-runtime, the allocations for one object more, and the memory beyond a
// review.
func (r Results) Ratios() ratios.Set {
	set := ratios.Set{}
	for _, row := range r.Rows {
		name := fmt.Sprintf("%s, %d steps, %s, ", row.name(), row.Steps, row.direction())
		if row.Transport != inProcess {
			set[name+"times an echo"] = row.overEcho()
		}
		set[name+"times controller-runtime"] = 1 / row.overPeer()
		if row.Objects > 1 {
			set[name+"allocations an object"] = max(0, r.perObject(row))
		}
	}
	if took, ok := r.Memory[Planned]; ok {
		set["MB beyond the review of 5,000 objects"] = float64(took) / 1e6
	}
	return set
}
