package hidden

import "github.com/stratakube/strata/runtime/internal/shape"

// HidesJSON reports whether a property bag with entries is in JSON of a shape.
func HidesJSON(s *shape.Shape, data []byte) bool {
	var x indexed
	x.index(data)
	return x.hides(s, x.all())
}

// WithoutBags returns JSON of a shape without its property bags.
func WithoutBags(s *shape.Shape, data []byte) []byte {
	var x indexed
	x.index(data)
	return x.withoutBags(nil, s, x.all())
}
