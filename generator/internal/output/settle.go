package output

import (
	"context"
	"sync"
)

// settled is locked for reading while files are renamed.
var settled sync.RWMutex

// settling calls show, which renames files, unless the context has ended.
func settling(ctx context.Context, show func() error) error {
	settled.RLock()
	defer settled.RUnlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return show()
}

// Settle waits while this process renames files, and reports whether it waited. If the process
// ended during that time, some files would be new and some not. Runs whose context has ended do not
// begin to rename.
func Settle() bool {
	if settled.TryLock() {
		settled.Unlock()
		return false
	}
	settled.Lock()
	defer settled.Unlock()
	return true
}
