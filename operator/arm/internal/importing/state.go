package importing

// State is the progress of an import: it reads resources, encodes an object for each of them, and
// writes the objects.
type State struct {
	Read    int    // resources
	Reading string // the path of the next call; empty once all resources have been read
	Encoded int    // objects
	Written int    // objects
}

// Progress receives the state of an import. A nil one is not called.
type Progress func(State)

func (p Progress) call(s State) {
	if p != nil {
		p(s)
	}
}
