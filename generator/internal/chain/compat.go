package chain

import "slices"

// CompatFrom returns the version whose compat package has the shape of a bag's entry. An object
// of near takes the property from the bag of far. far is a neighbour further from the hub. The
// result is far itself, or the version that the ledger recorded when other versions were
// neighbours.
func (l *Lineage) CompatFrom(far, near *Version) *Version {
	return l.recorded(near, far, func(at *Version) bool { return !far.Leaf && !at.Leaf && at != near && at.leadsTo(near) })
}

// CompatTo is the counterpart of CompatFrom where an object of far stores the property in the bag
// of near, its neighbour towards the hub.
func (l *Lineage) CompatTo(far, near *Version) *Version {
	return l.recorded(far, near, func(at *Version) bool { return !at.Leaf && !at.leadsTo(far) })
}

// recorded finds a compat package in the ledger's rows of a version. It prefers the wanted one,
// then the last recorded one that will accepts. Else it returns the wanted one, which is then
// new.
func (l *Lineage) recorded(v, wanted *Version, will func(*Version) bool) *Version {
	found := wanted
	for _, label := range l.Place.old[v.Index].compats(l.Live[v.Index].Name) {
		at := l.Place.Resource.labelled(label)
		if at == wanted {
			return wanted
		}
		if at != nil && will(at) {
			found = at
		}
	}
	return found
}

func (o *spot) compats(property string) []string {
	if o == nil {
		return nil
	}
	var out []string
	for _, k := range o.keys {
		if k.Property == property && k.Via() {
			out = append(out, k.Compat)
		}
	}
	return out
}

func (r *Resource) labelled(label string) *Version {
	for _, v := range r.Versions {
		if v.Label == label {
			return v
		}
	}
	return nil
}

// compats returns the versions whose compat packages have a property's shapes in bags, where
// these differ from its shape in the version.
func (l *Lineage) compats(version int) []*Version {
	var out []*Version
	add := func(at *Version) {
		if !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	v := l.Place.Resource.Versions[version]
	for _, far := range l.Place.Resource.Versions {
		switch {
		case far == v && v.Next != nil && l.meets(version, v.Next.Index):
			add(l.CompatTo(v, v.Next))
		case far.Next == v && l.meets(far.Index, version):
			add(l.CompatFrom(far, v))
		}
	}
	return out
}

// meets reports whether both neighbours have the place's object, and use the bag for the lineage.
func (l *Lineage) meets(i, j int) bool {
	p := l.Place
	return p.Defs[i] != nil && p.Defs[j] != nil && (!l.Transfers(i, j) || l.ReadsOld(i, j))
}
