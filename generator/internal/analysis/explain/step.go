package explain

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/plan"
)

// step returns the action of the step from a version to the next one for the property, or for the
// nearest object around it that is not converted member by member.
func (t trail) step(kv, next *plan.KindVersion) (action, why string) {
	i, j := kv.Version.Index, next.Version.Index
	at := 0
	far := t.root(kv)
	for at+1 < len(t) && t[at].Transfers(i, j) {
		if far = child(far, t[at].Live[i].Name); far == nil {
			return "", ""
		}
		at++
	}
	switch {
	case t[at].Live[i] == nil && t[at].Live[j] == nil:
		return "pass on what is in the bag", "neither has it"
	case far.Shared():
		return "keep " + name(t[at].Live[i]), "the storage type is that of the neighbour"
	}
	for _, m := range moves(far, t[:at], t.root(next), next) {
		if t.is(m, at, i, j) {
			text := m.String()
			return strings.TrimSuffix(text, ": "+m.Why), m.Why
		}
	}
	return "", ""
}

// inStatus reports whether the property is in a status that does not mirror the spec.
func (t trail) inStatus() bool { return t[0].Place == t[0].Place.Resource.Status }

// root returns the storage type in which the trail begins.
func (t trail) root(kv *plan.KindVersion) *plan.Struct {
	if t.inStatus() {
		return kv.Status
	}
	return kv.Spec
}

// is reports whether a move concerns the lineage at a depth of the trail.
func (t trail) is(m *plan.Move, at, i, j int) bool {
	p, q := t[at].Live[i], t[at].Live[j]
	return m.Far != nil && p != nil && m.Far.Property.Name == p.Name ||
		m.Far == nil && m.Near != nil && q != nil && m.Near.Property.Name == q.Name
}

// moves returns those of the step from a struct to the one at the same place in the next version.
func moves(far *plan.Struct, around trail, near *plan.Struct, next *plan.KindVersion) []*plan.Move {
	for _, l := range around {
		if near = child(near, l.Live[next.Version.Index].Name); near == nil {
			return nil
		}
	}
	for _, candidate := range []*plan.Struct{near, near.Host} {
		if s := far.Between(candidate); s != nil {
			return s.Moves
		}
	}
	return nil
}

// child returns the struct that a property of another contains, or nil.
func child(s *plan.Struct, property string) *plan.Struct {
	for _, f := range s.Fields {
		if f.Property.Name == property || f.Additional && property == chain.AdditionalName {
			return f.Type.Struct
		}
	}
	return nil
}
