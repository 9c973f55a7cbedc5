package model

// ExternalNames returns the external names of the properties at the roots of spec and status that
// were renamed, by their new names. If spec and status differ, that of the spec counts.
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
