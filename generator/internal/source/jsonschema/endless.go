package jsonschema

// Endless reports definitions that consist of themselves: through references, unions and
// conjunctions only, so that no finite value exists.
func (s *Scope) Endless() {
	edges := map[*Definition][]*Definition{}
	for _, d := range s.all {
		if len(d.direct) > 0 {
			edges[d] = d.direct
		}
	}
	peel(edges)
	edges = reversed(edges)
	peel(edges)
	for d := range edges {
		d.problems = append(d.problems, d.At.Errorf("the definition %q contains itself without end", d.Def.Name))
	}
}

// peel removes all nodes whose edges lead only out of the graph, until none is left.
func peel(edges map[*Definition][]*Definition) {
	from := reversed(edges)
	degree := map[*Definition]int{}
	var ready []*Definition
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

func reversed(edges map[*Definition][]*Definition) map[*Definition][]*Definition {
	back := map[*Definition][]*Definition{}
	for d, next := range edges {
		for _, to := range next {
			if edges[to] != nil {
				back[to] = append(back[to], d)
			}
		}
	}
	return back
}
