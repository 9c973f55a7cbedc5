package reconciler

// Len returns how many claims a process has made.
func (c *Claims) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.made)
}

// NewQueue makes the queue of a controller.
var NewQueue = newQueue
