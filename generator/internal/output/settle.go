package output

import (
	"context"
	"sync"
)

// settled is locked for reading while files get their names.
var settled sync.RWMutex

// settling calls show, which gives files their names, unless the context has ended.
func settling(ctx context.Context, show func() error) error {
	settled.RLock()
	defer settled.RUnlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return show()
}

// Settle waits while this process gives files their names, and reports whether it did. If the process ended meanwhile, some
// files would be new and some not. Runs whose context has ended do not begin to give names.
func Settle() bool {
	if settled.TryLock() {
		settled.Unlock()
		return false
	}
	settled.Lock()
	defer settled.Unlock()
	return true
}
