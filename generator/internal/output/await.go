package output

import (
	"context"
	"sync"
)

// renames is locked for reading while files are renamed, restored, or removed from a stage.
var renames sync.RWMutex

// whileRenaming calls show, which renames files, unless the context has ended.
func whileRenaming(ctx context.Context, show func() error) error {
	renames.RLock()
	defer renames.RUnlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return show()
}

// AwaitRenames waits while this process renames files, and reports whether it waited. If the
// process ended during that time, some files would be new and some not. Runs whose context has
// ended do not begin to rename.
func AwaitRenames() bool {
	if renames.TryLock() {
		renames.Unlock()
		return false
	}
	renames.Lock()
	defer renames.Unlock()
	return true
}
