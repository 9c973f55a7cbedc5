package hidden

import "slices"

// repeats finds maps with two members of one name. Decoding keeps only the last of them, while in
// JSON both would count.
type repeats struct {
	// found reports that there is such a map.
	found bool
	// names are the fingerprints of the names in the maps around the current value.
	names []uint64
}

// mapNames are the names of one map. Their fingerprints begin at index first.
type mapNames struct {
	first int
	order ascending
	// unordered reports that the names are not in strictly ascending order.
	unordered bool
}

// begin starts a map.
func (r *repeats) begin() mapNames { return mapNames{first: len(r.names)} }

// add adds a name of the map with its fingerprint.
func (r *repeats) add(m *mapNames, name []byte, print uint64) {
	m.unordered = !m.order.passes(name) || m.unordered
	r.names = append(r.names, print)
}

// end ends a map. It compares the names only if they are not in strictly ascending order.
func (r *repeats) end(m *mapNames) {
	if m.unordered && !r.found {
		names := r.names[m.first:]
		slices.Sort(names)
		r.found = repeatsName(names, func(print uint64) uint64 { return print })
	}
	r.names = r.names[:m.first]
}

// repeatsName reports whether two members of a sorted list have the same name.
func repeatsName[M any, N comparable](sorted []M, name func(M) N) bool {
	for i := 1; i < len(sorted); i++ {
		if name(sorted[i-1]) == name(sorted[i]) {
			return true
		}
	}
	return false
}
