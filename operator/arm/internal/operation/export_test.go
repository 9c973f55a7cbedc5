package operation

// IsKnown reports whether the table of states has a state, or a rule for its name.
func IsKnown(state string) bool {
	_, isKnown := meaning(state)
	return isKnown
}
