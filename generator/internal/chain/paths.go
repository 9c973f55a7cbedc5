package chain

import "strings"

// Paths returns the first path of every place of the resource: members of the spec, and those of a
// status of its own below status. Elements of lists are [], and those of maps *.
func (r *Resource) Paths() map[*Place]string {
	paths := map[*Place]string{r.Root: ""}
	r.Root.below(paths)
	if r.Status != nil {
		paths[r.Status] = "status"
		r.Status.below(paths)
	}
	return paths
}

// below adds the paths of all places below a root.
func (p *Place) below(paths map[*Place]string) {
	queue := []*Place{p}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		for _, l := range p.Lineages {
			for i, q := range l.Live {
				if q == nil {
					continue
				}
				c := l.Child(i)
				if _, known := paths[c]; c == nil || known {
					continue
				}
				wrap, _ := Unwrap(q.Type)
				paths[c] = strings.TrimPrefix(paths[p]+"."+q.Name, ".") + strings.NewReplacer("l", "[]", "m", ".*").Replace(wrap)
				queue = append(queue, c)
			}
		}
	}
}
