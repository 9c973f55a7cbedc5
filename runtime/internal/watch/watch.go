package watch

import "context"

// Watch ends long loops when a context is done. It checks the context only every [Between] steps.
// A nil Watch never ends a loop.
type Watch struct {
	ctx   context.Context
	steps int
	Err   error
}

// New returns a watch over ctx, and nil if ctx is never done.
func New(ctx context.Context) *Watch { return new(Watch).Over(ctx) }

// Over makes w a watch over ctx and returns it. It returns nil if ctx is never done. It forgets
// the previous context.
func (w *Watch) Over(ctx context.Context) *Watch {
	w.Forget()
	if ctx == nil || ctx.Done() == nil {
		return nil
	}
	w.ctx, w.Err = ctx, ctx.Err()
	return w
}

// Forget removes the context from w.
func (w *Watch) Forget() { *w = Watch{} }

// Between is the number of steps between two checks of the context.
const Between = 1 << 10

// OK counts a step. It reports whether the loop may continue.
func (w *Watch) OK() bool { return w == nil || w.step() }

func (w *Watch) step() bool {
	if w.steps++; w.steps%Between == 0 && w.Err == nil {
		w.Err = w.ctx.Err()
	}
	return w.Err == nil
}

// Ended checks the context now, and reports whether it is done.
func (w *Watch) Ended() bool {
	if w == nil {
		return false
	}
	if w.Err == nil {
		w.Err = w.ctx.Err()
	}
	return w.Err != nil
}

// Failed reports whether the context was done.
func (w *Watch) Failed() bool { return w != nil && w.Err != nil }
