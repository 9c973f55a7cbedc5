package gosrc

import (
	"go/types"
	"slices"

	crd "sigs.k8s.io/controller-tools/pkg/crd/markers"
)

// current leaves out rules over a type that is another in the version than it is now: they speak
// of members as these are now called.
func (s *shaper) current(t types.Type, said marks) marks {
	if !slices.ContainsFunc(said, isRule) {
		return said
	}
	later := reached(t, func(n *types.Named) bool {
		return slices.ContainsFunc(s.unit.owned[n.Origin().Obj()], func(h *history) bool { return h.changesAfter(s.version) })
	})
	if later == "" {
		return said
	}
	return slices.DeleteFunc(slices.Clone(said), isRule)
}

func isRule(m mark) bool {
	switch m.value.(type) {
	case crd.XValidation, crd.AtMostOneOf, crd.ExactlyOneOf, crd.AtLeastOneOf:
		return true
	}
	return false
}

// changesAfter reports whether something is otherwise later than in a version.
func (h *history) changesAfter(version int) bool {
	return slices.ContainsFunc(h.moments(), func(m moment) bool { return m.what != "deprecated" && m.since.index > version })
}
