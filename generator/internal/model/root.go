package model

import (
	"slices"
	"strings"
)

// SpecHas reports whether the spec of any version has a property of the given name at its root,
// in any letter case.
func (r *Resource) SpecHas(name string) bool {
	return slices.ContainsFunc(r.Versions, func(v *Version) bool { return hasAtRoot(v.Spec, name) })
}

// StatusHas is SpecHas for the status. A version without a status counts with its spec.
func (r *Resource) StatusHas(name string) bool {
	return slices.ContainsFunc(r.Versions, func(v *Version) bool {
		if v.Status == nil {
			return hasAtRoot(v.Spec, name)
		}
		return hasAtRoot(v.Status, name)
	})
}

func hasAtRoot(root Type, name string) bool {
	ref, is := root.(*Ref)
	return is && ref.Def.Object() != nil &&
		slices.ContainsFunc(ref.Def.Object().Properties, func(p *Property) bool { return strings.EqualFold(p.Name, name) })
}
