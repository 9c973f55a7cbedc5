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
func New(ctx context.Context) *Watch { return new(Watch).Over(ctx) }

// Over makes w a watch over ctx and returns it; nil where ctx is never done. It forgets what w
// watched before.
func (w *Watch) Over(ctx context.Context) *Watch {
	w.Forget()
	if ctx == nil || ctx.Done() == nil {
		return nil
	}
	w.ctx, w.Err = ctx, ctx.Err()
	return w
}

// Forget makes w watch nothing, so that it retains no context.
func (w *Watch) Forget() { *w = Watch{} }

// Between is how many steps a loop takes between two looks at the context.
const Between = 1 << 10

// OK counts a step. It reports whether the loop may go on.
func (w *Watch) OK() bool { return w == nil || w.step() }

func (w *Watch) step() bool {
	if w.steps++; w.steps%Between == 0 && w.Err == nil {
		w.Err = w.ctx.Err()
	}
	return w.Err == nil
}

// Failed reports whether the context was done.
func (w *Watch) Failed() bool { return w != nil && w.Err != nil }
