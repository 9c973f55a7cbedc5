package operator

import "github.com/stratakube/strata/tools/build/ratios"

// Ratios returns what the figures say on any machine: counts for each resource.
func (f Figures) Ratios() ratios.Set {
	set := ratios.Set{}
	for name, p := range map[string]Pass{"first pass": f.First, "second pass": f.Second} {
		for what, count := range map[string]int{
			"reconciles": p.Reconciles, "writes": p.WritesInAll(), "reviews": p.Reviews, "events": p.Events,
			"PUTs": p.ExternalCalls["PUT"], "GETs": p.ExternalCalls["GET"],
		} {
			set[name+", "+what+" a resource"] = float64(count) / float64(f.Resources)
		}
	}
	return set
}

// Ratios returns those of the operator, and how often the time of the bare controller goes into its
// time.
func (p Pair) Ratios() ratios.Set {
	set := p.Operator.Ratios()
	set["ready, times a bare controller"] = p.ready()
	return set
}
