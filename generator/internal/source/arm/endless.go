package arm

// endless reports definitions that consist of themselves: through references, unions and
// conjunctions only, so that no finite value exists.
func (u *unit) endless() {
	edges := map[*definition][]*definition{}
	for _, d := range u.defs {
		if len(d.direct) > 0 {
			edges[d] = d.direct
		}
	}
	peel(edges)
	edges = reversed(edges)
	peel(edges)
	for d := range edges {
		d.problems = append(d.problems, d.location.errorf("the definition %q contains itself without end", d.def.Name))
	}
}

// peel removes all nodes whose edges lead only out of the graph, until none is left.
func peel(edges map[*definition][]*definition) {
	from := reversed(edges)
	degree := map[*definition]int{}
	var ready []*definition
	for d, next := range edges {
		for _, to := range next {
			if edges[to] != nil {
				degree[d]++
			}
		}
		if degree[d] == 0 {
			ready = append(ready, d)
		}
	}
	for len(ready) > 0 {
		d := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		delete(edges, d)
		for _, before := range from[d] {
			if degree[before]--; degree[before] == 0 {
				ready = append(ready, before)
			}
		}
	}
}

func reversed(edges map[*definition][]*definition) map[*definition][]*definition {
	back := map[*definition][]*definition{}
	for d, next := range edges {
		for _, to := range next {
			if edges[to] != nil {
				back[to] = append(back[to], d)
			}
		}
	}
	return back
}
