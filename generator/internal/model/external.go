package model

// ExternalNames returns the external names of renamed properties at the roots of spec and status,
// by their new names. If the two differ, the name in the spec takes precedence.
func (v *Version) ExternalNames() map[string]string {
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
