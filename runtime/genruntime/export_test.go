package genruntime

// EachAskedSpec visits the pairs of specs for which a conversion through the other side has been
// asked.
func EachAskedSpec(visit func(pair any)) {
	specs.asked.Range(func(key, _ any) bool {
		visit(key)
		return true
	})
}
