package model

import (
	"maps"
	"slices"
)

// Offer makes the object's secrets optional, because their values may come from Secrets.
func (o *Object) Offer() { o.Release(func(p *Property) bool { return p.Secret }) }

// Release makes the selected properties of the object optional, also in its union.
func (o *Object) Release(is func(*Property) bool) {
	for _, p := range o.Properties {
		if is(p) {
			p.Required = false
			o.Union.offer(p.Name)
		}
	}
}

func (u *Union) offer(name string) {
	if u == nil {
		return
	}
	for i := range u.Cases {
		u.Cases[i].Requires = slices.DeleteFunc(slices.Clone(u.Cases[i].Requires), func(r string) bool { return r == name })
	}
}

// HasSecrets reports whether the resource has a secret in the spec of any version.
func (r *Resource) HasSecrets() bool {
	for _, v := range r.Versions {
		for _, d := range Closure(v.Spec) {
			if o := d.Object(); o != nil && slices.ContainsFunc(o.Properties, func(p *Property) bool { return p.Secret }) {
				return true
			}
		}
	}
	return false
}

// SecretPaths lists the paths of the version's secrets, in spec and status, sorted; see
// [LocatedProperty].
func (v *Version) SecretPaths() []string {
	paths := map[string]bool{}
	for _, root := range []Type{v.Spec, v.Status} {
		for _, p := range Locate(root, func(p *Property) bool { return p.Secret }) {
			paths[p.Path] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// HideDefaults removes the defaults of the version's secrets, and of properties whose values
// contain secrets. Descriptions and reports must not show them.
func (v *Version) HideDefaults() {
	isSecret := func(p *Property) bool { return p.Secret }
	leads := leading(v.Spec, isSecret)
	for d, does := range leading(v.Status, isSecret) {
		leads[d] = leads[d] || does
	}
	for _, d := range Closure(v.Spec, v.Status) {
		if !leads[d] {
			continue
		}
		for _, p := range d.Object().Properties {
			if p.Secret || leadsOn(p.Type, leads) {
				p.Default = ""
			}
		}
	}
}
