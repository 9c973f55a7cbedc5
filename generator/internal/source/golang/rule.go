package golang

import (
	"go/types"
	"slices"

	crd "sigs.k8s.io/controller-tools/pkg/crd/markers"
)

// current drops rules about a type that differs in the version, since they use the present names of
// members.
func (s *shaper) current(t types.Type, given markerUses) markerUses {
	if !slices.ContainsFunc(given, isRule) {
		return given
	}
	later := reached(t, func(n *types.Named) bool {
		return slices.ContainsFunc(s.unit.owned[n.Origin().Obj()], func(h *history) bool { return h.changesAfter(s.version) })
	})
	if later == "" {
		return given
	}
	return slices.DeleteFunc(slices.Clone(given), isRule)
}

func isRule(m markerUse) bool {
	switch m.value.(type) {
	case crd.XValidation, crd.AtMostOneOf, crd.ExactlyOneOf, crd.AtLeastOneOf:
		return true
	}
	return false
}

// changesAfter reports whether something changes after a version.
func (h *history) changesAfter(version int) bool {
	return slices.ContainsFunc(h.moments(), func(m event) bool { return m.what != "deprecated" && m.since.index > version })
}
