package watch

import "context"

// Watch ends long loops when a context is done. It asks the context only once in a while. Nil never
// ends a loop.
type Watch struct {
	ctx   context.Context
	steps int
	Err   error
}

// New returns a watch over ctx; nil where ctx is never done.
func New(ctx context.Context) *Watch {
	if ctx == nil || ctx.Done() == nil {
		return nil
	}
	return &Watch{ctx: ctx, Err: ctx.Err()}
}

// Between is how many steps a loop takes between two looks at the context.
const Between = 1 << 10

// OK counts a step. It reports whether the loop may go on.
func (w *Watch) OK() bool {
	if w == nil {
		return true
	}
	if w.steps++; w.steps%Between == 0 && w.Err == nil {
		w.Err = w.ctx.Err()
	}
	return w.Err == nil
}

// Failed reports whether the context was done.
func (w *Watch) Failed() bool { return w != nil && w.Err != nil }
