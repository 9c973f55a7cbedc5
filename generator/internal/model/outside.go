package model

// OutsideNames are the names outside of the properties at the roots of spec and status that have
// another name here, by that. Where both spell one in two ways, the spec is right.
func (v *Version) OutsideNames() map[string]string {
	names := map[string]string{}
	for _, root := range []Type{v.Status, v.Spec} {
		ref, ok := root.(*Ref)
		if !ok {
			continue
		}
		for _, p := range ref.Def.Object().Properties {
			if p.Wire != "" {
				names[p.Name] = p.Wire
			}
		}
	}
	return names
}
