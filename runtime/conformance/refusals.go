package conformance

// refusals counts the conversions whose errors were ignored.
type refusals struct{ n int }

// count returns the number of ignored errors; 0 for nil.
func (r *refusals) count() int {
	if r == nil {
		return 0
	}
	return r.n
}
