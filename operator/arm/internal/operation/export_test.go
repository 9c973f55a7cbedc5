package operation

import "strings"

// IsOver is isOver.
var IsOver = isOver

// IsKnown reports whether the table of states has a state. The rule for names does not count: such
// a name can be that of an end.
func IsKnown(state string) bool {
	_, isKnown := states[strings.ToLower(state)]
	return isKnown
}
