package genruntime

import "context"

// watch ends long loops when a context is done. It asks the context only once in a while. Nil never ends a loop.
type watch struct {
	ctx   context.Context
	steps int
	err   error
}

func newWatch(ctx context.Context) *watch {
	if ctx == nil || ctx.Done() == nil {
		return nil
	}
	return &watch{ctx: ctx, err: ctx.Err()}
}

// between is how many steps a loop takes between two looks at the context.
const between = 1 << 10

// ok counts a step. It reports whether the loop may go on.
func (w *watch) ok() bool {
	if w == nil {
		return true
	}
	if w.steps++; w.steps%between == 0 && w.err == nil {
		w.err = w.ctx.Err()
	}
	return w.err == nil
}

func (w *watch) failed() bool { return w != nil && w.err != nil }
