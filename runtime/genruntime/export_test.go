package genruntime

// EachAskedSpec calls visit for the pairs of specs for which one side has called the conversion
// of the other.
func EachAskedSpec(visit func(pair any)) {
	specs.asked.Range(func(key, _ any) bool {
		visit(key)
		return true
	})
}
