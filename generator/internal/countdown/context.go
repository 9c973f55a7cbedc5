package countdown

import (
	"context"
	"sync/atomic"
)

// Context is a context that counts how often its Err is called, and is cancelled after a number of
// these checks. Its Done channel is that of its parent. It may be used concurrently.
type Context struct {
	context.Context
	most   int64
	checks atomic.Int64
}

// New returns a context that is cancelled after a number of checks.
func New(parent context.Context, most int64) *Context { return &Context{Context: parent, most: most} }

// Err returns context.Canceled once there have been more checks than the context allows. Until
// then it returns nil, whatever its parent returns.
func (c *Context) Err() error {
	if c.checks.Add(1) > c.most {
		return context.Canceled
	}
	return nil
}

// Checks returns how often Err has been called.
func (c *Context) Checks() int64 { return c.checks.Load() }
