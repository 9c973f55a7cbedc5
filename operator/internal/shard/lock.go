package shard

import (
	"context"
	"sync"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// guardedLock is the lock of an election that notices when another process has had it. The elector
// does not: if this process pauses, and the other one has released the Lease meanwhile, acquiring
// it again looks like renewing it.
type guardedLock struct {
	resourcelock.Interface
	began <-chan struct{} // closed when this process has the lock

	once sync.Once
	lost chan struct{} // closed when it no longer has it
}

// Get returns the record of the lock. The elector asks for it when it cannot renew the record that
// it knows.
func (l *guardedLock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := l.Interface.Get(ctx)
	select {
	case <-l.began:
		if err == nil && record.HolderIdentity != l.Identity() {
			l.lose()
		}
	default:
	}
	return record, raw, err
}

// lose records that this process no longer has the lock.
func (l *guardedLock) lose() { l.once.Do(func() { close(l.lost) }) }
