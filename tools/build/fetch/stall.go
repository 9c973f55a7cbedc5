package fetch

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// pulse cancels a context when, within a span of time, less than the least progress
// was made. It counts the bytes of the readers that it wraps.
type pulse struct {
	span   time.Duration
	least  int64
	came   atomic.Int64
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

// startPulse returns a context that ends with an error when the transfer stalls, and without one
// when the pulse is stopped.
func startPulse(ctx context.Context, span time.Duration, least int64) (context.Context, *pulse) {
	ctx, cancel := context.WithCancelCause(ctx)
	p := &pulse{span: span, least: least, cancel: cancel}
	p.timer = time.AfterFunc(span, p.look)
	return ctx, p
}

func (p *pulse) look() {
	if came := p.came.Swap(0); came < p.least {
		p.cancel(fmt.Errorf("stalled: %s in %s", size(came), p.span))
		return
	}
	p.timer.Reset(p.span)
}

func (p *pulse) stop() {
	p.timer.Stop()
	p.cancel(context.Canceled)
}

func (p *pulse) of(in io.Reader) io.Reader { return beating{in, p} }

type beating struct {
	in io.Reader
	p  *pulse
}

func (b beating) Read(buf []byte) (int, error) {
	n, err := b.in.Read(buf)
	b.p.came.Add(int64(n))
	return n, err
}
