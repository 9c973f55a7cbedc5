package hidden

import "slices"

// repeats finds maps with two members of one name. Go values have the last of them; in JSON both
// would count.
type repeats struct {
	// found is set once there is such a map.
	found bool
	// names are the fingerprints of the names in the maps around the value at hand.
	names []uint64
}

// mapNames are the names of one map: their fingerprints begin at first.
type mapNames struct {
	first int
	order ascending
	// unordered is set where the names are not sorted.
	unordered bool
}

// begin begins a map.
func (r *repeats) begin() mapNames { return mapNames{first: len(r.names)} }

// add adds a name of the map and its fingerprint.
func (r *repeats) add(m *mapNames, name []byte, print uint64) {
	m.unordered = !m.order.passes(name) || m.unordered
	r.names = append(r.names, print)
}

// end ends a map. Names that are sorted, each after the last, are not looked at again.
func (r *repeats) end(m *mapNames) {
	if m.unordered && !r.found {
		names := r.names[m.first:]
		slices.Sort(names)
		r.found = repeatsName(names, func(print uint64) uint64 { return print })
	}
	r.names = r.names[:m.first]
}

// repeatsName reports whether two of the sorted members have one name.
func repeatsName[M any, N comparable](sorted []M, name func(M) N) bool {
	for i := 1; i < len(sorted); i++ {
		if name(sorted[i-1]) == name(sorted[i]) {
			return true
		}
	}
	return false
}
