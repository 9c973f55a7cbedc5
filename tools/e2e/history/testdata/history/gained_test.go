package proofs

// overlook removes from a member of an object, and from what is in it, what another does not have there.
func overlook(got, want map[string]any, name string) {
	if _, ok := want[name]; !ok {
		delete(got, name)
		return
	}
	switch is := got[name].(type) {
	case map[string]any:
		if was, ok := want[name].(map[string]any); ok {
			for inner := range is {
				overlook(is, was, inner)
			}
		}
	case []any:
		was, _ := want[name].([]any)
		for i := range min(len(is), len(was)) {
			overlook(map[string]any{"": is[i]}, map[string]any{"": was[i]}, "")
		}
	}
}
