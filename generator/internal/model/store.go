package model

// A store allocates the smallest and most frequent parts of models in batches.
type store struct {
	scalars slab[Scalar]
	limits  slab[Limits]
	refs    slab[Ref]
}

type slab[T any] struct{ free []T }

func (s *slab[T]) add(v T) *T {
	if len(s.free) == 0 {
		s.free = make([]T, 128)
	}
	p := &s.free[0]
	s.free = s.free[1:]
	*p = v
	return p
}
