package targets

// For tests.
var (
	InOrder = inOrder
	Lengthy = lengthy
	Rest    = rest
)
