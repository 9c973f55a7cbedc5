package plan

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/refine"
)

// AddedTo returns the members that Strata adds to a root on one side (API or storage) or on both.
// It returns none for structs that are not roots.
func (s *Struct) AddedTo(side model.Side) []model.Member {
	return slices.DeleteFunc(slices.Clone(s.Added), func(m model.Member) bool { return m.Side != model.BothSides && m.Side != side })
}

// AddedToBoth returns the members that Strata adds to a root on both sides. Conversions copy them.
func (s *Struct) AddedToBoth() []model.Member { return s.AddedTo(model.BothSides) }

// Adds reports whether Strata adds a member of a name to a root.
func (s *Struct) Adds(name string) bool {
	return slices.ContainsFunc(s.Added, func(m model.Member) bool { return m.JSON == name })
}

// TakesConfigMaps reports whether objects of the kind can name ConfigMaps in their specs.
func (k *Kind) TakesConfigMaps() bool {
	spec := k.Hub().Spec
	return spec.Adds(model.ConfigMapRefs) || spec.Adds(model.Outputs)
}

// addMembers sets the members that Strata adds to the roots of all versions.
func (g *grouper) addMembers() {
	for _, k := range g.group.Kinds {
		for _, kv := range k.Versions {
			kv.Spec.Added, kv.Status.Added = k.members[model.SpecRoot], k.members[model.StatusRoot]
			if !kv.Subresource { // its bag is an annotation
				kv.Status.Added = slices.DeleteFunc(slices.Clone(kv.Status.Added), func(m model.Member) bool { return m.JSON == model.PropertyBag })
			}
		}
	}
}

// reserveAdded reserves the names of added fields, so that no property of a root gets one of
// them. A status without a struct of its own has the fields of the spec.
func (n *node) reserveAdded(names refine.Identifiers) {
	if !n.isRoot() {
		return
	}
	roots := []model.Root{model.SpecRoot}
	switch {
	case n.role == Status:
		roots = []model.Root{model.StatusRoot}
	case n.place.Resource.Status == nil:
		roots = append(roots, model.StatusRoot)
	}
	for _, root := range roots {
		for _, m := range n.kind.members[root] {
			if m.Side == model.BothSides { // the names of others are reserved in every struct
				names[m.Name] = 1
			}
		}
	}
}
