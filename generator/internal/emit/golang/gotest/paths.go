package gotest

import "slices"

// edge leads from an object or a step to one that it contains.
type edge[N comparable] struct {
	suffix string
	to     N
}

// mostPaths is the number of paths that are visited one by one. Objects that are used at many
// paths can have more than a test could list.
const mostPaths = 1000

// handPaths returns the paths from a root to the nodes that hand-written steps complete. Beyond
// mostPaths, a path to a node that was visited before includes all paths below it.
func handPaths[N comparable](root N, path string, completes func(N) bool, edges func(N) []edge[N]) []string {
	p := &paths[N]{completes: completes, edges: edges, leads: leading(root, completes, edges), known: map[N]bool{}}
	p.walk(root, path)
	return p.found
}

type paths[N comparable] struct {
	completes func(N) bool
	edges     func(N) []edge[N]
	leads     map[N]bool
	known     map[N]bool
	around    []N
	looked    int
	found     []string
}

func (p *paths[N]) walk(n N, path string) {
	if !p.leads[n] || slices.Contains(p.around, n) {
		return
	}
	p.looked++
	if p.completes(n) || p.looked > mostPaths && p.known[n] {
		p.found = append(p.found, path)
	}
	if p.looked > mostPaths && p.known[n] {
		return
	}
	p.known[n] = true
	p.around = append(p.around, n)
	for _, e := range p.edges(n) {
		p.walk(e.to, path+e.suffix)
	}
	p.around = p.around[:len(p.around)-1]
}

// leading returns the nodes from which a completed one can be reached, including the completed
// ones.
func leading[N comparable](root N, completes func(N) bool, edges func(N) []edge[N]) map[N]bool {
	into, seen := map[N][]N{}, map[N]bool{root: true}
	all, out := []N{root}, map[N]bool{}
	for i := 0; i < len(all); i++ {
		for _, e := range edges(all[i]) {
			into[e.to] = append(into[e.to], all[i])
			if !seen[e.to] {
				seen[e.to] = true
				all = append(all, e.to)
			}
		}
	}
	var left []N
	for _, n := range all {
		if completes(n) {
			left = append(left, n)
		}
	}
	for len(left) > 0 {
		n := left[len(left)-1]
		left = left[:len(left)-1]
		if !out[n] {
			out[n] = true
			left = append(left, into[n]...)
		}
	}
	return out
}
