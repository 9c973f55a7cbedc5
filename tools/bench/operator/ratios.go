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
