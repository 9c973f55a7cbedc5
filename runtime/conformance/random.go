package conformance

// random is a stream of pseudo-random numbers (splitmix64, public domain, by Sebastiano Vigna).
// Its state is one number, which a test can print and accept again.
type random uint64

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func (r *random) next() uint64 {
	*r += 0x9E3779B97F4A7C15
	return mix(uint64(*r))
}

// below returns a number in [0, n).
func (r *random) below(n int) int {
	return int(r.next() >> 32 * uint64(n) >> 32)
}

// hash returns the seed for a name (FNV-1a).
func hash(name string) uint64 {
	h := uint64(0xCBF29CE484222325)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 0x100000001B3
	}
	return h
}
