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

// Named returns the properties that a name in metadata can mean: the one of exactly that name or,
// if there is none, those whose names differ from it in letter case alone. If there are two, the
// name is ambiguous, and means none of them.
func Named(all []*Property, name string) []*Property {
	var folded []*Property
	for _, p := range all {
		if p.Name == name {
			return []*Property{p}
		}
		if strings.EqualFold(p.Name, name) {
			folded = append(folded, p)
		}
	}
	return folded
}

// Counterpart returns the property of another version's object that has the name of a property of
// an object. It may differ in letter case alone, if no other property of the two objects does. It
// returns nil if there is none.
func Counterpart(p *Property, object, other []*Property) *Property {
	there := Named(other, p.Name)
	if len(there) != 1 {
		return nil
	}
	if here := Named(object, there[0].Name); len(here) != 1 || here[0] != p {
		return nil
	}
	return there[0]
}
