package explain

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/operation"
	"github.com/stratakube/strata/generator/internal/plan"
)

// moved is a declared change that moves the property of a trail to another object, or from one. It
// is declared for the object at a depth of the trail.
type moved struct {
	depth     int
	other     []*chain.Lineage // the properties on the other path, from that object
	far, near int              // the versions of the step
	operation operation.Operation
}

// moved returns the declared changes that move the property, in the order of versions.
func (t trail) moved(k *plan.Kind) (out []moved) {
	for _, kv := range k.Versions {
		if kv.Next() == nil {
			continue
		}
		far, near := kv.Version.Index, kv.Next().Version.Index
		for depth, l := range t {
			for _, m := range l.Place.Moves(far, near) {
				switch t.last() {
				case m.Far[len(m.Far)-1]:
					out = append(out, moved{depth, m.Near, far, near, m.Operation})
				case m.Near[len(m.Near)-1]:
					out = append(out, moved{depth, m.Far, far, near, m.Operation})
				}
			}
		}
	}
	return out
}

// path returns the other path in a version; empty if the version does not have it.
func (m moved) path(t trail, i int) string {
	if t.depth(i) < m.depth {
		return ""
	}
	path := t.path(i, m.depth)
	for n, l := range m.other {
		p := l.Live[i]
		if p == nil {
			return ""
		}
		path = strings.TrimPrefix(path+"."+name(p), ".")
		if n < len(m.other)-1 {
			path += steps(p)
		}
	}
	return path
}

// declared returns what the metadata declares for the property between a version and its neighbour
// towards the hub.
func (t trail) declared(far, near int, all []moved) string {
	for _, m := range all {
		if m.far == far && m.near == near {
			return m.operation.String()
		}
	}
	var texts []string
	for _, o := range t.last().Changes(far, near) {
		texts = append(texts, o.String())
	}
	return strings.Join(texts, ", then ")
}
